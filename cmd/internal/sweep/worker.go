package sweep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// Executor does jobs.
type Executor interface {
	// Execute does a job. The function bundle fetches the bundle of the job's world. If record is true, a failed run is
	// recorded below folder. Execute returns the result and the path of the recording, which is empty without one. It
	// returns an error if this process cannot do the job. If the run itself fails, the error is in the result.
	Execute(ctx context.Context, job *Job, record bool, folder string, bundle func() ([]byte, error)) (*Result, string,
		error)
}

// Worker does jobs, one at a time.
type Worker struct {
	Name     string
	Version  string // of this program
	Probe    string // state hash of Probe on this machine
	Programs bool   // worlds may start programs
	Execute  Executor
	// Late, if not nil, is called with a result of this worker if another worker has stored a result of the same job
	// before.
	Late func(*Result)
}

// ErrRefused is wrapped by the error of a worker that a sweep refuses. The error says why.
var ErrRefused = errors.New("this worker is refused")

const (
	// maxDeliveries is the maximum number of times that a job is handed out. After that the job fails, because every
	// worker that started it has died or was killed.
	maxDeliveries = 10
	askEvery      = time.Second // period at which an idle worker asks for work
)

// admit returns the reason for which a sweep refuses the worker, or nil if the sweep accepts it.
func (w *Worker) admit(e *Entry) error {
	switch {
	case e.Version != w.Version:
		return fmt.Errorf("%w: sweep %s is of %q, this program is %q", ErrRefused, e.Name, e.Version, w.Version)
	case e.Probe != w.Probe:
		return fmt.Errorf("%w: the probe run of sweep %s ends in state %s, here in %s: results of this machine "+
			"would differ", ErrRefused, e.Name, e.Probe, w.Probe)
	case e.Programs && !w.Programs:
		return fmt.Errorf("%w: worlds of sweep %s start programs, which needs a worker with --programs",
			ErrRefused, e.Name)
	}
	return nil
}

// Serve does the jobs of all sweeps, one sweep after the other, until no job is left. It returns the number of jobs
// done. The error names the sweeps that refuse the worker.
func (w *Worker) Serve(ctx context.Context, nc *nats.Conn) (done int, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, err
	}
	var (
		reg jetstream.KeyValue
		ids []string
	)
	err = patient(ctx, func() (err error) { reg, ids, err = sweeps(ctx, js); return err })
	if err != nil {
		return 0, err
	}
	slices.Sort(ids)
	var unfit []error
	for _, id := range ids {
		var e Entry
		err := patient(ctx, func() (err error) { e, err = entry(ctx, reg, id); return err })
		if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && e.Done {
			continue
		}
		if err != nil {
			if ctx.Err() != nil || console.ExitCode(err) == console.ExitUnavailable {
				return done, err
			}
			unfit = append(unfit, fmt.Errorf("sweep %s: %w", id, err)) // not an entry of ours
			continue
		}
		if err := w.admit(&e); err != nil {
			unfit = append(unfit, err)
			continue
		}
		var q *queue
		err = patient(ctx, func() (err error) { q, err = joinQueue(ctx, js, reg, id); return err })
		if err != nil && q.gone(ctx) {
			continue // deleted meanwhile
		}
		if err != nil {
			if ctx.Err() != nil || console.ExitCode(err) == console.ExitUnavailable {
				return done, err
			}
			unfit = append(unfit, fmt.Errorf("sweep %s: %w", e.Name, err))
			continue
		}
		n, err := w.work(ctx, q, e)
		if done += n; err != nil {
			return done, err
		}
	}
	return done, errors.Join(unfit...)
}

// sweeps returns the IDs of the sweeps of a server.
func sweeps(ctx context.Context, js jetstream.JetStream) (reg jetstream.KeyValue, ids []string, err error) {
	if reg, err = openRegistry(ctx, js); err != nil || reg == nil {
		return nil, nil, err
	}
	ids, err = reg.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		err = nil
	}
	if js.Conn().IsClosed() {
		err = nats.ErrConnectionClosed // the library returns no error here
	}
	return reg, ids, err
}

// work does jobs of one sweep until the sweep is done or ctx ends. It returns the number of jobs done.
func (w *Worker) work(ctx context.Context, q *queue, e Entry) (done int, err error) {
	folder, err := os.MkdirTemp("", "omnipitch-sweep-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	lost := time.Time{} // wall time at which the server stopped answering; zero while it answers
	for ctx.Err() == nil {
		msg, err := next(ctx, q)
		if msg != nil {
			var did bool
			if did, err = w.do(ctx, q, &e, folder, msg); did {
				done++
			}
			if err != nil && !isTransient(err) {
				return done, err
			}
		}
		switch {
		case ctx.Err() != nil:
		case err != nil && q.gone(ctx):
			return done, nil
		case err != nil:
			if lost.IsZero() {
				lost = time.Now()
			}
			if time.Since(lost) > answerWithin || q.js.Conn().IsClosed() {
				return done, console.Unavailablef("sweep %s: %w", e.Name, err)
			}
			sleep(ctx, askEvery/4)
		case msg == nil:
			var over bool
			if over, err = w.over(ctx, q, &e); over {
				return done, nil
			}
			if err != nil && !isTransient(err) {
				return done, err
			}
			sleep(ctx, askEvery/10)
		default:
			lost = time.Time{}
		}
	}
	return done, ctx.Err()
}

// next fetches a job from the queue. It returns nil if the queue has no job at the moment.
func next(ctx context.Context, q *queue) (jetstream.Msg, error) {
	asked, cancel := context.WithTimeout(ctx, 5*time.Second)
	consumer, err := q.consumer(asked)
	cancel()
	if err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, askEvery)
	defer cancel()
	batch, err := consumer.Fetch(1, jetstream.FetchContext(wait))
	if err != nil {
		return nil, err
	}
	if msg, ok := <-batch.Messages(); ok {
		return msg, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) &&
		!errors.Is(err, nats.ErrTimeout) {
		q.handle = nil
		return nil, err
	}
	return nil, nil
}

// over reports whether the sweep has no job for this worker now and will not have one later. It reads the sweep's entry
// into e.
func (w *Worker) over(ctx context.Context, q *queue, e *Entry) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	now, err := entry(ctx, q.registry, q.id)
	if err != nil {
		return q.gone(ctx), err
	}
	if *e = now; e.Done {
		return true, nil
	}
	info, err := q.stream.Info(ctx)
	return err == nil && e.Queued && info.State.Msgs == 0, err
}

// do executes the job in a message and stores its result. It returns true if this result is the first result of the
// job.
func (w *Worker) do(ctx context.Context, q *queue, e *Entry, folder string, msg jetstream.Msg) (bool, error) {
	job, err := readJob(q.id, msg.Subject(), msg.Data())
	if err != nil {
		return false, msg.Term() // not a valid job; the coordinator puts the valid job back into the queue
	}
	meta, err := msg.Metadata()
	if err != nil {
		return false, err
	}
	if known, err := q.known(ctx, job.Key); err != nil || known {
		if err == nil {
			err = msg.Ack() // the worker that stored the result died before it acknowledged the message
		}
		return false, err
	}
	begun := time.Now()
	var (
		result    *Result
		recording string
	)
	if meta.NumDelivered > maxDeliveries {
		result = &Result{}
		result.Error = fmt.Sprintf("%d workers started this run, and none finished it", maxDeliveries)
	} else {
		defer w.hold(msg, e.Lease)() // the job is also held while the recording is sent
		result, recording, err = w.Execute.Execute(ctx, job, e.Record, folder,
			func() ([]byte, error) { return q.bundle(ctx, job.Bundle) })
		if errors.Is(err, ErrRefused) && !e.Programs {
			result, err = &Result{}, nil
			result.Error = fmt.Sprintf("world %s starts programs, but the entry of the sweep does not say so: none "+
				"was started",
				job.Name)
		}
		if err != nil || ctx.Err() != nil {
			return false, errors.Join(err, msg.Nak())
		}
	}
	result.Job, result.World, result.Point, result.Seed = job.Key, job.World, job.Point, job.Seed
	result.Worker, result.Wall, result.Recording = w.Name, time.Since(begun).Seconds(), ""
	// A finished result is delivered even if this process is interrupted meanwhile or the server restarts.
	written, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin+transferTime(recording))
	defer cancel()
	first, err := w.deliver(written, q, result, recording, !e.Programs)
	for err != nil && isTransient(err) && written.Err() == nil && !q.js.Conn().IsClosed() {
		if q.gone(written) {
			return false, nil
		}
		sleep(written, askEvery/4)
		first, err = w.deliver(written, q, result, recording, !e.Programs)
	}
	if err != nil {
		return false, err
	}
	if !first && w.Late != nil {
		w.Late(result)
	}
	return first, msg.Ack()
}

// deliver stores the recording, then the result. It returns true if this result is the first result of the job.
func (w *Worker) deliver(ctx context.Context, q *queue, r *Result, recording string, compare bool) (first bool,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second+transferTime(recording))
	defer cancel()
	if recording != "" {
		defer func() {
			if err == nil {
				os.Remove(recording)
			}
		}()
		if r.Stored == "" {
			r.Stored = "recording." + r.Job + "." + rand.Text()
		}
		if err := q.putFile(ctx, r.Stored, recording); err != nil {
			return false, err
		}
	}
	return q.finish(ctx, r, compare) // workers cannot delete, so the recording of a discarded result stays
}

// minRate is the lowest network speed, in bytes per second, at which a worker can fetch worlds and send recordings. 20
// kB/s is a guess: the speed of a modem.
const minRate = 20_000

// transferTime returns the maximum time for sending a recording to the server. It is 0 without a recording.
func transferTime(recording string) time.Duration {
	info, err := os.Stat(recording)
	if err != nil {
		return 0 // no recording

	}
	return seconds(float64(info.Size()) / minRate)
}

// putFile stores a file in the object store. It keeps a file that is stored already, because replacing it would need
// the right to delete.
func (q *queue) putFile(ctx context.Context, name, path string) error {
	if _, err := q.files.GetInfo(ctx, name); err == nil {
		return nil
	}
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = q.files.Put(ctx, jetstream.ObjectMeta{Name: name}, file)
	return err
}

// hold tells the server periodically that the job of msg is in progress. The caller ends this with stop.
func (w *Worker) hold(msg jetstream.Msg, lease time.Duration) (stop func()) {
	return console.Every(max(lease/3, 10*time.Millisecond), func(time.Duration) {
		// This fails if the server is away. The server may then give the job to another worker as well. The result that
		// is stored later is discarded.
		_ = msg.InProgress()
	})
}

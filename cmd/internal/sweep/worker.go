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
	// Execute does a job, whose world bundle returns, and returns the path of its recording, which it has put into
	// folder, "" for none. It fails where this process cannot do the job; what is wrong with the job is in the result.
	Execute(ctx context.Context, job *Job, record bool, folder string, bundle func() ([]byte, error)) (*Result, string,
		error)
}

// Worker takes jobs, one at a time.
type Worker struct {
	Name     string
	Version  string // of this program
	Probe    string // state hash of the probe run here
	Programs bool   // it may start the programs that worlds name
	Execute  Executor
	Late     func(*Result) // of a result that is dropped, since another worker's was there; may be nil
}

// ErrRefused is wrapped by errors that say why a sweep does not take a worker.
var ErrRefused = errors.New("this worker is refused")

const (
	// after which a job is given up: each of the workers that had it has died of it, or been killed
	mostDeliveries = 10
	askEvery       = time.Second // for work, where there is none
)

// admit says why a sweep does not take the worker.
func (w *Worker) admit(e *Entry) error {
	switch {
	case e.Version != w.Version:
		return fmt.Errorf("%w: sweep %s is of %q, this program is %q", ErrRefused, e.Name, e.Version, w.Version)
	case e.Probe != w.Probe:
		return fmt.Errorf("%w: the probe run of sweep %s ends in state %s, here in %s: its results would not be "+
			"those of the others", ErrRefused, e.Name, e.Probe, w.Probe)
	case e.Programs && !w.Programs:
		return fmt.Errorf("%w: worlds of sweep %s start programs, with your rights: a worker with --programs does",
			ErrRefused, e.Name)
	}
	return nil
}

// Serve takes jobs of all sweeps, one after the other, as long as there are some. It returns how many it has done, and
// an error that says which sweeps do not take the worker.
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
			unfit = append(unfit, fmt.Errorf("sweep %s: %w", id, err)) // a stranger's
			continue
		}
		if err := w.admit(&e); err != nil {
			unfit = append(unfit, err)
			continue
		}
		var q *queue
		err = patient(ctx, func() (err error) { q, err = joinQueue(ctx, js, reg, id); return err })
		if err != nil && q.gone(ctx) {
			continue // removed in between
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

// sweeps lists the sweeps of a server; none: it has had none.
func sweeps(ctx context.Context, js jetstream.JetStream) (reg jetstream.KeyValue, ids []string, err error) {
	if reg, err = openRegistry(ctx, js); err != nil || reg == nil {
		return nil, nil, err
	}
	ids, err = reg.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		err = nil
	}
	if js.Conn().IsClosed() {
		err = nats.ErrConnectionClosed // of which the library says nothing here
	}
	return reg, ids, err
}

// work takes jobs of a sweep until it is done, or ctx is.
func (w *Worker) work(ctx context.Context, q *queue, e Entry) (done int, err error) {
	folder, err := os.MkdirTemp("", "omnipitch-sweep-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	lost := time.Time{} // since when the server has not answered
	for ctx.Err() == nil {
		msg, err := next(ctx, q)
		if msg != nil {
			var did bool
			if did, err = w.do(ctx, q, &e, folder, msg); did {
				done++
			}
			if err != nil && !isLost(err) {
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
			if err != nil && !isLost(err) {
				return done, err
			}
			sleep(ctx, askEvery/10)
		default:
			lost = time.Time{}
		}
	}
	return done, ctx.Err()
}

// next fetches a job; nil: there is none now.
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

// over tells whether nothing is left, or will be, for this worker to take.
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

// do does the job of a message, and tells whether its result is the one that counts.
func (w *Worker) do(ctx context.Context, q *queue, e *Entry, folder string, msg jetstream.Msg) (bool, error) {
	job, err := readJob(q.id, msg.Subject(), msg.Data())
	if err != nil {
		return false, msg.Term() // nobody's job; the coordinator puts the one of that key into the queue again
	}
	meta, err := msg.Metadata()
	if err != nil {
		return false, err
	}
	if known, err := q.known(ctx, job.Key); err != nil || known {
		if err == nil {
			err = msg.Ack() // its worker has died in between
		}
		return false, err
	}
	begun := time.Now()
	var (
		result    *Result
		recording string
	)
	if meta.NumDelivered > mostDeliveries {
		result = &Result{}
		result.Error = fmt.Sprintf("%d workers have taken this run, and none has ended it", mostDeliveries)
	} else {
		defer w.hold(msg, e.Lease)() // also while a recording is on its way
		result, recording, err = w.Execute.Execute(ctx, job, e.Record, folder,
			func() ([]byte, error) { return q.bundle(ctx, job.Bundle) })
		if errors.Is(err, ErrRefused) && !e.Programs {
			result, err = &Result{}, nil
			result.Error = fmt.Sprintf("world %s starts programs, of which the sweep says nothing: none was started",
				job.Name)
		}
		if err != nil || ctx.Err() != nil {
			return false, errors.Join(err, msg.Nak())
		}
	}
	result.Job, result.World, result.Point, result.Seed = job.Key, job.World, job.Point, job.Seed
	result.Worker, result.Wall, result.Recording = w.Name, time.Since(begun).Seconds(), ""
	// A result that is there is worth more than the end of this process, and than a server that restarts.
	written, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin+onItsWay(recording))
	defer cancel()
	first, err := w.deliver(written, q, result, recording, !e.Programs)
	for err != nil && isLost(err) && written.Err() == nil && !q.js.Conn().IsClosed() {
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

// deliver stores a recording, then the result.
func (w *Worker) deliver(ctx context.Context, q *queue, r *Result, recording string, compare bool) (first bool,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second+onItsWay(recording))
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
	return q.finish(ctx, r, compare) // a recording of a result that is dropped stays: workers need no right to delete
}

// leastRate is what a network has to bring across, bytes a second, for a worker to fetch worlds and hand in recordings
// by it. A guess: a modem.
const leastRate = 20_000

// onItsWay bounds how long a recording takes to the server.
func onItsWay(recording string) time.Duration {
	info, err := os.Stat(recording)
	if err != nil {
		return 0 // there is none
	}
	return seconds(float64(info.Size()) / leastRate)
}

// putFile stores a file, unless it is there: to replace it would need the right to delete.
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

// hold tells the server again and again that the job is being done, until stop is called.
func (w *Worker) hold(msg jetstream.Msg, lease time.Duration) (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(max(lease/3, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				// of a server that is away: the job may go to another, and the second result is dropped
				_ = msg.InProgress()
			}
		}
	}()
	return func() { close(over); <-ended }
}

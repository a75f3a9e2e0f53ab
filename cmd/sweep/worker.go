package sweep

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/exit"
)

// Executor does jobs.
type Executor interface {
	// Execute does a job, whose world bundle returns, and returns the path of its recording, which it has put into folder, "" for none. It fails where
	// this process cannot do the job; what is wrong with the job is in the result.
	Execute(ctx context.Context, job *Job, record bool, folder string, bundle func() ([]byte, error)) (*Result, string, error)
}

// Worker takes jobs, one at a time.
type Worker struct {
	Name     string
	Version  string // of this program
	Probe    string // state hash of the probe run here
	Programs bool   // it may start the programs that worlds name
	Execute  Executor
	Ended    func(*Result) // after each job; may be nil
}

// ErrRefused is wrapped by errors that say why a sweep does not take a worker.
var ErrRefused = errors.New("this worker is refused")

const (
	mostDeliveries = 10               // after which a job is given up: each of the workers that had it has died of it, or been killed
	askEvery       = time.Second      // for work, where there is none
	answerWithin   = 90 * time.Second // of a server that restarts meanwhile
)

// admit says why a sweep does not take the worker.
func (w *Worker) admit(e *Entry) error {
	switch {
	case e.Version != w.Version:
		return fmt.Errorf("%w: sweep %s is of %q, this program is %q", ErrRefused, e.Name, e.Version, w.Version)
	case e.Probe != w.Probe:
		return fmt.Errorf("%w: the probe run of sweep %s ends in state %s, here in %s: its results would not be those of the others", ErrRefused, e.Name, e.Probe, w.Probe)
	case e.Programs && !w.Programs:
		return fmt.Errorf("%w: worlds of sweep %s start programs, with your rights: a worker with --programs does", ErrRefused, e.Name)
	}
	return nil
}

// Serve takes jobs of all sweeps, one after the other, as long as there are some. It returns how many it has done, and an error that says which sweeps
// do not take the worker.
func (w *Worker) Serve(ctx context.Context, nc *nats.Conn) (done int, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, err
	}
	reg, err := openRegistry(ctx, js)
	if err != nil || reg == nil {
		return 0, err
	}
	ids, err := reg.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	slices.Sort(ids)
	var refused []error
	for _, id := range ids {
		e, err := entry(ctx, reg, id)
		if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && e.Done {
			continue
		}
		if err != nil {
			return done, err
		}
		if err := w.admit(&e); err != nil {
			refused = append(refused, err)
			continue
		}
		q, err := joinQueue(ctx, js, reg, id)
		if err != nil && q.gone(ctx) {
			continue // removed in between
		}
		if err != nil {
			return done, fmt.Errorf("sweep %s: %w", e.Name, err)
		}
		n, err := w.work(ctx, q, e)
		if done += n; err != nil {
			return done, err
		}
	}
	return done, errors.Join(refused...)
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
				return done, exit.Lackingf("sweep %s: %w", e.Name, err)
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

// isLost tells whether an error is of the way to the server, or of one that has just begun again: it may be another the next time.
func isLost(err error) bool {
	for _, transient := range []error{nats.ErrNoResponders, nats.ErrTimeout, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrNoServers, errBehind,
		jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted, jetstream.ErrNoHeartbeat, jetstream.ErrNoStreamResponse, context.DeadlineExceeded} {
		if errors.Is(err, transient) {
			return true
		}
	}
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && answer.Code >= 500
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
	if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) {
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
	var job Job
	if err := json.Unmarshal(msg.Data(), &job); err != nil || subject(q.id, job.Key) != msg.Subject() {
		return false, msg.Term() // nobody's job
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
		err       error
	)
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered > mostDeliveries {
		result = &Result{}
		result.Error = fmt.Sprintf("%d workers have taken this run, and none has ended it", mostDeliveries)
	} else {
		stop := w.hold(msg, e.Lease)
		result, recording, err = w.Execute.Execute(ctx, &job, e.Record, folder, func() ([]byte, error) { return q.bundle(ctx, job.Bundle) })
		stop()
		if err != nil || ctx.Err() != nil {
			return false, errors.Join(err, msg.Nak())
		}
	}
	result.Job, result.World, result.Point, result.Seed = job.Key, job.World, job.Point, job.Seed
	result.Worker, result.Wall, result.Recording = w.Name, time.Since(begun).Seconds(), ""
	// A result that is there is worth more than the end of this process, and than a server that restarts.
	written, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
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
	if first && w.Ended != nil {
		w.Ended(result)
	}
	return first, msg.Ack()
}

// deliver stores a recording, then the result.
func (w *Worker) deliver(ctx context.Context, q *queue, r *Result, recording string, compare bool) (first bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
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
				_ = msg.InProgress() // of a server that is away: the job may go to another, and the second result is dropped
			}
		}
	}()
	return func() { close(over); <-ended }
}

func sleep(ctx context.Context, span time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(span):
	}
}

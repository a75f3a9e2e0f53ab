package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// Coordinator fills the queue of a sweep and collects the results.
type Coordinator struct {
	Plan     *Plan
	Entry    Entry // entry of the sweep, without the fields that the plan determines
	Connect  func() (*nats.Conn, error)
	Replicas int       // NATS servers that store each message; 0 means 1
	Workers  []*Worker // in this process
	// Progress, if not nil, is called with the number of finished runs, the number of failed runs, and the number of
	// results that existed when the sweep started.
	Progress func(done, failed, before int)

	jobs    map[string]*Job
	mu      sync.Mutex // guards results while jobs are put into the queue
	results map[string]*Result
	differ  map[string]*Result
	failed  int
	before  int
}

// Outcome is the outcome of a sweep.
type Outcome struct {
	*Plan
	// one result per job, in the order of the jobs; nil if the job has no result
	Results []*Result
	// results that differ from the first result of the same job
	Differ []*Result
	Fetch  func(ctx context.Context, r *Result) ([]byte, error) // reads the stored recording of a result
}

// Run runs the sweep until all jobs have results or ctx ends. It then calls the function use with the outcome, while
// the connection to the server is still open. It returns the errors of ctx and use, joined.
func (c *Coordinator) Run(ctx context.Context, use func(*Outcome) error) error {
	nc, err := c.Connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	e := c.Entry
	e.ID, e.Name, e.Programs, e.Jobs = c.Plan.ID, c.Plan.Name, c.Plan.Programs, len(c.Plan.Jobs)
	var q *queue
	if err := patient(ctx, func() (err error) {
		q, err = createQueue(ctx, nc, e.ID, e.Lease, max(c.Replicas, 1))
		return err
	}); err != nil {
		return err
	}
	c.jobs, c.results, c.differ = map[string]*Job{}, map[string]*Result{}, map[string]*Result{}
	for i := range c.Plan.Jobs {
		c.jobs[c.Plan.Jobs[i].Key] = &c.Plan.Jobs[i]
	}
	var watcher jetstream.KeyWatcher
	if err := patient(ctx, func() (err error) { watcher, err = q.results.WatchAll(ctx); return err }); err != nil {
		return err
	}
	for update := range watcher.Updates() {
		if update == nil {
			break // end of the existing results
		}
		c.addUpdate(update)
	}
	if nc.IsClosed() {
		return console.Unavailablef("NATS: %w", nats.ErrConnectionClosed)
	}
	c.before = len(c.results)
	c.progress()
	e.Done, e.Queued = len(c.results) == len(c.Plan.Jobs), false
	if err := patient(ctx, func() error { return q.announce(ctx, &e) }); err != nil {
		return err
	}
	if !e.Done {
		err = c.run(ctx, nc, q, &e, watcher)
	} else {
		_ = watcher.Stop() // fails only if the connection is closed
	}
	outcome := &Outcome{Plan: c.Plan, Fetch: func(ctx context.Context, r *Result) ([]byte, error) {
		return q.files.GetBytes(ctx, r.Stored)
	}}
	for i := range c.Plan.Jobs {
		key := c.Plan.Jobs[i].Key
		outcome.Results = append(outcome.Results, c.results[key])
		if other := c.differ[key]; other != nil {
			outcome.Differ = append(outcome.Differ, other)
		}
	}
	return errors.Join(err, use(outcome))
}

// run lets the workers of this process do jobs, and collects the results of all workers.
func (c *Coordinator) run(ctx context.Context, nc *nats.Conn, q *queue, e *Entry, watcher jetstream.KeyWatcher) error {
	inner, stop := context.WithCancel(ctx)
	failed := make(chan error, len(c.Workers)+1)
	var all sync.WaitGroup
	all.Go(func() {
		if err := c.supply(inner, q, e); err != nil && inner.Err() == nil {
			failed <- err
		}
	})
	for _, w := range c.Workers {
		all.Go(func() {
			var own *queue
			err := patient(inner, func() (err error) {
				own, err = joinQueue(inner, q.js, q.registry, q.id)
				return err
			})
			for err == nil && inner.Err() == nil { // work returns when the queue is empty, but a job may come back
				if _, err = w.work(inner, own, *e); err == nil {
					sleep(inner, askEvery/10)
				}
			}
			if err != nil && inner.Err() == nil {
				failed <- err
			}
		})
	}
	err := c.collect(ctx, nc, q, watcher, failed)
	stop()
	all.Wait() // supply writes Queued into the entry, so Done must be written after supply has returned
	if err == nil {
		e.Done, e.Queued = true, true
		err = patient(ctx, func() error { return q.announce(ctx, e) })
	}
	return err
}

// collect collects results until each job has one.
func (c *Coordinator) collect(ctx context.Context, nc *nats.Conn, q *queue, watcher jetstream.KeyWatcher,
	failed <-chan error) error {
	defer func() { _ = watcher.Stop() }() // fails only if the connection is closed
	back := make(chan struct{}, 1)
	nc.SetReconnectHandler(func(*nats.Conn) {
		select {
		case back <- struct{}{}:
		default:
		}
	})
	check := time.NewTicker(2 * askEvery)
	defer check.Stop()
	silent := 0 // checks at which the server had results that the watcher had not delivered
	for len(c.results) < len(c.Plan.Jobs) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failed:
			return err
		case <-back:
			// The server has restarted, so the watcher is dead. The library would notice that only after ten seconds.
			again, err := q.results.WatchAll(ctx)
			if err != nil && isTransient(err) {
				sleep(ctx, askEvery/4)
				select {
				case back <- struct{}{}:
				default: // already signalled
				}
				continue
			}
			if err != nil {
				return fmt.Errorf("NATS: %w", err)
			}
			_ = watcher.Stop() // the old watcher is dead
			watcher = again
		case <-check.C:
			// In a cluster, the server that feeds the watcher may have died. The library would notice that only after
			// twenty seconds.
			if !c.behind(ctx, q) {
				silent = 0
			} else if silent++; silent == 2 {
				silent = 0
				select {
				case back <- struct{}{}:
				default: // already signalled
				}
			}
		case update, ok := <-watcher.Updates():
			if !ok {
				return console.Unavailablef("NATS: %w", nats.ErrConnectionClosed)
			}
			silent = 0
			if update == nil {
				continue
			}
			c.addUpdate(update)
			c.progress()
		}
	}
	return nil
}

// behind reports whether the server has results that the watcher has not delivered yet.
func (c *Coordinator) behind(ctx context.Context, q *queue) bool {
	ctx, cancel := context.WithTimeout(ctx, askEvery)
	defer cancel()
	status, err := q.results.Status(ctx)
	return err == nil && status.Values() > uint64(len(c.results)+len(c.differ))
}

func (c *Coordinator) progress() {
	if c.Progress != nil {
		c.Progress(len(c.results), c.failed, c.before)
	}
}

// addUpdate handles a new value in the bucket of results. It keeps the first result of each job.
func (c *Coordinator) addUpdate(update jetstream.KeyValueEntry) {
	if update.Operation() != jetstream.KeyValuePut {
		return
	}
	r, differs := readResult(c.jobs, update.Key(), update.Value())
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r == nil:
	case differs:
		c.differ[r.Job] = r
	case c.results[r.Job] == nil:
		c.results[r.Job] = r
		if !r.Passed {
			c.failed++
		}
	}
}

// known returns the keys of the jobs that have a result.
func (c *Coordinator) known() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := map[string]bool{}
	for key := range c.results {
		known[key] = true
	}
	return known
}

// refillEvery is the period at which the coordinator checks that every job without a result is in the queue.
const refillEvery = 2 * time.Second

// supply fills the queue with jobs. It fills the queue again if the queue is empty although results are missing. This
// happens if a server has lost its last writes in a power failure, or if another client has overwritten a job.
func (c *Coordinator) supply(ctx context.Context, q *queue, e *Entry) error {
	for {
		if err := c.fill(ctx, q, e, c.known()); err != nil {
			return err
		}
		for left := uint64(1); left > 0; {
			if sleep(ctx, refillEvery); ctx.Err() != nil {
				return nil
			}
			err := patient(ctx, func() error {
				info, err := q.stream.Info(ctx)
				if err == nil {
					left = info.State.Msgs
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

// fill puts every job without a result into the queue. Jobs that are in the queue already stay there once.
func (c *Coordinator) fill(ctx context.Context, q *queue, e *Entry, known map[string]bool) error {
	stored := map[string]bool{}
	for i := range c.Plan.Jobs {
		job := c.Plan.Jobs[i]
		if known[job.Key] {
			continue
		}
		data := c.Plan.packed[job.Bundle]
		if job.Bundle == "" {
			packed, err := console.Await(ctx, func() (packed, error) { return c.Plan.seeded(&job) }, func(packed) {})
			data, job.Bundle = packed.data, packed.sum
			if err != nil {
				if err := c.refuse(ctx, q, &job, err); err != nil {
					return err
				}
				continue
			}
		}
		if !stored[job.Bundle] {
			if err := patient(ctx, func() error { return q.putBundle(ctx, job.Bundle, data) }); err != nil {
				return err
			}
			if c.Plan.packed[job.Bundle] != nil {
				stored[job.Bundle] = true
			}
		}
		if err := patient(ctx, func() error { return q.push(ctx, &job) }); err != nil {
			return err
		}
	}
	now := *e
	now.Queued = true
	return patient(ctx, func() error { return q.announce(ctx, &now) })
}

// refuse stores a failed result for a job whose seed gives no valid world. cause is the error of the world.
func (c *Coordinator) refuse(ctx context.Context, q *queue, job *Job, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r := &Result{Job: job.Key, World: job.World, Point: job.Point}
	r.Seed, r.Error = job.Seed, cause.Error()
	return patient(ctx, func() error { _, err := q.finish(ctx, r, true); return err })
}

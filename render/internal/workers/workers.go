// Package workers runs jobs on several goroutines, which wait for the next job without allocating.
package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Set is a set of goroutines. They run jobs together with the goroutine that calls Run.
type Set struct {
	Size int // number of workers, including the caller of Run
	jobs chan workerJob
	done sync.WaitGroup
	next atomic.Int64
}

// workerJob is one worker's part of a job. A goroutine may run several parts.
type workerJob struct {
	job    func(worker int)
	worker int
}

// New starts one worker for each processor that Go uses.
func New() *Set {
	c := &Set{Size: runtime.GOMAXPROCS(0), jobs: make(chan workerJob)}
	for range c.Size - 1 {
		go func() {
			for s := range c.jobs {
				s.job(s.worker)
				c.done.Done()
			}
		}()
	}
	return c
}

// Run calls job once for each worker, in parallel, and waits for all calls to return. The caller is worker 0.
func (c *Set) Run(job func(worker int)) {
	c.next.Store(0)
	c.done.Add(c.Size - 1)
	for worker := 1; worker < c.Size; worker++ {
		c.jobs <- workerJob{job, worker}
	}
	job(0)
	c.done.Wait()
}

// Next returns the next index of a piece of work. Within one Run, its callers get 0, 1, 2, …, and each index only
// once.
func (c *Set) Next() int { return int(c.next.Add(1)) - 1 }

// Close ends the goroutines.
func (c *Set) Close() { close(c.jobs) }

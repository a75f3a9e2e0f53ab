package tile

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workers is a set of goroutines. They run jobs together with the goroutine that calls run.
type workers struct {
	size int // number of workers, including the caller of run
	jobs chan workerJob
	done sync.WaitGroup
	next atomic.Int64
}

// workerJob is one worker's part of a job. A goroutine may run several parts.
type workerJob struct {
	job    func(worker int)
	worker int
}

func newWorkers() *workers {
	c := &workers{size: runtime.GOMAXPROCS(0), jobs: make(chan workerJob)}
	for range c.size - 1 {
		go func() {
			for s := range c.jobs {
				s.job(s.worker)
				c.done.Done()
			}
		}()
	}
	return c
}

// run calls job once for each worker, in parallel, and waits for all calls to return. The caller is worker 0.
func (c *workers) run(job func(worker int)) {
	c.next.Store(0)
	c.done.Add(c.size - 1)
	for worker := 1; worker < c.size; worker++ {
		c.jobs <- workerJob{job, worker}
	}
	job(0)
	c.done.Wait()
}

// nextJob returns the next index of a piece of work. Within one run, its callers get 0, 1, 2, …, and each index only
// once.
func (c *workers) nextJob() int { return int(c.next.Add(1)) - 1 }

func (c *workers) close() { close(c.jobs) }

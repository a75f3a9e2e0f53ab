package tile

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// crew is goroutines that share work with the one that gives it.
type crew struct {
	size int // with the one that gives it
	jobs chan share
	done sync.WaitGroup
	next atomic.Int64
}

// share is one worker's part of a job. A goroutine may carry out several.
type share struct {
	job    func(worker int)
	worker int
}

func newCrew() *crew {
	c := &crew{size: runtime.GOMAXPROCS(0), jobs: make(chan share)}
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

// together has every worker, and this one as number 0, do a job, and waits for them.
func (c *crew) together(job func(worker int)) {
	c.next.Store(0)
	c.done.Add(c.size - 1)
	for worker := 1; worker < c.size; worker++ {
		c.jobs <- share{job, worker}
	}
	job(0)
	c.done.Wait()
}

// take returns the numbers 0, 1, … to the workers of a job, each to one of them.
func (c *crew) take() int { return int(c.next.Add(1)) - 1 }

func (c *crew) close() { close(c.jobs) }

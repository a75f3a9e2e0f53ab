package gl

import "runtime"

// thread runs functions, one at a time, on one operating-system thread that holds a context.
type thread struct {
	jobs chan func() error
	done chan error
	ctx  *context
}

func newThread() (*thread, error) {
	t := &thread{jobs: make(chan func() error), done: make(chan error)}
	go t.run()
	return t, <-t.done
}

func (t *thread) run() {
	// Never unlocked, so that the thread ends with the goroutine, and with it the driver's thread-local state.
	runtime.LockOSThread()
	var err error
	t.ctx, err = newContext()
	t.done <- err
	if err != nil {
		return
	}
	for job := range t.jobs {
		t.done <- job()
	}
	t.ctx.destroy()
	t.done <- nil
}

// do runs the function job on the thread and waits until job returns. Only one call may run at a time.
func (t *thread) do(job func() error) error {
	t.jobs <- job
	return <-t.done
}

// stop destroys the context and ends the thread.
func (t *thread) stop() {
	close(t.jobs)
	<-t.done
}

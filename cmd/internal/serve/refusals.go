package serve

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// refusals prints refused commands of robots and logs them as the node of the simulator. The first is printed at once.
// Of those in the following refusalTime only the newest is printed, with their number, since a robot may send hundreds
// per second.
type refusals struct {
	out   io.Writer
	world string
	log   func(text string)
	after func(d time.Duration, f func()) (stop func() bool)

	mu     sync.Mutex
	count  int   // since the last line
	newest error // of those counted
	stop   func() bool
}

// refusalTime is the wall time between two lines. A guess: time to read a line.
const refusalTime = 5 * time.Second

func newRefusals(out io.Writer, world string, log func(text string)) *refusals {
	return &refusals{out: out, world: world, log: log, after: func(d time.Duration,
		f func()) func() bool {
		return time.AfterFunc(d, f).Stop
	}}
}

// report may be called from any goroutine.
func (r *refusals) report(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.newest = err
	if r.stop == nil {
		r.print()
		r.stop = r.after(refusalTime, r.next)
	}
}

// next prints what was counted during refusalTime.
func (r *refusals) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop = nil
	if r.count > 0 {
		r.print()
		r.stop = r.after(refusalTime, r.next)
	}
}

// close prints what was counted.
func (r *refusals) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != nil {
		r.stop()
	}
	if r.count > 0 {
		r.print()
	}
}

// print prints the newest refusal and the number of others.
func (r *refusals) print() {
	text := fmt.Sprintf("command refused: %v", r.newest)
	if more := r.count - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more since)", more)
	}
	r.count = 0
	fmt.Fprintf(r.out, "%s: %s\n", r.world, text)
	r.log(text)
}

package serve

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// refusals prints refused commands of robots and logs them as the node of the simulator does. A robot may send hundreds
// of such commands per second, so only the first refusal is printed at once. After that, one line is printed per
// refusalTime. It has the newest refusal and the number of the other refusals since the last line.
type refusals struct {
	out   io.Writer
	world string
	log   func(text string)
	after func(d time.Duration, f func()) (stop func() bool)

	mu     sync.Mutex
	count  int   // refusals since the last line
	newest error // newest refusal since the last line
	stop   func() bool
}

// refusalTime is the minimum wall time between two lines. 5 s is a guess: the time for reading a line.
const refusalTime = 5 * time.Second

func newRefusals(out io.Writer, world string, log func(text string)) *refusals {
	return &refusals{out: out, world: world, log: log, after: func(d time.Duration,
		f func()) func() bool {
		return time.AfterFunc(d, f).Stop
	}}
}

// report counts a refused command, and prints it if no line was printed during the last refusalTime. It may be called
// from any goroutine.
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

// next is called refusalTime after a line. It prints the refusals that were counted since.
func (r *refusals) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop = nil
	if r.count > 0 {
		r.print()
		r.stop = r.after(refusalTime, r.next)
	}
}

// close prints the refusals that were counted since the last line.
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

// print prints a line with the newest refusal and the number of the other refusals since the last line.
func (r *refusals) print() {
	text := fmt.Sprintf("command refused: %v", r.newest)
	if more := r.count - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more since)", more)
	}
	r.count = 0
	fmt.Fprintf(r.out, "%s: %s\n", r.world, text)
	r.log(text)
}

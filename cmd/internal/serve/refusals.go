package serve

import (
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// refusals prints refused commands of robots and logs them as the node of the simulator does. A robot may send hundreds
// of such commands per second, so at most one line is printed per refusalTime. It has the newest refusal and the number
// of the other refusals since the last line.
type refusals struct {
	out   io.Writer
	world string
	log   func(text string)
	limit *rate.Limiter // of lines

	mu     sync.Mutex
	count  int   // refusals since the last line
	newest error // newest refusal since the last line
}

// refusalTime is the minimum wall time between two lines. 5 s is a guess: the time for reading a line.
const refusalTime = 5 * time.Second

func newRefusals(out io.Writer, world string, log func(text string)) *refusals {
	return &refusals{out: out, world: world, log: log, limit: rate.NewLimiter(rate.Every(refusalTime), 1)}
}

// report counts a refused command, and prints it if no line was printed during the refusalTime before now. It may be
// called from any goroutine.
func (r *refusals) report(err error, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.newest = err
	if r.limit.AllowN(now, 1) {
		r.print()
	}
}

// close prints the refusals that were counted since the last line.
func (r *refusals) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
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

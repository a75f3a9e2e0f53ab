package serve

import (
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// refusals prints which commands of robots were refused, and logs it as the simulator's node, as often as limit lets it: a robot may send
// hundreds a second.
type refusals struct {
	out   io.Writer
	world string
	log   func(text string)
	limit rate.Sometimes
	count atomic.Int64 // since the last line
}

// report may be called from any goroutine.
func (r *refusals) report(err error) {
	r.count.Add(1)
	r.limit.Do(func() {
		text := fmt.Sprintf("command refused: %v", err)
		if more := r.count.Swap(0) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more since)", more)
		}
		fmt.Fprintf(r.out, "%s: %s\n", r.world, text)
		r.log(text)
	})
}

package serve

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// refusalsEvery is the least wall time between lines about refused commands: a robot may send hundreds a second.
const refusalsEvery = 5 * time.Second

// refusals prints which commands of robots were refused, and logs it as the simulator's node.
type refusals struct {
	mu        sync.Mutex
	out       io.Writer
	world     string
	log       func(text string)
	last      time.Time
	unprinted int
}

// report may be called from any goroutine.
func (r *refusals) report(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.last) < refusalsEvery {
		r.unprinted++
		return
	}
	more := ""
	if r.unprinted > 0 {
		more = fmt.Sprintf(" (and %d more since)", r.unprinted)
	}
	text := fmt.Sprintf("command refused: %v%s", err, more)
	fmt.Fprintf(r.out, "%s: %s\n", r.world, text)
	r.log(text)
	r.last, r.unprinted = time.Now(), 0
}

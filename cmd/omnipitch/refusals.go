package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// refusalsEvery is how often at most a refused command is told about: a robot may send hundreds a second.
const refusalsEvery = 5 * time.Second

// refusals tells on stderr which commands robots were refused.
type refusals struct {
	mu     sync.Mutex
	out    io.Writer
	world  string
	last   time.Time
	untold int
}

func newRefusals(out io.Writer, world string) *refusals { return &refusals{out: out, world: world} }

// tell may be called from any goroutine.
func (r *refusals) tell(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.last) < refusalsEvery {
		r.untold++
		return
	}
	more := ""
	if r.untold > 0 {
		more = fmt.Sprintf(" (and %d more since)", r.untold)
	}
	fmt.Fprintf(r.out, "%s: command refused: %v%s\n", r.world, err, more)
	r.last, r.untold = time.Now(), 0
}

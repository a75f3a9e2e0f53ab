package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// refusalsEvery is how often at most a refused command is told about: a robot may send hundreds a second.
const refusalsEvery = 5 * time.Second

// refusals tells on stderr, and in the log of the simulator's node, which commands robots were refused.
type refusals struct {
	mu     sync.Mutex
	out    io.Writer
	world  string
	log    func(text string)
	last   time.Time
	untold int
}

func newRefusals(out io.Writer, world string, log func(string)) *refusals {
	return &refusals{out: out, world: world, log: log}
}

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
	text := fmt.Sprintf("command refused: %v%s", err, more)
	fmt.Fprintf(r.out, "%s: %s\n", r.world, text)
	r.log(text)
	r.last, r.untold = time.Now(), 0
}

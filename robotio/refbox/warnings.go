package refbox

import (
	"fmt"
	"sync"
	"time"
)

// How long what is told is not repeated, wall time. Guesses: a person reads a line in the one, and has done something
// about it in the other.
const (
	briefly = time.Second
	quiet   = time.Minute
)

// warnings tell users what a peer does, each kind at most once in a while.
type warnings struct {
	say func(string) // nil: nobody listens
	mu  sync.Mutex
	at  map[string]time.Time // when a kind was told of
}

// warn tells of something unless it did so less than quiet ago.
func (w *warnings) warn(kind, format string, args ...any) bool {
	return w.tell(quiet, kind, format, args...)
}

// tell tells of something unless it did so a while ago, and returns whether it has. What tells kinds apart is not from
// the peer: there are few.
func (w *warnings) tell(unless time.Duration, kind, format string, args ...any) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if at, ok := w.at[kind]; ok && now.Sub(at) < unless {
		return false
	}
	if w.at == nil {
		w.at = map[string]time.Time{}
	}
	w.at[kind] = now
	if w.say != nil {
		w.say(fmt.Sprintf(format, args...))
	}
	return true
}

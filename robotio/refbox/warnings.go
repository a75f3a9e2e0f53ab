package refbox

import (
	"fmt"
	"sync"
	"time"
)

// Wall times for which a message of the same kind is not repeated. Guesses: time to read a line, and time to react.
const (
	briefly = time.Second
	quiet   = time.Minute
)

// warnings reports events of a peer to users and limits the rate of each kind.
type warnings struct {
	say  func(string) // may be nil
	mu   sync.Mutex
	last map[string]time.Time // time of the last message, by kind
}

// warn reports an event unless one of the same kind was reported less than quiet ago.
func (w *warnings) warn(kind, format string, args ...any) bool {
	return w.report(quiet, kind, format, args...)
}

// report reports an event unless one of the same kind was reported less than unless ago. It returns whether it
// reported. Kinds must not contain text from the peer, so that there are few.
func (w *warnings) report(unless time.Duration, kind, format string, args ...any) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if last, ok := w.last[kind]; ok && now.Sub(last) < unless {
		return false
	}
	if w.last == nil {
		w.last = map[string]time.Time{}
	}
	w.last[kind] = now
	if w.say != nil {
		w.say(fmt.Sprintf(format, args...))
	}
	return true
}

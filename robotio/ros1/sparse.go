package ros1

import (
	"log/slog"
	"sync"
	"time"
)

// maxWarnings bounds how many lines per second peers that misbehave can make a node write. A guess: a person reads
// fewer.
const maxWarnings = 10

// sparse counts the warnings about peers.
type sparse struct {
	mu    sync.Mutex
	begin time.Time // of the second that is counted
	count int       // in it
	left  int       // lines left out since the last that was written
}

// allow says whether a line may be written now, and how many were left out before it.
func (s *sparse) allow(now time.Time) (left int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.begin) >= time.Second {
		s.begin, s.count = now, 0
	}
	if s.count++; s.count > maxWarnings {
		s.left++
		return 0, false
	}
	left, s.left = s.left, 0
	return left, true
}

// warnPeer logs what a peer did wrong, unless peers do so all the time: then it counts.
func (n *Node) warnPeer(text string, args ...any) {
	left, ok := n.warnings.allow(time.Now())
	if !ok {
		return
	}
	if left > 0 {
		args = append(args, slog.Int("left_out", left))
	}
	n.log.Warn("ros node: "+text, append([]any{"node", n.name}, args...)...)
}

package farm

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

// proof is what a worker has drawn as the run does: frames of a camera at a level.
type proof struct {
	sensor int
	tag    uint64 // of its newest frame
}

// sample is a frame that a worker draws beside whoever it belongs to.
type sample struct {
	peer *peer
	what proof
	name string

	mu   sync.Mutex
	sums [2][sha256.Size]byte // of the run's, of the peer's
	have [2]bool
}

// got takes the peer's images.
func (s *sample) got(images []byte) { s.set(1, sha256.Sum256(images)) }

// drawn takes the checksum of the run's.
func (s *sample) drawn(sum [sha256.Size]byte) { s.set(0, sum) }

func (s *sample) set(side int, sum [sha256.Size]byte) {
	s.mu.Lock()
	s.sums[side], s.have[side] = sum, true
	whole, same := s.have[0] && s.have[1], s.sums[0] == s.sums[1]
	s.mu.Unlock()
	if !whole {
		return
	}
	h := s.peer.host
	defer h.drawOwed()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !same {
		s.peer.refuse(fmt.Sprintf("it draws other pictures: %s, by %s here and by %s there", s.name, h.draws(),
			s.peer.draws))
		return
	}
	if len(s.peer.proven) == 0 {
		h.cfg.Notify(fmt.Sprintf("worker %s draws images", s.peer.name))
	}
	s.peer.proven[s.what] = true
}

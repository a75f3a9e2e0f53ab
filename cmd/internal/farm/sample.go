package farm

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

// proof identifies frames that a worker renders identically: a camera at a level.
type proof struct {
	sensor int
	tag    uint64 // of its newest frame
}

// sample is a frame that a worker renders in addition to its owner.
type sample struct {
	peer *peer
	what proof
	name string

	mu   sync.Mutex
	sums [2][sha256.Size]byte // checksums: of the owner, of the peer
	have [2]bool
}

// got receives the peer's images.
func (s *sample) got(images []byte) { s.set(1, sha256.Sum256(images)) }

// drawn receives the checksum of the owner's images.
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
		s.peer.refuse(fmt.Sprintf("it renders different images: %s, with %s here and %s there", s.name, h.draws(),
			s.peer.draws))
		return
	}
	if len(s.peer.proven) == 0 {
		h.cfg.Notify(fmt.Sprintf("worker %s renders images", s.peer.name))
	}
	s.peer.proven[s.what] = true
}

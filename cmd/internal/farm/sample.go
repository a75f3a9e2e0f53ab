package farm

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

// proof identifies the frames of one camera at one level. A worker has proven that it renders such frames with the same
// bytes as the run.
type proof struct {
	sensor int
	tag    uint64 // identifies the level of the frames
}

// sample is a comparison of two renderings of one frame. The owner of the camera renders the frame for the robots, and
// a worker renders the frame again.
type sample struct {
	peer *peer
	what proof
	name string

	mu   sync.Mutex
	sums [2][sha256.Size]byte // checksum of the images of the owner, then of the worker
	have [2]bool
}

// got is called with the images that the worker has rendered.
func (s *sample) got(images []byte) { s.set(1, sha256.Sum256(images)) }

// drawn is called with the checksum of the images that the owner has rendered.
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

package python

import (
	"fmt"
	"math"
	"sync"
)

const (
	// maxMemory is the largest size of the shared memory, 16 GiB. It is a guess. The address space is reserved at once,
	// so that the arrays never move; the memory is allocated as it is needed.
	maxMemory = 1 << 34
	// alignment is that of all arrays, in bytes: a line of the processor's cache.
	alignment = 64
)

// memory is memory shared with another process: a file without a name. It only grows.
type memory struct {
	fd   int
	data []byte // of maxMemory bytes, of which the first size are allocated

	mu   sync.Mutex
	size int // size of the file
	used int
}

// allocate returns the offset of n bytes, which are 0.
func (m *memory) allocate(n int) (offset int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > maxMemory-m.used {
		return 0, fmt.Errorf("shared memory: the observations of all simulations need more than %d GiB", maxMemory>>30)
	}
	offset = m.used
	if end := aligned(offset + n); end > m.size {
		size := min(maxMemory, max(end, m.size+m.size/2, 1<<20))
		if err := grow(m.fd, m.size, size); err != nil {
			return 0, fmt.Errorf("shared memory of %d bytes: %w", size, err)
		}
		m.size = size
	}
	m.used = aligned(offset + n)
	return offset, nil
}

func (m *memory) mapped() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.size
}

// aligned returns the least multiple of alignment that is not below n.
func aligned(n int) int {
	if n > math.MaxInt-alignment {
		return math.MaxInt - alignment + 1
	}
	return (n + alignment - 1) &^ (alignment - 1)
}

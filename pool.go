package omnipitch

import "sync"

// pool keeps what may be used again, for any goroutine.
type pool[T any] struct {
	mu   sync.Mutex
	free []T
}

// get returns what was put back last; false when there is nothing.
func (p *pool[T]) get() (x T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return x, false
	}
	x = p.free[n-1]
	p.free = p.free[:n-1]
	return x, true
}

func (p *pool[T]) put(x T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, x)
}

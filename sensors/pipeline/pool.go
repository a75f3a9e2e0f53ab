package pipeline

import (
	"sync"
	"sync/atomic"
)

// pool keeps what may be used again, for any goroutine. What goes round between two of them takes no lock.
type pool[T any] struct {
	last atomic.Pointer[T]
	mu   sync.Mutex
	free []*T
}

// get returns something that was put back; nil when there is nothing.
func (p *pool[T]) get() *T {
	if x := p.last.Swap(nil); x != nil {
		return x
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return nil
	}
	x := p.free[n-1]
	p.free = p.free[:n-1]
	return x
}

func (p *pool[T]) put(x *T) {
	if p.last.CompareAndSwap(nil, x) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, x)
}

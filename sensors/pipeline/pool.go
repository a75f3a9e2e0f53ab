package pipeline

import (
	"sync"
	"sync/atomic"
)

// pool keeps values for reuse. Any goroutine may use it. A get that follows each put takes no lock.
type pool[T any] struct {
	last atomic.Pointer[T]
	mu   sync.Mutex
	free []*T
}

// get removes and returns a value, or returns nil if the pool is empty.
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

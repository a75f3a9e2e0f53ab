package pipeline

import (
	"sync"
	"sync/atomic"
)

// pool keeps values for reuse. Any goroutine may use it. As long as calls of put and get alternate, starting with an
// empty pool, they take no lock.
type pool[T any] struct {
	last atomic.Pointer[T]
	mu   sync.Mutex
	free []*T
}

// get removes a value from the pool and returns it. If the pool is empty, get returns nil.
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

package light

import (
	"math"
	"sync"
)

// content tells things apart by the numbers that they are made of: the hash of Fowler, Noll and Vo (1a, of 64 bits).
type content uint64

const noContent content = 14695981039346656037

// with returns the content with more numbers.
func (c content) with(numbers ...float64) content {
	for _, x := range numbers {
		c = c.and(content(math.Float64bits(x)))
	}
	return c
}

// and returns the content of both.
func (c content) and(other content) content {
	for range 8 {
		c = (c ^ other&0xff) * 1099511628211
		other >>= 8
	}
	return c
}

// known keeps what takes long to compute and does not change, by the content that it depends on: the renderers of a
// world share it, and those of worlds that are alike in it. It keeps what was asked for last. Any goroutine may use it.
type known[T any] struct {
	most int // that it keeps
	mu   sync.Mutex
	of   map[content]*value[T]
	now  int
}

type value[T any] struct {
	once sync.Once
	is   T
	used int
}

// get returns what is kept of a content, or computes it. Two that ask at once wait for one computation.
func (k *known[T]) get(of content, compute func() T) T {
	k.mu.Lock()
	if k.of == nil {
		k.of = map[content]*value[T]{}
	}
	v := k.of[of]
	if v == nil {
		if len(k.of) >= k.most {
			k.forget()
		}
		v = &value[T]{}
		k.of[of] = v
	}
	k.now++
	v.used = k.now
	k.mu.Unlock()
	v.once.Do(func() { v.is = compute() })
	return v.is
}

// forget removes what has not been asked for the longest.
func (k *known[T]) forget() {
	var oldest content
	used := math.MaxInt
	for of, v := range k.of {
		if v.used < used {
			oldest, used = of, v.used
		}
	}
	delete(k.of, oldest)
}

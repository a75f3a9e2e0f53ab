package light

import (
	"math"
	"sync"
)

// content is a hash of the numbers that describe something: 64-bit FNV-1a.
type content uint64

const noContent content = 14695981039346656037

// with returns the hash of c followed by numbers.
func (c content) with(numbers ...float64) content {
	for _, x := range numbers {
		c = c.and(content(math.Float64bits(x)))
	}
	return c
}

// and returns the hash of c followed by other.
func (c content) and(other content) content {
	for range 8 {
		c = (c ^ other&0xff) * 1099511628211
		other >>= 8
	}
	return c
}

// cache stores results that are expensive to compute and never change. The key of a result is the hash of the content
// that the result depends on. All renderers of a world share the cache, and so do worlds with the same content. When
// the cache is full, it drops the least recently used result. Any goroutine may use it.
type cache[T any] struct {
	most    int // largest number of stored results
	mu      sync.Mutex
	entries map[content]*entry[T]
	clock   int // counts calls of get
}

type entry[T any] struct {
	once   sync.Once
	result T
	used   int // clock at the last call of get that returned this result
}

// get returns the result for a content, and computes the result if it is not stored. Of concurrent calls for the same
// content, one computes and the others wait.
func (c *cache[T]) get(key content, compute func() T) T {
	c.mu.Lock()
	if c.entries == nil {
		c.entries = map[content]*entry[T]{}
	}
	e := c.entries[key]
	if e == nil {
		if len(c.entries) >= c.most {
			c.evict()
		}
		e = &entry[T]{}
		c.entries[key] = e
	}
	c.clock++
	e.used = c.clock
	c.mu.Unlock()
	e.once.Do(func() { e.result = compute() })
	return e.result
}

// evict removes the least recently used result.
func (c *cache[T]) evict() {
	var oldest content
	used := math.MaxInt
	for key, e := range c.entries {
		if e.used < used {
			oldest, used = key, e.used
		}
	}
	delete(c.entries, oldest)
}

package quantity

import "sync"

// blob is the value of a quantity of bytes in the current message.
type blob struct {
	name string
	data []byte
	free func() // returns data to its owner once it has been sent
}

// Blob returns the bytes of a quantity. It calls build once for each message, although a message needs both their
// number and the bytes themselves.
func (c *Context) Blob(name string, build func() (data []byte, free func())) []byte {
	for i := range c.blobs {
		if c.blobs[i].name == name {
			return c.blobs[i].data
		}
	}
	data, free := build()
	c.blobs = append(c.blobs, blob{name, data, free})
	return data
}

// ResetBlobs starts a message without blobs.
func (c *Context) ResetBlobs() { c.blobs = c.blobs[:0] }

// DetachBlob returns the first blob of a message, which get builds, and the function that releases it. FreeBlobs does
// not release it any more.
func (c *Context) DetachBlob(get func(*Context) []byte) (data []byte, free func()) {
	data = get(c)
	free, c.blobs[0].free = c.blobs[0].free, nil
	return data, free
}

// FreeBlobs releases the blobs of the current message, which must have been copied by then.
func (c *Context) FreeBlobs() {
	for i := range c.blobs {
		if free := c.blobs[i].free; free != nil {
			free()
		}
	}
}

// blob adds a quantity of bytes. build appends them to a buffer from a pool.
func (q *Set) blob(name string, build func(c *Context, into []byte) []byte) {
	pool := &sync.Pool{New: func() any { return new([]byte) }}
	q.Blobs[name] = func(c *Context) []byte {
		return c.Blob(name, func() ([]byte, func()) {
			buf := pool.Get().(*[]byte)
			*buf = build(c, (*buf)[:0])
			return *buf, func() { pool.Put(buf) }
		})
	}
}

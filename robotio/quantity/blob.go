package quantity

import "sync"

// blob is the value of a quantity of bytes in the current message.
type blob struct {
	name string
	data []byte
	free func() // returns data to its owner once it has been sent
}

// Blob returns the bytes of the quantity with the given name. A message needs the number of bytes and the bytes
// themselves, but Blob calls the function build only once for each message.
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

// ResetBlobs starts a new message, which has no blobs yet.
func (c *Context) ResetBlobs() { c.blobs = c.blobs[:0] }

// DetachBlob returns the first blob of a message and the function free, which releases the blob. The function get
// builds the blob. FreeBlobs does not release a detached blob.
func (c *Context) DetachBlob(get func(*Context) []byte) (data []byte, free func()) {
	data = get(c)
	free, c.blobs[0].free = c.blobs[0].free, nil
	return data, free
}

// FreeBlobs releases the blobs of the current message. The caller must have copied them before.
func (c *Context) FreeBlobs() {
	for i := range c.blobs {
		if free := c.blobs[i].free; free != nil {
			free()
		}
	}
}

// blob adds a quantity of bytes. The function build appends the bytes to a buffer, which comes from a pool, and returns
// the buffer.
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

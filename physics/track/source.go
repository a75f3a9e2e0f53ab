package track

import (
	"io"
	"sort"
)

// Source stores the blocks of a log.
type Source interface {
	// From returns a function that returns the blocks one after the other, beginning with the first one of the episode
	// that ends in the given step or later. A block is valid until the next call. After the last block the function
	// returns io.EOF. Blocks of later episodes may follow.
	From(episode int, step int64) (next func() ([]byte, error))
}

// Blocks stores a log in memory. It is a Source, and its method Add can be a Log's sink.
type Blocks struct {
	headers []Header
	blocks  [][]byte
}

// Add appends a copy of a block.
func (b *Blocks) Add(h Header, block []byte) {
	b.headers = append(b.headers, h)
	b.blocks = append(b.blocks, append([]byte(nil), block...))
}

// From implements Source.
func (b *Blocks) From(episode int, step int64) func() ([]byte, error) {
	at := sort.Search(len(b.headers), func(i int) bool {
		h := &b.headers[i]
		return h.Episode > episode || h.Episode == episode && h.Last >= step
	})
	return func() ([]byte, error) {
		if at == len(b.blocks) {
			return nil, io.EOF
		}
		at++
		return b.blocks[at-1], nil
	}
}

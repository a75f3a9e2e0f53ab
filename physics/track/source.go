package track

import (
	"io"
	"sort"
)

// Source holds the blocks of a log.
type Source interface {
	// From returns the blocks in their order, from the first one on whose last step in an episode is the given one or
	// later: a function that returns the next block, valid until the following call, and io.EOF behind the last. Blocks
	// of later episodes may follow.
	From(episode int, step int64) (next func() ([]byte, error))
}

// Blocks is a log in memory: a Source, and with Add what a Log gives its blocks.
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

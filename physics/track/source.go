package track

import (
	"fmt"
	"math"
	"sort"

	"github.com/omnipitch/omnipitch/physics"
)

// Source holds the blocks of a log, in their order.
type Source interface {
	// Find returns the first block of an episode whose last step is the given one or later; it may be of a later episode, or behind the last.
	Find(episode int, step int64) (block int, err error)
	// Block returns a block, valid until the next call, or nil behind the last.
	Block(block int) ([]byte, error)
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

// Find implements Source.
func (b *Blocks) Find(episode int, step int64) (int, error) {
	return sort.Search(len(b.headers), func(i int) bool {
		h := &b.headers[i]
		return h.Episode > episode || h.Episode == episode && h.Last >= step
	}), nil
}

// Block implements Source.
func (b *Blocks) Block(i int) ([]byte, error) {
	if i >= len(b.blocks) {
		return nil, nil
	}
	return b.blocks[i], nil
}

// cursor is a place in a log: a state of an episode.
type cursor struct {
	source  Source
	model   *physics.Model
	episode int
	decoder Decoder
	block   int // which the decoder has
	row     int
}

// load decodes a block, unless it is the present one, and tells whether it is of the episode.
func (c *cursor) load(block int) (ok bool, err error) {
	if c.decoder.Len() > 0 && block == c.block {
		return true, nil
	}
	data, err := c.source.Block(block)
	if err != nil || data == nil {
		return false, err
	}
	h, err := ReadHeader(data)
	if err != nil || h.Episode != c.episode {
		return false, err
	}
	if _, err = c.decoder.Decode(data); err != nil {
		return false, fmt.Errorf("steps %d to %d: %w", h.First, h.Last, err)
	}
	if d := &c.decoder; d.robots != len(c.model.Robots) || d.obstacles != len(c.model.Obstacles) || d.step != c.model.Step {
		d.rows = 0
		return false, fmt.Errorf("the log's states have %d robots, %d obstacles and steps of %v: the world has %d, %d and %v",
			d.robots, d.obstacles, d.step, len(c.model.Robots), len(c.model.Obstacles), c.model.Step)
	}
	c.block = block
	return true, nil
}

// ready tells whether there is a state: not before the first seek, nor after an error.
func (c *cursor) ready() bool { return c.row < c.decoder.Len() }

// back returns to a state of before.
func (c *cursor) back(block, row int) error {
	_, err := c.load(block)
	c.row = row
	return err
}

// seek goes to the first state of a step, or of the first one after it that the log has. It returns false, and stays somewhere, if there is none.
func (c *cursor) seek(step int64) (ok bool, err error) {
	block, err := c.source.Find(c.episode, step)
	if err != nil {
		return false, err
	}
	if ok, err = c.load(block); !ok {
		return false, err
	}
	c.row = 0
	return c.forward(step)
}

// forward is seek for a step that does not lie before the present state.
func (c *cursor) forward(step int64) (ok bool, err error) {
	for {
		for ; c.row < c.decoder.Len(); c.row++ {
			if at, _ := c.at(); at >= step {
				return true, nil
			}
		}
		if ok, err = c.load(c.block + 1); !ok {
			return false, err
		}
		c.row = 0
	}
}

// at returns the present state's step, and tells whether it came after Settle; after an error the lowest step.
func (c *cursor) at() (step int64, settled bool) {
	if !c.ready() {
		return math.MinInt64, false
	}
	return c.decoder.StepOf(c.row)
}

// advance goes to the next state of the log if it is of the same step, and came before Settle or if after is set. Else it stays.
func (c *cursor) advance(after bool) (ok bool, err error) {
	step, _ := c.at()
	block, row := c.block, c.row
	if c.row+1 < c.decoder.Len() {
		c.row++
	} else {
		if ok, err = c.load(c.block + 1); !ok {
			return false, err
		}
		c.row = 0
	}
	next, settled := c.at()
	if next == step && (after || !settled) {
		return true, nil
	}
	return false, c.back(block, row)
}

package track

import (
	"fmt"
	"io"
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// cursor is a place in a log: a state of an episode, from start on. A method that fails stays at the step.
type cursor struct {
	source  Source
	model   *physics.Model
	episode int
	next    func() ([]byte, error) // the blocks behind ahead
	block   *Decoder               // with the present state
	row     int
	ahead   *Decoder // the block after that, if it has any states
}

// at returns the present state's step, and tells whether it came after Settle.
func (c *cursor) at() (step int64, settled bool) { return c.block.StepOf(c.row) }

// decode reads the next block, and returns io.EOF if there is none of the episode.
func (c *cursor) decode(next func() ([]byte, error), d *Decoder) error {
	data, err := next()
	if err != nil {
		return err
	}
	h, err := ReadHeader(data)
	if err != nil {
		return err
	}
	if h.Episode != c.episode {
		return io.EOF
	}
	if _, err = d.Decode(data); err != nil {
		return fmt.Errorf("steps %d to %d: %w", h.First, h.Last, err)
	}
	if d.robots != len(c.model.Robots) || d.obstacles != len(c.model.Obstacles) || d.step != c.model.Step {
		return fmt.Errorf("steps %d to %d: their states have %d robots, %d obstacles and steps of %v: the world has "+
			"%d, %d and %v",
			h.First, h.Last, d.robots, d.obstacles, d.step, len(c.model.Robots), len(c.model.Obstacles), c.model.Step)
	}
	return nil
}

// look reads the block behind the present one, if that has not been done, and returns io.EOF if there is none.
func (c *cursor) look() error {
	if c.ahead.Len() > 0 {
		return nil
	}
	return c.decode(c.next, c.ahead)
}

// enter goes to a state of the block behind the present one.
func (c *cursor) enter(row int) {
	c.block, c.ahead, c.row = c.ahead, c.block, row
	c.ahead.clear()
}

// start goes to the first state of the episode. It returns io.EOF if there is none.
func (c *cursor) start() error {
	next, block := c.source.From(c.episode, math.MinInt64), &Decoder{}
	if err := c.decode(next, block); err != nil {
		return err
	}
	c.next, c.block, c.row, c.ahead = next, block, 0, &Decoder{}
	return nil
}

// seek goes to the first state of a step. It returns io.EOF if the log has none.
func (c *cursor) seek(step int64) error {
	next, block := c.source.From(c.episode, step), &Decoder{}
	if err := c.decode(next, block); err != nil {
		return err
	}
	row, ok := block.find(0, step)
	if !ok {
		return io.EOF
	}
	c.next, c.block, c.row, c.ahead = next, block, row, &Decoder{}
	return nil
}

// forward goes to the first state of a later step. It returns io.EOF if that does not follow.
func (c *cursor) forward(step int64) error { return c.from(step, false) }

// skip goes to the first state of the next step that the log has. It returns io.EOF if there is none.
func (c *cursor) skip() error {
	step, _ := c.at()
	return c.from(step+1, true)
}

// from goes to the first state of a later step, or if later is set, of one after that which the log leaves out. It
// returns io.EOF if there is none.
func (c *cursor) from(step int64, later bool) error {
	for {
		row, ok := c.block.find(c.row, step)
		if row < c.block.Len() {
			if !ok && !later {
				return io.EOF
			}
			c.row = row
			return nil
		}
		if err := c.look(); err != nil {
			return err
		}
		if row, ok = c.ahead.find(0, step); row < c.ahead.Len() && !ok && !later {
			return io.EOF
		}
		c.enter(min(row, c.ahead.Len()-1)) // the last one if the block has states of the present step alone
	}
}

// advance goes to the next state if it is of the same step, and came before Settle or if after is set; else it returns
// io.EOF.
func (c *cursor) advance(after bool) error {
	step, _ := c.at()
	if c.row+1 < c.block.Len() {
		if next, settled := c.block.StepOf(c.row + 1); next != step || settled && !after {
			return io.EOF
		}
		c.row++
		return nil
	}
	if err := c.look(); err != nil {
		return err
	}
	if next, settled := c.ahead.StepOf(0); next != step || settled && !after {
		return io.EOF
	}
	c.enter(0)
	return nil
}

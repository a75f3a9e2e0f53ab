package track

import (
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Playback is an engine that computes nothing: it returns the states of an episode of a log, whatever the commands.
// Step moves to the first state of the next step. After a body was placed, at any position, the next Snapshot returns
// the next state of the step, if the log has a further state. Settle skips the
// states that external placements caused, so that the caller need not repeat these placements. A Playback belongs to
// one goroutine at a time.
type Playback struct {
	cursor cursor
	placed bool  // a body was placed since the last Snapshot
	err    error // error of a damaged log, which later steps return
}

var _ physics.Settler = (*Playback)(nil)

// NewPlayback returns an engine at the first state of an episode. It fails if the log has no state of the episode, or
// if the states do not fit the model.
func NewPlayback(model *physics.Model, source Source, episode int) (*Playback, error) {
	p := &Playback{cursor: cursor{source: source, model: model, episode: episode}}
	switch err := p.cursor.start(); err {
	case nil:
		return p, nil
	case io.EOF:
		return nil, fmt.Errorf("the log of states has no episode %d", episode)
	default:
		return nil, err
	}
}

// Step implements physics.Engine. If the log has no state of the next step, Step fails, and the position does not
// change.
func (p *Playback) Step([]physics.Command) error { return p.goTo(p.step()+1, p.cursor.forward) }

// next moves to the first state of the next step that the log has. It returns io.EOF at the last step.
func (p *Playback) next() error {
	if p.err != nil {
		return p.err
	}
	err := p.cursor.skip()
	if err == nil {
		p.placed = false
	} else if err != io.EOF {
		p.err = err
	}
	return err
}

// step returns the current step.
func (p *Playback) step() int64 {
	step, _ := p.cursor.current()
	return step
}

// GoTo moves to the observed state of a step: the last state before Settle. If the log has no state of this step, GoTo
// fails, and the position does not change.
func (p *Playback) GoTo(step int64) error {
	if err := p.goTo(step, p.cursor.seek); err != nil {
		return err
	}
	p.Settle()
	return p.err
}

// goTo moves to the first state of a step with the given method of the cursor.
func (p *Playback) goTo(step int64, by func(int64) error) error {
	if p.err != nil {
		return p.err
	}
	switch err := by(step); err {
	case nil:
		p.placed = false
		return nil
	case io.EOF:
		return fmt.Errorf("step %d: the log has no state of it in episode %d", step, p.cursor.episode)
	default:
		p.err = err
		return err
	}
}

// Snapshot implements physics.Engine.
func (p *Playback) Snapshot(s *physics.Snapshot) {
	if p.placed {
		p.placed = false
		p.advance(true)
	}
	p.cursor.block.State(p.cursor.row, s)
}

// Settle implements physics.Settler.
func (p *Playback) Settle() (changed bool) {
	p.placed = false
	for p.advance(false) {
		changed = true
	}
	return changed
}

// advance moves to the next state of the step, and keeps an error for the next step.
func (p *Playback) advance(after bool) bool {
	if p.err != nil {
		return false
	}
	err := p.cursor.advance(after)
	if err != nil && err != io.EOF {
		p.err = err
	}
	return err == nil
}

// Push implements physics.Engine. It does nothing, because the recorded states contain its effect.
func (p *Playback) Push(physics.BodyID, mgl64.Vec3, mgl64.Vec3) {}

// MoveJoints implements physics.Engine. It does nothing, like Push.
func (p *Playback) MoveJoints(int, []int, []physics.JointTarget) error { return nil }

// PlayAnimation implements physics.Engine. It does nothing, like Push.
func (p *Playback) PlayAnimation(int, int) error { return nil }

// PlaceRobot implements physics.Engine.
func (p *Playback) PlaceRobot(int, spatial.Pose, spatial.Twist) error { return p.place() }

// PlaceObstacle implements physics.Engine.
func (p *Playback) PlaceObstacle(int, spatial.Pose, spatial.Twist) error { return p.place() }

// PlaceBall implements physics.Engine.
func (p *Playback) PlaceBall(mgl64.Vec3, spatial.Twist) error { return p.place() }

func (p *Playback) place() error {
	p.placed = true
	return p.err
}

// Close implements physics.Engine. It does nothing.
func (p *Playback) Close() {}

// cursor is a position in a log: one state of an episode. A method that fails leaves the position in the same step.
type cursor struct {
	source  Source
	model   *physics.Model
	episode int
	next    func() ([]byte, error) // reads the blocks that follow the block in the field ahead
	block   *Decoder               // holds the current state
	row     int
	ahead   *Decoder // holds the next block if it has been read; otherwise empty
}

// current returns the step of the current state, and reports whether this state came after Settle.
func (c *cursor) current() (step int64, settled bool) { return c.block.StepOf(c.row) }

// decode reads the next block. It returns io.EOF if the episode has no more blocks.
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
	if want := shapeOf(c.model); d.robots != want.robots || d.obstacles != want.obstacles || d.step != want.step ||
		d.joints != want.joints || d.feet != want.feet && d.feet != 0 { // older states have no feet
		return fmt.Errorf("steps %d to %d: their states have %d robots, %d obstacles, %d joints, %d feet and steps of "+
			"%v: the world has %d, %d, %d, %d and %v", h.First, h.Last, d.robots, d.obstacles, d.joints, d.feet, d.step,
			want.robots, want.obstacles, want.joints, want.feet, want.step)
	}
	return nil
}

// loadNext reads the next block if it has not been read. It returns io.EOF if there is no next block.
func (c *cursor) loadNext() error {
	if c.ahead.Len() > 0 {
		return nil
	}
	return c.decode(c.next, c.ahead)
}

// enterNext moves to a state of the next block.
func (c *cursor) enterNext(row int) {
	c.block, c.ahead, c.row = c.ahead, c.block, row
	c.ahead.clear()
}

// start moves to the first state of the episode. It returns io.EOF if the log has no such state.
func (c *cursor) start() error {
	next, block := c.source.From(c.episode, math.MinInt64), &Decoder{}
	if err := c.decode(next, block); err != nil {
		return err
	}
	c.next, c.block, c.row, c.ahead = next, block, 0, &Decoder{}
	return nil
}

// seek moves to the first state of a step. It returns io.EOF if the log has no state of this step.
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

// forward moves to the first state of a later step. It returns io.EOF if the log has no state of that step.
func (c *cursor) forward(step int64) error { return c.moveTo(step, false) }

// skip moves to the first state of the next step that the log has. It returns io.EOF at the last step.
func (c *cursor) skip() error {
	step, _ := c.current()
	return c.moveTo(step+1, true)
}

// moveTo moves to the first state of a later step. If the log has no state of this step and the argument later is true,
// it moves to the first state after this step. It returns io.EOF if the log has no such state.
func (c *cursor) moveTo(step int64, later bool) error {
	for {
		row, ok := c.block.find(c.row, step)
		if row < c.block.Len() {
			if !ok && !later {
				return io.EOF
			}
			c.row = row
			return nil
		}
		if err := c.loadNext(); err != nil {
			return err
		}
		if row, ok = c.ahead.find(0, step); row < c.ahead.Len() && !ok && !later {
			return io.EOF
		}
		c.enterNext(min(row, c.ahead.Len()-1)) // the last row if all states of the block are of the current step
	}
}

// advance moves to the next state of the same step. It moves to a state that came after Settle only if afterSettle is
// true. If there is no such state, advance returns io.EOF.
func (c *cursor) advance(afterSettle bool) error {
	step, _ := c.current()
	if c.row+1 < c.block.Len() {
		if next, settled := c.block.StepOf(c.row + 1); next != step || settled && !afterSettle {
			return io.EOF
		}
		c.row++
		return nil
	}
	if err := c.loadNext(); err != nil {
		return err
	}
	if next, settled := c.ahead.StepOf(0); next != step || settled && !afterSettle {
		return io.EOF
	}
	c.enterNext(0)
	return nil
}

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

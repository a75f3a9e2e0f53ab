package track

import (
	"fmt"
	"io"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Playback is an engine that computes nothing: it returns the states of an episode of a log, whatever the commands.
// Step moves to the first state of the next step. After a body was placed, at any position, the next Snapshot returns
// the next state of the step, if the log has a further state. Settle moves to the last state that the log has before
// Settle, so that the caller need not repeat external placements. A Playback belongs to one goroutine at a time.
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

// goTo moves to the first state of a step by a method of the cursor.
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

package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// beside is an engine with the states of the recorded run, which is run again beside the Sim: for another world, where
// there are no exact states.
type beside struct {
	run  *Replay
	now  physics.Snapshot
	next []physics.Snapshot // as they were observed; memory behind
}

// newBeside returns an engine before the run's first state.
func newBeside(run *Replay) *beside {
	b := &beside{run: run}
	run.OnStep(func(s *physics.Snapshot) {
		n := len(b.next)
		b.next = slices.Grow(b.next, 1)[:n+1]
		s.CopyTo(&b.next[n])
	})
	return b
}

// begin goes to the beginning of the episode that follows, for a world with a model.
func (b *beside) begin(model *physics.Model) error {
	if err := b.advance(); err != nil {
		return err
	}
	switch s := &b.now; {
	case s.Step != 0:
		return fmt.Errorf("the other world begins again after %v, when the recorded one does not", s.Time)
	case len(s.Robots) != len(model.Robots) || len(s.Obstacles) != len(model.Obstacles):
		return fmt.Errorf("the recorded world has %d robots and %d obstacles: the other one has %d and %d",
			len(s.Robots), len(s.Obstacles), len(model.Robots), len(model.Obstacles))
	}
	return nil
}

// advance goes to the next state: the first step of an episode shows two.
func (b *beside) advance() error {
	if len(b.next) == 0 {
		if err := b.run.Step(); err != nil {
			return err
		}
	}
	b.next[0].CopyTo(&b.now)
	if len(b.next) == 2 {
		b.next[0], b.next[1] = b.next[1], b.next[0]
	}
	b.next = b.next[:len(b.next)-1]
	return nil
}

// Step implements physics.Engine.
func (b *beside) Step([]physics.Command) error {
	if err := b.advance(); err != nil {
		return err
	}
	if b.now.Step == 0 {
		return errors.New("the recorded world begins again, when the other one does not")
	}
	return nil
}

// Snapshot implements physics.Engine.
func (b *beside) Snapshot(s *physics.Snapshot) { b.now.CopyTo(s) }

// PlaceRobot implements physics.Engine: bodies are where they were.
func (b *beside) PlaceRobot(int, spatial.Pose, spatial.Twist) error { return nil }

// PlaceObstacle implements physics.Engine.
func (b *beside) PlaceObstacle(int, spatial.Pose, spatial.Twist) error { return nil }

// PlaceBall implements physics.Engine.
func (b *beside) PlaceBall(mgl64.Vec3, spatial.Twist) error { return nil }

// Close implements physics.Engine: another episode may follow.
func (b *beside) Close() {}

var _ physics.Engine = (*beside)(nil)

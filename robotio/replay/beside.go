package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// beside is an engine that does not compute states. It gets them from a second Sim, which runs the recorded world
// again. A replay with another world uses this engine if the recording lacks exact states.
type beside struct {
	run  *Replay
	now  physics.Snapshot
	next []physics.Snapshot // observed states that have not been returned yet; the memory beyond its length is reused
}

// newBeside returns an engine whose next state is the first state of the run.
func newBeside(run *Replay) *beside {
	b := &beside{run: run}
	run.OnStep(func(s *physics.Snapshot) {
		n := len(b.next)
		b.next = slices.Grow(b.next, 1)[:n+1]
		s.CopyTo(&b.next[n])
	})
	return b
}

// begin moves to the beginning of the next episode. model is the model of the episode's world.
func (b *beside) begin(model *physics.Model) error {
	if err := b.advance(); err != nil {
		return err
	}
	switch s := &b.now; {
	case s.Step != 0:
		return fmt.Errorf("the other world restarts after %v, but the recorded one does not", s.Time)
	case len(s.Robots) != len(model.Robots) || len(s.Obstacles) != len(model.Obstacles):
		return fmt.Errorf("the recorded world has %d robots and %d obstacles: the other one has %d and %d",
			len(s.Robots), len(s.Obstacles), len(model.Robots), len(model.Obstacles))
	}
	return nil
}

// advance moves to the next state. In the first step of an episode, the second Sim reports two states.
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
		return errors.New("the recorded world restarts, but the other one does not")
	}
	return nil
}

// Snapshot implements physics.Engine.
func (b *beside) Snapshot(s *physics.Snapshot) { b.now.CopyTo(s) }

// PlaceRobot implements physics.Engine. It does nothing, because the recorded states determine where all bodies are.
func (b *beside) PlaceRobot(int, spatial.Pose, spatial.Twist) error { return nil }

// PlaceObstacle implements physics.Engine.
func (b *beside) PlaceObstacle(int, spatial.Pose, spatial.Twist) error { return nil }

// PlaceBall implements physics.Engine.
func (b *beside) PlaceBall(mgl64.Vec3, spatial.Twist) error { return nil }

// Close implements physics.Engine. It does nothing, because another episode may follow.
func (b *beside) Close() {}

var _ physics.Engine = (*beside)(nil)

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
	run     *Replay
	now     physics.Snapshot
	episode int           // index of the episode that the replay shows
	next    []besideState // observed states; the memory beyond its length is reused
	taken   int           // number of states in next that have been returned
}

// besideState is an observed state of the second Sim, with the index of its episode.
type besideState struct {
	episode int
	physics.Snapshot
}

// newBeside returns an engine whose next state is the first state of the run.
func newBeside(run *Replay) *beside {
	b := &beside{run: run, episode: -1}
	run.OnStep(func(s *physics.Snapshot) {
		n := len(b.next)
		b.next = slices.Grow(b.next, 1)[:n+1]
		b.next[n].episode = run.episode
		s.CopyTo(&b.next[n].Snapshot)
	})
	return b
}

// begin moves to the beginning of the next episode. model is the model of the episode's world.
func (b *beside) begin(model *physics.Model) error {
	b.episode++
	if err := b.advance(); err != nil {
		return err
	}
	if b.next[b.taken-1].episode > b.episode { // nobody observed the next episode: it ended before its first state
		b.taken--
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

// advance moves to the next state. One step of the second Sim reports several states if an episode begins in it.
func (b *beside) advance() error {
	if b.taken == len(b.next) {
		b.next, b.taken = b.next[:0], 0
		if err := b.run.Step(); err != nil {
			return err
		}
	}
	b.next[b.taken].CopyTo(&b.now)
	b.taken++
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

// Push implements physics.Engine. It does nothing, because the recorded states contain its effect.
func (b *beside) Push(physics.BodyID, mgl64.Vec3, mgl64.Vec3) {}

// MoveJoints implements physics.Engine. It does nothing, like Push.
func (b *beside) MoveJoints(int, []int, []physics.JointTarget) error { return nil }

// PlayAnimation implements physics.Engine. It does nothing, like Push.
func (b *beside) PlayAnimation(int, int) error { return nil }

// PlaceRobot implements physics.Engine. It does nothing, because the recorded states determine where all bodies are.
func (b *beside) PlaceRobot(int, spatial.Pose, spatial.Twist) error { return nil }

// PlaceObstacle implements physics.Engine.
func (b *beside) PlaceObstacle(int, spatial.Pose, spatial.Twist) error { return nil }

// PlaceBall implements physics.Engine.
func (b *beside) PlaceBall(mgl64.Vec3, spatial.Twist) error { return nil }

// Close implements physics.Engine. It does nothing, because another episode may follow.
func (b *beside) Close() {}

var _ physics.Engine = (*beside)(nil)

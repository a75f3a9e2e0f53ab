package omnipitch

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// push is a force, N, and a torque, N m, on a body, both in W.
type push struct {
	name            string // of the body
	forceW, torqueW mgl64.Vec3
	from, until     time.Duration // sim times; until is −1 for a push without an end
}

// maxPushes is the maximum number of pushes that have not ended. 1000 is a guess.
const maxPushes = 1000

func (e externalActions) Push(name string, forceW, torqueW mgl64.Vec3, from, d time.Duration) error {
	if _, err := e.body(name); err != nil || d == 0 {
		return err
	}
	if len(e.pushes) == maxPushes {
		return fmt.Errorf("name = %q: there are %d pushes already, and stop_pushes ends them: must be at most %d", name,
			len(e.pushes), maxPushes)
	}
	step := e.world.Time.Step
	p := push{name, forceW, torqueW, max(e.truth.Time, (from+step-1)/step*step), -1}
	if d > 0 {
		p.until = p.from + d
	}
	e.pushes = append(e.pushes, p)
	return nil
}

func (e externalActions) StopPushes(name string) error {
	_, err := e.body(name)
	if err == nil {
		e.pushes = slices.DeleteFunc(e.pushes, func(p push) bool { return p.name == name })
	}
	return err
}

// body returns the ball, robot or obstacle with a name.
func (s *Sim) body(name string) (physics.BodyID, error) {
	if name == "ball" {
		return s.model.BallID(), nil
	}
	for i := range s.model.Robots {
		if s.model.Robots[i].Name == name {
			return s.model.RobotID(i), nil
		}
	}
	for i := range s.model.Obstacles {
		if s.model.Obstacles[i].Name == name {
			return s.model.ObstacleID(i), nil
		}
	}
	return 0, fmt.Errorf("name = %q: there is no such robot or obstacle, and it is not \"ball\"", name)
}

// push lets the pushes act in the next step.
func (s *Sim) push() {
	now, dt := s.truth.Time, s.world.Time.Step
	for i := range s.pushes {
		p := &s.pushes[i]
		if body, err := s.body(p.name); err == nil && now >= p.from {
			s.engine.Push(body, p.forceW.Mul(dt.Seconds()), p.torqueW.Mul(dt.Seconds()))
		}
	}
	s.pushes = slices.DeleteFunc(s.pushes, func(p push) bool { return p.until >= 0 && now+dt >= p.until })
}

func (s *Sim) exchangePushes(c *keyframe.Codec) {
	c.Part("pushes", "")
	keyframe.Slice(c, &s.pushes, func(p *push, c *keyframe.Codec) {
		keyframe.Text(c, &p.name)
		c.Floats(p.forceW[:])
		c.Floats(p.torqueW[:])
		c.Duration(&p.from)
		c.Duration(&p.until)
	})
}

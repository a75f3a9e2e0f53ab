package command

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Push is a force, N, and a torque, N m, on a body for some time, both in W.
type Push struct {
	Body            physics.BodyID
	ForceW, TorqueW mgl64.Vec3
	From, Until     time.Duration // sim times; Until is −1 for a push without an end
}

// MaxPushes is the maximum number of pushes that have not ended. 1000 is a guess.
const MaxPushes = 1000

// Push adds a push. It fails if there are MaxPushes already.
func (q *Queue) Push(p Push) error {
	if len(q.pushes) == MaxPushes {
		return fmt.Errorf("there are %d pushes already, and stop_pushes ends them: must be at most %d", MaxPushes,
			MaxPushes)
	}
	q.pushes = append(q.pushes, p)
	return nil
}

// StopPushes ends all pushes on a body.
func (q *Queue) StopPushes(body physics.BodyID) {
	q.pushes = slices.DeleteFunc(q.pushes, func(p Push) bool { return p.Body == body })
}

// ActPushes lets the pushes act on the engine's next step, which begins at the sim time now and takes the time dt.
func (q *Queue) ActPushes(engine physics.Engine, now, dt time.Duration) {
	for i := range q.pushes {
		if p := &q.pushes[i]; now >= p.From {
			engine.Push(p.Body, p.ForceW.Mul(dt.Seconds()), p.TorqueW.Mul(dt.Seconds()))
		}
	}
	q.pushes = slices.DeleteFunc(q.pushes, func(p Push) bool { return p.Until >= 0 && now+dt >= p.Until })
}

func (q *Queue) exchangePushes(c *keyframe.Codec) {
	c.Part("pushes", "")
	bodies := len(q.model.Robots) + len(q.model.Obstacles) + 1
	keyframe.Slice(c, &q.pushes, func(p *Push, c *keyframe.Codec) {
		body := int(p.Body)
		c.Int(&body)
		if p.Body = physics.BodyID(body); body < 0 || body >= bodies {
			c.Fail(fmt.Errorf("push on body %d: must lie in [0, %d)", body, bodies))
		}
		c.Floats(p.ForceW[:])
		c.Floats(p.TorqueW[:])
		c.Duration(&p.From)
		c.Duration(&p.Until)
	})
}

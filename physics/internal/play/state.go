package play

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Exchange implements physics.Keeper.
func (e *Engine) Exchange(c *keyframe.Codec) error {
	if e.err != nil {
		return e.err
	}
	c.Part("engine", e.model.Config.Engine)
	robots, obstacles, joints, feet := len(e.now.Robots), len(e.now.Obstacles), len(e.now.Joints), len(e.now.Feet)
	c.Value(&e.now)
	c.Check(len(e.now.Robots) == robots && len(e.now.Obstacles) == obstacles,
		"has %d robots and %d obstacles, the model %d and %d", len(e.now.Robots), len(e.now.Obstacles), robots, obstacles)
	c.Check(len(e.now.Joints) == joints && len(e.now.Feet) == feet, "has %d joints and %d feet, the model %d and %d",
		len(e.now.Joints), len(e.now.Feet), joints, feet)
	c.Check(e.now.Time == time.Duration(e.now.Step)*e.model.Step, "has step %d at %v", e.now.Step, e.now.Time)
	if c.Err() != nil {
		return e.restored(c)
	}
	e.linkWalkers()
	for i := range e.robots {
		e.robots[i].exchange(c)
		c.Value(&e.setpoints[i])
		e.joints[i].exchange(c)
		if w := e.walkers[i]; w != nil {
			w.exchange(c)
		}
		e.motions[i].exchange(c)
	}
	for i := range e.absent {
		c.Bool(&e.absent[i])
	}
	e.possession.Exchange(c)
	e.events.Exchange(c)
	e.ball.Exchange(c)
	if err := e.bodies.Exchange(c); err != nil {
		c.Fail(err)
		return err
	}
	return e.restored(c)
}

// restored returns the error of restoring a state, which makes the engine unusable.
func (e *Engine) restored(c *keyframe.Codec) error {
	if c.Err() != nil {
		e.err = fmt.Errorf("restoring the state: %w", c.Err())
	}
	return c.Err()
}

func (r *robot) exchange(c *keyframe.Codec) {
	r.stuck.Exchange(c)
	c.Bools(&r.wasStuck, &r.wheels)
	c.Value(&r.extension.now)
	c.Float(&r.extension.out)
	c.Float(&r.extension.rest)
	for i := range r.arms {
		c.Float(&r.arms[i].rim)
		c.Float(&r.arms[i].integral)
	}
	c.Value(&r.reach)
}

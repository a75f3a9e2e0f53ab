package physics

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// maxStep is the longest step in which contacts still hold. Guess: a robot at 5 m/s moves by its radius.
const maxStep = 50 * time.Millisecond

// Validate reports every rule that the scene breaks: those that stand at the fields, and those that span several.
func (s *Scene) Validate() error {
	c := check{scene: s}
	if s.Step <= 0 || s.Step > maxStep {
		c.fail("time", "step_ms", s.Step.Seconds()*1e3, "must lie in (0, 50]")
	}
	f := &s.Field
	if f.GoalDepth+netThickness > f.Border {
		c.fail("field", "border_m", f.Border, fmt.Sprintf("must hold the goal, which is %.3g m deep with its net", f.GoalDepth+netThickness))
	}
	if f.GoalWidth+2*f.PostWidth > f.Width {
		c.fail("field", "goal_width_m", f.GoalWidth, "must leave room for the posts within width_m")
	}
	for i := range s.Robots {
		c.robot(fmt.Sprintf("robot[%d]", i), &s.Robots[i])
	}
	c.places()
	return errors.Join(schema.Check(s), errors.Join(c.list...))
}

// check gathers the rules that span several keys.
type check struct {
	scene *Scene
	list  []error
}

func (c *check) fail(path, key string, value any, rule string) {
	c.list = append(c.list, &schema.Violation{Path: path, Key: key, Value: value, Rule: rule})
}

func (c *check) robot(path string, r *Robot) {
	if _, err := r.Drive.OmniWheels(); err != nil {
		c.fail(path+".drive", "wheel_angles_deg", nil, err.Error())
	}
	if r.Body.CoMZ >= r.Body.Height {
		c.fail(path+".body", "com_height_m", r.Body.CoMZ, "must lie below height_m")
	}
	d, ball := r.Dribbler, c.scene.Ball.Radius
	if d == nil {
		return
	}
	if d.Hold <= ball {
		c.fail(path+".dribbler", "hold_m", d.Hold, fmt.Sprintf("must be more than the ball's radius of %.3g m", ball))
	}
	if most := r.Body.Radius + ball + d.Reach; d.Hold > most {
		c.fail(path+".dribbler", "hold_m", d.Hold, fmt.Sprintf("must be at most %.3g m, where reach_m ends", most))
	}
}

// places reports what starts outside the boards, or where something else is.
func (c *check) places() {
	s := c.scene
	x, y := s.Field.Length/2+s.Field.Border, s.Field.Width/2+s.Field.Border
	var taken []footprint
	for _, g := range s.Field.Goals() {
		for _, b := range s.Field.GoalFrame(g) {
			taken = append(taken, boxFootprint("a goal", b))
		}
		for _, b := range s.Field.GoalCage(g) {
			taken = append(taken, boxFootprint("a goal", b))
		}
	}
	within := func(path string, p footprint) {
		w, h := p.extent()
		if !(math.Abs(p.x)+w <= x && math.Abs(p.y)+h <= y) { // so that NaN fails
			c.fail(path, "", nil, "must stand within the boards around the field")
		}
	}
	claim := func(path string, p footprint) {
		within(path, p)
		for _, other := range taken {
			if p.overlaps(&other) {
				c.fail(path, "", nil, "must not overlap with "+other.name)
				break
			}
		}
		taken = append(taken, p)
	}
	for i := range s.Robots {
		r, name := &s.Robots[i], fmt.Sprintf("robot[%d]", i)
		claim(name+".pose", footprint{name: name, x: r.Pose.Pos[0], y: r.Pose.Pos[1], radius: r.Body.Radius, top: r.Body.Height})
	}
	for i := range s.Obstacles {
		o, name := &s.Obstacles[i], fmt.Sprintf("obstacle[%d]", i)
		claim(name+".pose", footprint{name: name, x: o.Pose.Pos[0], y: o.Pose.Pos[1], top: o.Height,
			halfX: o.SizeX / 2, halfY: o.SizeY / 2, heading: o.Pose.Heading()})
	}
	// The ball may start anywhere: whatever covers it pushes it out gently.
	within("ball", footprint{x: s.Ball.X, y: s.Ball.Y, radius: s.Ball.Radius})
}

package physics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// maxWheelShare is the largest share of a robot's mass that its wheels have at level rollers: the rest must stand on them.
const maxWheelShare = 0.5

// maxStep is the longest step in which contacts still hold. Guess: a robot at 5 m/s moves by its radius.
const maxStep = 50 * time.Millisecond

// Validate reports every rule that the model breaks: those that stand at the fields, and those that span several.
func (s *Model) Validate() error {
	c := check{model: s}
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
	model *Model
	list  []error
}

func (c *check) fail(path, key string, value any, rule string) {
	c.list = append(c.list, &schema.Violation{Path: path, Key: key, Value: value, Rule: rule})
}

func (c *check) robot(path string, r *Robot) {
	c.drive(path+".drive", &r.Drive)
	if d := &r.Drive; d.Level == RollersDrive {
		rollers := d.RollerSet()
		wheels := float64(len(d.AllWheels())) * (rollers.Hub + float64(rollers.PerWheel)*rollers.Mass)
		if wheels > maxWheelShare*r.Body.Mass {
			c.fail(path+".drive.rollers", "hub_mass_kg", rollers.Hub, fmt.Sprintf("makes wheels of %.3g kg together, more than half of the robot's mass_kg", wheels))
		}
	}
	if r.Body.CoMZ >= r.Body.Height {
		c.fail(path+".body", "com_height_m", r.Body.CoMZ, "must lie below height_m")
	}
	if k := r.Kicker; k != nil {
		for i := 1; i < len(k.Strengths); i++ {
			if k.Strengths[i].Asked <= k.Strengths[i-1].Asked {
				c.fail(fmt.Sprintf("%s.kicker.strength[%d]", path, i), "asked", k.Strengths[i].Asked, "must be more than the one before")
			}
		}
	}
	if b := &r.Body; (b.Length > 0) != (b.Width > 0) {
		c.fail(path+".body", "length_m", b.Length, "a box-shaped hull needs length_m and width_m")
	} else if corner := math.Hypot(b.Length, b.Width) / 2; b.Radius < corner-1e-3 {
		c.fail(path+".body", "radius_m", b.Radius, fmt.Sprintf("must reach the corners of the box, %.4g m", corner))
	}
	d, ball := r.Dribbler, c.model.Ball.Radius
	if d == nil {
		return
	}
	if least := r.Body.Front() + ball; r.Body.Boxed() && d.Hold < least {
		c.fail(path+".dribbler", "hold_m", d.Hold, fmt.Sprintf("must be at least %.4g m: a box-shaped hull has no mouth for the ball", least))
	} else if least := r.Body.Front() + ball/3; d.Hold < least { // MSL rules: who has the ball covers at most a third of it
		c.fail(path+".dribbler", "hold_m", d.Hold, fmt.Sprintf("must be at least %.4g m: the rules let the hull cover a third of the ball", least))
	}
	if most := r.Body.Front() + ball + d.Reach; d.Hold > most {
		c.fail(path+".dribbler", "hold_m", d.Hold, fmt.Sprintf("must be at most %.4g m, where reach_m ends", most))
	}
}

func (c *check) drive(path string, d *Drive) {
	wheels := "wheel_angles_deg"
	if len(d.Wheels) > 0 {
		wheels = "wheel"
	}
	if _, err := d.WheelSet(); err != nil {
		c.fail(path, wheels, nil, err.Error())
	} else if !d.stands() && d.Level != ChassisDrive && d.Level != KinematicDrive {
		c.fail(path, wheels, nil, "wheels and casters must surround the centre, or the robot falls over")
	}
	if n := len(d.Casters); n > MaxCasters {
		c.fail(path, "caster", nil, fmt.Sprintf("%d casters: must be at most %d", n, MaxCasters))
	}
	if d.Level == KinematicDrive && c.model.Config.Engine != "planar" {
		c.fail(path, "level", string(d.Level), "needs engine = \"planar\" in [physics]; on ode: rollers, wheels or chassis")
	}
	if d.Level != RollersDrive {
		return
	}
	for _, w := range d.AllWheels() {
		if w.Kind != OmniWheel || math.Abs(math.Sin(w.Roller)) < 1-1e-9 {
			c.fail(path, "level", string(d.Level), "needs omni wheels with rollers straight across")
			return
		}
	}
	rollers := d.RollerSet()
	if rollers.PerWheel%2 != 0 {
		c.fail(path+".rollers", "per_wheel", rollers.PerWheel, "must be even")
	}
	if least := d.WheelRadius * (1 - math.Cos(rollers.HalfAngle())); rollers.Radius <= least || rollers.Radius > d.WheelRadius/2 {
		c.fail(path+".rollers", "radius_m", rollers.Radius, fmt.Sprintf("must lie in (%.4g, %.4g], or barrels do not make up the wheel's circle", least, d.WheelRadius/2))
	}
}

// stands tells whether the centre lies within the polygon of all contact points.
func (d *Drive) stands() bool {
	var bearings []float64
	for _, w := range d.AllWheels() {
		bearings = append(bearings, math.Atan2(w.Y, w.X))
	}
	for _, k := range d.Casters {
		bearings = append(bearings, math.Atan2(k.Y, k.X))
	}
	slices.Sort(bearings)
	for i, b := range bearings {
		next := bearings[(i+1)%len(bearings)]
		if i == len(bearings)-1 {
			next += 2 * math.Pi
		}
		if next-b >= math.Pi-1e-6 {
			return false
		}
	}
	return len(bearings) > 2
}

// places reports what starts outside the boards, or where something else is.
func (c *check) places() {
	s := c.model
	x, y := s.Field.Length/2+s.Field.Border, s.Field.Width/2+s.Field.Border
	var taken []footprint
	for _, g := range s.Field.Goals() {
		for _, b := range s.Field.GoalPosts(g) {
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
		p := footprint{name: name, x: r.Pose.Pos[0], y: r.Pose.Pos[1], radius: r.Body.Radius, top: r.Body.Height}
		if r.Body.Boxed() {
			p.radius, p.halfX, p.halfY, p.heading = 0, r.Body.Length/2, r.Body.Width/2, r.Pose.Heading()
		}
		claim(name+".pose", p)
	}
	for i := range s.Obstacles {
		o, name := &s.Obstacles[i], fmt.Sprintf("obstacle[%d]", i)
		claim(name+".pose", footprint{name: name, x: o.Pose.Pos[0], y: o.Pose.Pos[1], top: o.Height,
			halfX: o.SizeX / 2, halfY: o.SizeY / 2, heading: o.Pose.Heading()})
	}
	// The ball may start anywhere: whatever covers it pushes it out gently.
	within("ball", footprint{x: s.Ball.X, y: s.Ball.Y, radius: s.Ball.Radius})
}

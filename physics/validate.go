package physics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// maxWheelShare is the largest fraction of a robot's mass that its wheels may have at level rollers. The wheels carry
// the remaining mass.
const maxWheelShare = 0.5

// maxStep is the longest step at which contacts still work. 50 ms is a guess: in this time a robot at 5 m/s moves by
// its radius.
const maxStep = 50 * time.Millisecond

// Validate returns an error with all rules that the model breaks: rules of single fields, and rules that span several
// fields.
func (s *Model) Validate() error {
	c := check{model: s}
	if s.Step <= 0 || s.Step > maxStep {
		c.fail("Step", s.Step, "must lie in (0, 50] ms")
	}
	f := &s.Field
	if f.HasGoals && f.GoalDepth+netThickness > f.Border {
		c.fail("Field.Border", f.Border, fmt.Sprintf("must hold the goal, which is %.3g m deep with its net",
			f.GoalDepth+netThickness))
	}
	if f.HasGoals && f.GoalWidth+2*f.PostWidth > f.Width {
		c.fail("Field.GoalWidth", f.GoalWidth, "must leave room for the posts within {Width}")
	}
	for i := range s.Robots {
		c.robot(fmt.Sprintf("Robots[%d]", i), &s.Robots[i])
	}
	c.list = append(c.list, s.validatePlaces(func(string) bool { return true }, false)...)
	return errors.Join(rules.Check(s), errors.Join(c.list...))
}

// check collects violations of the rules that span several fields.
type check struct {
	model *Model
	list  []error
}

func (c *check) fail(field string, value any, rule string) {
	c.list = append(c.list, &rules.Violation{Field: field, Value: value, Rule: rule})
}

func (c *check) robot(path string, r *Robot) {
	c.drive(path+".Drive", &r.Drive, &r.Body)
	c.links(path, r)
	if r.Drive.Legged() && r.Trunk == nil {
		c.fail(path+".Drive.Level", string(r.Drive.Level), "needs a robot with legs")
	}
	if r.Drive.Legged() && (r.Dribbler != nil || r.Extension != nil) {
		c.fail(path+".Drive.Level", string(r.Drive.Level), "needs a robot without {Dribbler} and {Extension}, which "+
			"act from the hull of a robot on wheels")
	}
	if r.Drive.Level == WalkDrive && r.Drive.Walk == nil {
		c.fail(path+".Drive.Level", string(WalkDrive), "needs {Walk}")
	}
	if d := &r.Drive; d.Level == RollersDrive {
		set := d.RollerSet()
		wheels := float64(len(d.AllWheels())) * (set.Hub + float64(set.PerWheel)*set.Mass)
		if wheels > maxWheelShare*r.Body.Mass {
			c.fail(path+".Drive.Rollers.Hub", set.Hub, fmt.Sprintf("makes wheels of %.3g kg together, more than half "+
				"of the robot's {Body.Mass}", wheels))
		}
	}
	if err := r.validateMotion(); err != nil {
		c.fail(path+".Animations", nil, err.Error())
	}
	if r.Body.CoMZ >= r.Body.Height {
		c.fail(path+".Body.CoMZ", r.Body.CoMZ, "must lie below {Height}")
	}
	if k := r.Kicker; k != nil {
		for i := 1; i < len(k.Strengths); i++ {
			if k.Strengths[i].Asked <= k.Strengths[i-1].Asked {
				c.fail(fmt.Sprintf("%s.Kicker.Strengths[%d].Asked", path, i), k.Strengths[i].Asked,
					"must be more than the one before")
			}
		}
	}
	if b := &r.Body; (b.Length > 0) != (b.Width > 0) {
		c.fail(path+".Body.Length", b.Length, "a box-shaped hull needs {Length} and {Width}")
	} else if corner := math.Hypot(b.Length, b.Width) / 2; b.Radius < corner-1e-3 {
		c.fail(path+".Body.Radius", b.Radius, fmt.Sprintf("must reach the corners of the box, %.4g m", corner))
	}
	d, ball := r.Dribbler, c.model.Ball.Radius
	if d == nil {
		return
	}
	if least := r.Body.Front() + ball; r.Body.Boxed() && d.Hold < least {
		c.fail(path+".Dribbler.Hold", d.Hold, fmt.Sprintf("must be at least %.4g m: a box-shaped hull has no mouth "+
			"for the ball", least))
	} else if least := r.Body.Front() +
		ball/3; d.Hold < least { // MSL rules: the robot that has the ball covers at most a third of it
		c.fail(path+".Dribbler.Hold", d.Hold, fmt.Sprintf("must be at least %.4g m: the rules let the hull cover a "+
			"third of the ball", least))
	}
	if most := r.Body.Front() + ball + d.Reach; d.Hold > most {
		c.fail(path+".Dribbler.Hold", d.Hold, fmt.Sprintf("must be at most %.4g m, where {Reach} ends", most))
	}
}

func (c *check) drive(path string, d *Drive, b *Body) {
	c.engine(path+".Level", d.Level)
	if d.Legged() {
		return
	}
	if least := 0.005; !(d.WheelRadius >= least) {
		c.fail(path+".WheelRadius", d.WheelRadius, fmt.Sprintf("must be given, and be at least %g", least))
		return
	}
	if !(d.MaxWheelSpeed > 0) {
		c.fail(path+".MaxWheelSpeed", d.MaxWheelSpeed, "must be given, and be positive")
	}
	wheels := path + ".WheelAngles"
	if len(d.Wheels) > 0 {
		wheels = path + ".Wheels"
	}
	if _, err := d.WheelSet(); err != nil {
		c.fail(wheels, nil, err.Error())
	} else if !d.stands(b.CoMX, b.CoMY) && d.Level != ChassisDrive && d.Level != KinematicDrive {
		c.fail(wheels, nil, "wheels and casters must surround the centre of mass, or the robot falls over")
	}
	if n := len(d.Casters); n > MaxCasters {
		c.fail(path+".Casters", nil, fmt.Sprintf("%d casters: must be at most %d", n, MaxCasters))
	}
	if d.Level != RollersDrive {
		return
	}
	for _, w := range d.AllWheels() {
		if w.Kind != OmniWheel || math.Abs(math.Sin(w.Roller)) < 1-1e-9 {
			c.fail(path+".Level", string(d.Level), "needs omni wheels with rollers straight across")
			return
		}
	}
	rollers := d.RollerSet()
	if rollers.PerWheel%2 != 0 {
		c.fail(path+".Rollers.PerWheel", rollers.PerWheel, "must be even")
	}
	if least := d.WheelRadius * (1 - math.Cos(rollers.HalfAngle())); rollers.Radius <= least ||
		rollers.Radius > d.WheelRadius/2 {
		c.fail(path+".Rollers.Radius", rollers.Radius, fmt.Sprintf("must lie in (%.4g, %.4g], or barrels do not make "+
			"up the wheel's circle", least, d.WheelRadius/2))
	}
}

// engine judges whether the engine can run a drive at its level.
func (c *check) engine(field string, level DriveLevel) {
	engine := c.model.Config.Engine
	switch {
	case engine == "planar" && level != JointsDrive:
	case level == JointsDrive && engine != "mujoco":
		c.fail(field, string(level), "needs {Config.Engine} = \"mujoco\" in [physics]")
	case level == WalkDrive:
	case engine == "mujoco" && level != JointsDrive && level != ChassisDrive:
		c.fail(field, string(level), "must be chassis, walk or joints on the engine mujoco")
	case level == KinematicDrive:
		c.fail(field, string(level), "needs {Config.Engine} = \"planar\" in [physics]; on ode: rollers, "+
			"wheels or chassis")
	}
}

// stands reports whether a point lies within the polygon of all contact points.
func (d *Drive) stands(x, y float64) bool {
	var bearings []float64
	for _, w := range d.AllWheels() {
		bearings = append(bearings, math.Atan2(w.Y-y, w.X-x))
	}
	for _, k := range d.Casters {
		bearings = append(bearings, math.Atan2(k.Y-y, k.X-x))
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

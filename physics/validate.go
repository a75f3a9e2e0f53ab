package physics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

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
	if f.GoalDepth+netThickness > f.Border {
		c.fail("Field.Border", f.Border, fmt.Sprintf("must hold the goal, which is %.3g m deep with its net",
			f.GoalDepth+netThickness))
	}
	if f.GoalWidth+2*f.PostWidth > f.Width {
		c.fail("Field.GoalWidth", f.GoalWidth, "must leave room for the posts within {Width}")
	}
	for i := range s.Robots {
		c.robot(fmt.Sprintf("Robots[%d]", i), &s.Robots[i])
	}
	c.places()
	return errors.Join(rules.Check(s), errors.Join(c.list...))
}

// check collects violations of the rules that span several fields.
type check struct {
	model *Model
	drawn func(body string) bool // reports whether the place of a body is judged; nil: all places are judged
	list  []error
}

func (c *check) fail(field string, value any, rule string) {
	c.list = append(c.list, &rules.Violation{Field: field, Value: value, Rule: rule})
}

func (c *check) robot(path string, r *Robot) {
	c.drive(path+".Drive", &r.Drive)
	if d := &r.Drive; d.Level == RollersDrive {
		set := d.RollerSet()
		wheels := float64(len(d.AllWheels())) * (set.Hub + float64(set.PerWheel)*set.Mass)
		if wheels > maxWheelShare*r.Body.Mass {
			c.fail(path+".Drive.Rollers.Hub", set.Hub, fmt.Sprintf("makes wheels of %.3g kg together, more than half "+
				"of the robot's {Body.Mass}", wheels))
		}
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

func (c *check) drive(path string, d *Drive) {
	wheels := path + ".WheelAngles"
	if len(d.Wheels) > 0 {
		wheels = path + ".Wheels"
	}
	if _, err := d.WheelSet(); err != nil {
		c.fail(wheels, nil, err.Error())
	} else if !d.stands() && d.Level != ChassisDrive && d.Level != KinematicDrive {
		c.fail(wheels, nil, "wheels and casters must surround the centre, or the robot falls over")
	}
	if n := len(d.Casters); n > MaxCasters {
		c.fail(path+".Casters", nil, fmt.Sprintf("%d casters: must be at most %d", n, MaxCasters))
	}
	if d.Level == KinematicDrive && c.model.Config.Engine != "planar" {
		c.fail(path+".Level", string(d.Level), "needs {Config.Engine} = \"planar\" in [physics]; on ode: rollers, "+
			"wheels or chassis")
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

// stands reports whether the centre lies within the polygon of all contact points.
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

// ValidatePlaces returns an error, like [Model.Validate], with all bodies that start outside the boards or overlap
// another body. The function drawn reports whether the place of a body is random; its argument is the body's path in
// the Model, such as Robots[0] or Ball. ValidatePlaces judges only bodies with random places, and pairs of bodies of
// which at least one has a random place. A ball with a random place must not start with its centre inside a body, and a
// body with a random place must not start around the ball's centre.
func (s *Model) ValidatePlaces(drawn func(body string) bool) error {
	c := check{model: s, drawn: drawn}
	ball := s.ballFootprint()
	taken := c.places()
	if i := slices.IndexFunc(taken, func(p footprint) bool {
		return c.judges(&ball, &p) &&
			ball.overlaps(&p)
	}); i >= 0 {
		c.fail("Ball", nil, "must not be inside "+taken[i].name)
	}
	return errors.Join(c.list...)
}

// judges reports whether at least one of the footprints belongs to a body whose place is judged.
func (c *check) judges(list ...*footprint) bool {
	return c.drawn == nil || slices.ContainsFunc(list, func(p *footprint) bool {
		return p.body != "" &&
			c.drawn(p.body)
	})
}

// places adds a violation for each judged body that starts outside the boards or overlaps another body. It returns the
// footprints of the goals, props, robots and obstacles.
func (c *check) places() []footprint {
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
	for i := range s.Props {
		for k := range s.Props[i].Boxes {
			b := static(&s.Props[i].Boxes[k])
			p := boxFootprint(fmt.Sprintf("{Props[%d]}, unless that has collides = false", i), b.Box)
			p.body, p.heading = fmt.Sprintf("Props[%d]", i), b.Heading
			taken = append(taken, p)
		}
	}
	within := func(path string, p *footprint) {
		w, h := p.extent()
		if c.judges(p) && !(math.Abs(p.x)+w <= x && math.Abs(p.y)+h <= y) { // so that NaN fails
			c.fail(path, nil, "must stand within the boards around the field")
		}
	}
	claim := func(p footprint) {
		path := p.body + ".Pose"
		p.name = "{" + p.body + "}"
		within(path, &p)
		if i := slices.IndexFunc(taken, func(other footprint) bool {
			return c.judges(&p, &other) &&
				p.overlaps(&other)
		}); i >= 0 {
			c.fail(path, nil, "must not overlap with "+taken[i].name)
		}
		taken = append(taken, p)
	}
	for i := range s.Robots {
		r := &s.Robots[i]
		p := footprint{body: fmt.Sprintf("Robots[%d]", i), x: r.Pose.Pos[0], y: r.Pose.Pos[1], radius: r.Body.Radius,
			top: r.Body.Height}
		if r.Body.Boxed() {
			p.radius, p.halfX, p.halfY, p.heading = 0, r.Body.Length/2, r.Body.Width/2, r.Pose.Heading()
		}
		claim(p)
	}
	for i := range s.Obstacles {
		o := &s.Obstacles[i]
		claim(footprint{body: fmt.Sprintf("Obstacles[%d]", i), x: o.Pose.Pos[0], y: o.Pose.Pos[1], top: o.Height,
			halfX: o.SizeX / 2, halfY: o.SizeY / 2, heading: o.Pose.Heading()})
	}
	// A body that covers the ball's centre holds it for ever or hurls it away. A robot may cover it: see BallInside.
	if c.drawn == nil {
		ball := s.ballFootprint()
		for i := range taken {
			if _, isRobot := robotOf(taken[i].body); !isRobot && ball.overlaps(&taken[i]) {
				c.fail("Ball", nil, "must not be inside "+taken[i].name)
			}
		}
	}
	within("Ball", &footprint{body: "Ball", x: s.Ball.X, y: s.Ball.Y, radius: s.Ball.Radius})
	return taken
}

// BallInside returns the index of the first robot that starts around the ball's centre, or -1. The robot's hull then
// pushes the ball out.
func (s *Model) BallInside() int {
	ball := s.ballFootprint()
	for _, p := range (&check{model: s}).places() {
		if i, isRobot := robotOf(p.body); isRobot && ball.overlaps(&p) {
			return i
		}
	}
	return -1
}

// ballFootprint is the footprint of the ball's centre.
func (s *Model) ballFootprint() footprint {
	return footprint{body: "Ball", x: s.Ball.X, y: s.Ball.Y, bottom: s.Ball.Z, top: s.Ball.Z + 2*s.Ball.Radius}
}

// robotOf returns the index of the robot whose path in the Model is given.
func robotOf(body string) (robot int, ok bool) {
	_, err := fmt.Sscanf(body, "Robots[%d]", &robot)
	return robot, err == nil
}

// footprint is the area of the floor that a body covers, a disc or a rectangle, and the range of heights of the body;
// in metres.
type footprint struct {
	name, body   string // the body's name in messages; its path in the Model, or "" if it is not in the Model
	x, y         float64
	radius       float64 // of a disc
	halfX, halfY float64 // of a rectangle
	heading      float64 // of a rectangle, radians
	bottom, top  float64
}

func boxFootprint(name string, b Box) footprint {
	return footprint{name: name, x: (b.Min[0] + b.Max[0]) / 2, y: (b.Min[1] + b.Max[1]) / 2,
		halfX: (b.Max[0] - b.Min[0]) / 2, halfY: (b.Max[1] - b.Min[1]) / 2, bottom: b.Min[2], top: b.Max[2]}
}

// reach returns how far the footprint extends from its centre in the direction of the unit vector (dx, dy), in metres.
func (p *footprint) reach(dx, dy float64) float64 {
	sin, cos := math.Sincos(p.heading)
	return p.radius + p.halfX*math.Abs(cos*dx+sin*dy) + p.halfY*math.Abs(-sin*dx+cos*dy)
}

// extent returns the reach along the world's axes.
func (p *footprint) extent() (x, y float64) { return p.reach(1, 0), p.reach(0, 1) }

// overlaps reports whether the bodies of two footprints overlap. Bodies overlap if their ranges of heights do and no
// horizontal axis separates them. It suffices to try the axes of the rectangles, and the axis from the centre of a disc
// to the nearest point of the other footprint.
func (p *footprint) overlaps(q *footprint) bool {
	if p.bottom >= q.top || q.bottom >= p.top {
		return false
	}
	dx, dy := q.x-p.x, q.y-p.y
	apart := func(ax, ay float64) bool {
		return math.Abs(dx*ax+dy*ay) >= p.reach(ax, ay)+q.reach(ax, ay)
	}
	for _, r := range [2]*footprint{p, q} {
		sin, cos := math.Sincos(r.heading)
		if apart(cos, sin) || apart(-sin, cos) {
			return false
		}
	}
	for _, pair := range [2][2]*footprint{{p, q}, {q, p}} {
		disc, other := pair[0], pair[1]
		if disc.halfX != 0 || disc.halfY != 0 {
			continue
		}
		nx, ny := other.nearest(disc.x, disc.y)
		if d := math.Hypot(disc.x-nx, disc.y-ny); d > 0 && apart((disc.x-nx)/d, (disc.y-ny)/d) {
			return false
		}
	}
	return true
}

// nearest returns the point of a rectangle that is nearest to a given point. For a disc it returns the disc's centre.
func (p *footprint) nearest(x, y float64) (nx, ny float64) {
	sin, cos := math.Sincos(p.heading)
	dx, dy := x-p.x, y-p.y
	lx, ly := mgl64.Clamp(cos*dx+sin*dy, -p.halfX, p.halfX), mgl64.Clamp(-sin*dx+cos*dy, -p.halfY, p.halfY)
	return p.x + cos*lx - sin*ly, p.y + sin*lx + cos*ly
}

package physics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// ValidatePlaces returns an error, like [Model.Validate], with all bodies that start outside the boards or overlap
// another body. The function drawn reports whether the place of a body is random; its argument is the body's path in
// the Model, such as Robots[0] or Ball. ValidatePlaces judges only bodies with random places, and pairs of bodies of
// which at least one has a random place. A ball with a random place must not start with its centre inside a body, and a
// body with a random place must not start around the ball's centre.
func (s *Model) ValidatePlaces(drawn func(body string) bool) error {
	return errors.Join(s.validatePlaces(drawn, true)...)
}

// validatePlaces is like ValidatePlaces. The argument inRobots says whether the ball must not start inside a robot
// either; see BallInside.
func (s *Model) validatePlaces(drawn func(body string) bool, inRobots bool) (list []error) {
	fail := func(field, rule string) { list = append(list, &rules.Violation{Field: field, Rule: rule}) }
	taken := s.fixtures(drawn)
	claim := func(body string, p footprint) {
		p.name, p.judged = "{"+body+"}", drawn(body)
		if p.judged && !s.surrounds(p) {
			fail(body+".Pose", s.Field.outside())
		}
		if other := overlapping(taken, &p); other != nil {
			fail(body+".Pose", "must not overlap with "+other.name)
		}
		taken = append(taken, p)
	}
	present := 0
	for i := range s.Robots {
		if !s.Robots[i].Absent {
			claim(robotPath(i), s.Robots[i].footprint())
			present++
		}
	}
	first := len(taken) - present
	for i := range s.Obstacles {
		if !s.Obstacles[i].Absent {
			claim(obstaclePath(i), s.Obstacles[i].footprint())
		}
	}
	if !inRobots {
		taken = slices.Delete(taken, first, first+present)
	}
	if s.Ball.Absent {
		return list
	}
	// A body that covers the ball's centre holds it for ever or hurls it away. Only a robot's hull pushes the ball out.
	centre := s.Ball.centre()
	centre.judged = drawn("Ball")
	if other := overlapping(taken, &centre); other != nil {
		fail("Ball", "must not be inside "+other.name)
	}
	if centre.judged && !s.surrounds(s.Ball.footprint()) {
		fail("Ball", s.Field.outside())
	}
	return list
}

// BallInside returns the index of the first robot that starts around the ball's centre, or -1. The robot's hull then
// pushes the ball out.
func (s *Model) BallInside() int {
	if s.Ball.Absent {
		return -1
	}
	centre := s.Ball.centre()
	return slices.IndexFunc(s.Robots, func(r Robot) bool {
		p := r.footprint()
		return !r.Absent && centre.overlaps(&p)
	})
}

// outside returns the rule that a body breaks which is not on the floor.
func (f *Field) outside() string {
	if f.HasBoards {
		return "must stand within the boards around the field"
	}
	x, y := f.Half()
	return fmt.Sprintf("must stand on the floor of %.4g × %.4g m", 2*x, 2*y)
}

// Place moves bodies with random places until none of them starts outside the boards, overlaps another body or covers
// the ball's centre. The function movable reports whether a body can be moved; its argument is the body's path in the
// Model, such as Robots[0] or Ball. The function move gives a body another random place, or returns false to end the
// search for this body, which then keeps its last place. The argument try counts the places of the body from 1 on.
// Place looks for the places of one body after another, in the order of the Model.
func (s *Model) Place(movable func(body string) bool, move func(body string, try uint64) bool) {
	var moved []func()
	taken := s.fixtures(movable)
	place := func(body string, current func() footprint, fits func() bool) {
		p := current()
		if !movable(body) {
			taken = append(taken, p)
			return
		}
		moved = append(moved, func() {
			p.judged = true
			for try := uint64(1); (!fits() || overlapping(taken, &p) != nil) && move(body, try); try++ {
				p = current()
				p.judged = true
			}
			taken = append(taken, p)
		})
	}
	for i := range s.Robots {
		r := &s.Robots[i]
		if r.Absent {
			continue
		}
		place(robotPath(i), r.footprint, func() bool { return s.surrounds(r.footprint()) })
	}
	for i := range s.Obstacles {
		o := &s.Obstacles[i]
		if o.Absent {
			continue
		}
		place(obstaclePath(i), o.footprint, func() bool { return s.surrounds(o.footprint()) })
	}
	if !s.Ball.Absent {
		place("Ball", s.Ball.centre, func() bool { return s.surrounds(s.Ball.footprint()) })
	}
	for _, place := range moved {
		place()
	}
}

// overlapping returns the first of the footprints with which p overlaps, or nil. It leaves out pairs that are not
// judged.
func overlapping(taken []footprint, p *footprint) *footprint {
	for i := range taken {
		if q := &taken[i]; (p.judged || q.judged) && p.overlaps(q) {
			return q
		}
	}
	return nil
}

// fixtures returns the footprints of the goals' posts and cages, and of props. The function judged reports whether the
// place of a prop is judged.
func (s *Model) fixtures(judged func(body string) bool) (all []footprint) {
	for _, g := range s.Field.Goals() {
		for _, b := range s.Field.GoalPosts(g) {
			all = append(all, boxFootprint("a goal", b))
		}
		for _, b := range s.Field.GoalCage(g) {
			all = append(all, boxFootprint("a goal", b))
		}
	}
	for i := range s.Props {
		body := fmt.Sprintf("Props[%d]", i)
		name := "{" + body + "}, unless that has collides = false"
		if form := s.Props[i].Form; form != "" {
			name = form + " " + s.Props[i].Name
		}
		for k := range s.Props[i].Boxes {
			b := static(&s.Props[i].Boxes[k])
			p := boxFootprint(name, b.Box)
			p.judged, p.heading = judged(body), b.Heading
			if b.Round {
				p.radius, p.halfX, p.halfY = p.halfX, 0, 0
			}
			all = append(all, p)
		}
	}
	return all
}

// surrounds reports whether a footprint lies on the floor, which is within the boards around the field.
func (s *Model) surrounds(p footprint) bool {
	w, h := p.extent()
	x, y := s.Field.Half()
	return math.Abs(p.x)+w <= x && math.Abs(p.y)+h <= y // so that NaN fails
}

func robotPath(i int) string    { return fmt.Sprintf("Robots[%d]", i) }
func obstaclePath(i int) string { return fmt.Sprintf("Obstacles[%d]", i) }

func (r *Robot) footprint() footprint {
	p := footprint{x: r.Pose.Pos[0], y: r.Pose.Pos[1], radius: r.Body.Radius, top: r.Body.Height}
	if r.Body.Boxed() {
		p.radius, p.halfX, p.halfY, p.heading = 0, r.Body.Length/2, r.Body.Width/2, r.Pose.Heading()
	}
	return p
}

func (o *Obstacle) footprint() footprint {
	p := footprint{x: o.Pose.Pos[0], y: o.Pose.Pos[1], top: o.Height, halfX: o.SizeX / 2, halfY: o.SizeY / 2,
		heading: o.Pose.Heading()}
	if o.Round {
		p.radius, p.halfX, p.halfY = o.SizeX/2, 0, 0
	}
	return p
}

func (b *Ball) footprint() footprint {
	p := b.centre()
	p.radius = b.Radius
	return p
}

// centre returns the footprint of the vertical line through the ball's centre.
func (b *Ball) centre() footprint {
	return footprint{x: b.X, y: b.Y, bottom: b.Z, top: b.Z + 2*b.Radius}
}

// footprint is the area of the floor that a body covers, a disc or a rectangle, and the range of heights of the body;
// in metres.
type footprint struct {
	name         string // the body's name in messages
	judged       bool   // whether the place of the body is judged
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
	if far := p.radius + p.halfX + p.halfY + q.radius + q.halfX + q.halfY; math.Abs(dx) > far || math.Abs(dy) > far {
		return false // the common case
	}
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
	box := spatial.UprightBox{Centre: mgl64.Vec3{p.x, p.y}, Half: mgl64.Vec3{p.halfX, p.halfY}, Heading: p.heading}
	at := box.Nearest(mgl64.Vec2{x, y})
	return at[0], at[1]
}

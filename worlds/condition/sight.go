package condition

import (
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// LineOfSight holds while nothing blocks the straight line from one body to another: neither the hulls of other robots
// and obstacles nor walls and other bodies that stand still. The line starts at the centre of the top of the first
// body, and ends at the middle of the hull of the second body. For the ball, both are the ball's centre.
type LineOfSight struct {
	From string `toml:"from" required:"true" doc:"name of a body, or a kind: one body of the kind is enough; the line starts at its top"`
	To   string `toml:"to" required:"true" doc:"another body, or a kind; the line ends at its middle"`
}

func (c *LineOfSight) Validate(w World) error {
	return errors.Join(violation("from", c.From, w.FindBodies(c.From, 1)), violation("to", c.To, findOther(w, c.From,
		c.To, "from")))
}

func (c *LineOfSight) Bind(s State) (Test, error) {
	m := s.Model()
	hulls := hulls(m)
	return eachPair(s, c.From, c.To, func(from, to *body) (Test, error) {
		var between []solid
		var near []disc
		for id, hull := range hulls {
			if id := physics.BodyID(id); id != from.id && id != to.id {
				b := bodyOf(s, id)
				between = append(between, solid{b, hull})
				reach := mgl64.Vec3{max(hull.Radius, hull.SizeX/2), hull.SizeY / 2, hull.Height}.Len()
				near = append(near, disc{b.posW, reach * reach})
			}
		}
		_, top := heightsOf(m, from)
		bottom, high := heightsOf(m, to)
		middle, walls := (bottom+high)/2, newBarrier(m, from, to)
		line := func() (eye, line mgl64.Vec3) {
			eye = from.up(top)
			return eye, to.up(middle).Sub(eye)
		}
		blocks := func() int {
			eye, line := line()
			flat := line[0]*line[0] + line[1]*line[1]
			for i := range near { // this fast test in plan view comes first, because most hulls are far from the line
				dx, dy := near[i].posW[0]-eye[0], near[i].posW[1]-eye[1]
				if along := dx*line[0] + dy*line[1]; along >= flat {
					dx, dy = dx-line[0], dy-line[1]
				} else if along > 0 {
					dx, dy = dx-along/flat*line[0], dy-along/flat*line[1]
				}
				if dx*dx+dy*dy <= near[i].reach2 && between[i].meets(eye, line) {
					return i
				}
			}
			return -1
		}
		return Test{func() bool { return blocks() < 0 && !walls.blocks(line()) }, func() string {
			name := "nothing"
			if i := blocks(); i >= 0 {
				name = between[i].name
			} else if walls.blocks(line()) {
				name = stillAt(m, walls.at)
			}
			return name + " between " + from.name + " and " + to.name
		}}, nil
	})
}

// barrier is all that stands still, except for the two ends of a line.
type barrier struct {
	solids *abstraction.Solids
	ray    abstraction.Raycaster
	along  mgl64.Vec3
	least  float64
	at     mgl64.Vec3 // where the last line met it
	far    func(x, y, radius float64) float64
	cast   func()
}

func newBarrier(m *physics.Model, from, to *body) *barrier {
	var boxes []spatial.UprightBox
	for i := range m.Props {
		if p := &m.Props[i]; p != from.prop && p != to.prop {
			boxes = append(boxes, p.Boxes...)
		}
	}
	b := &barrier{solids: abstraction.NewSolids(boxes)}
	b.far = func(float64, float64, float64) float64 { return b.least }
	b.cast = func() { b.least = min(b.least, b.ray.Cast(&b.along)) }
	return b
}

// blocks reports whether a body that stands still intersects a line, given by its start and the vector to its end in W.
func (b *barrier) blocks(eye, line mgl64.Vec3) bool {
	length := line.Len()
	if !(length > 0) {
		return false
	}
	b.along, b.least = line.Mul(1/length), length
	b.solids.Cast(eye, math.Inf(1), &b.ray, b.far, b.cast)
	b.at = eye.Add(b.along.Mul(b.least))
	return b.least < length
}

// solid is a hull that may block the line of sight.
type solid struct {
	body
	hull abstraction.Shape
}

// disc is a circle in plan view. It contains a solid even if the solid has tipped over.
type disc struct {
	posW   *mgl64.Vec3
	reach2 float64 // square of the radius, m²
}

// meets reports whether the hull intersects a line. The argument eye is the start of the line, and line is the vector
// from there to its end, both in W.
func (x *solid) meets(eye, line mgl64.Vec3) bool {
	length := line.Len()
	return length > 0 && x.hull.Raycast(x.poseW(), eye, line.Mul(1/length)) < length
}

// hulls returns the hulls of robots and obstacles, indexed by BodyID.
func hulls(m *physics.Model) (list []abstraction.Shape) {
	for i := range m.Robots {
		list = append(list, sensors.RobotShape(&m.Robots[i]))
	}
	for i := range m.Obstacles {
		list = append(list, sensors.ObstacleShape(&m.Obstacles[i]))
	}
	return list
}

// heightsOf returns the heights of the ends of a body's hull in m. Both are 0 for the ball, because the frame of the
// ball is at its centre.
func heightsOf(m *physics.Model, b *body) (bottom, top float64) {
	switch {
	case b.prop != nil:
		bottom = math.Inf(1)
		for i := range b.prop.Boxes {
			bottom, top = min(bottom, b.prop.Boxes[i].Bottom()), max(top, b.prop.Boxes[i].Top())
		}
		return min(bottom, top), top
	case b.id == m.BallID():
		return 0, 0
	}
	return 0, hulls(m)[b.id].Height
}

func (c *LineOfSight) String() string { return "line of sight from " + c.From + " to " + c.To }

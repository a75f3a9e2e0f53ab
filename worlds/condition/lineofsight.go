package condition

import (
	"errors"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// LineOfSight holds while a straight line from one body to another meets no hull of a third robot or obstacle. If the
// first body is a robot or an obstacle, the line starts at the centre of its top. If the second body is, the line ends
// at the centre of its hull. At the ball, the line starts or ends at the ball's centre.
type LineOfSight struct {
	From string `toml:"from" required:"true" doc:"ball, or the name of a robot or an obstacle; the line starts at its top"`
	To   string `toml:"to" required:"true" doc:"another body; the line ends at its middle"`
}

func (c *LineOfSight) Validate(w World) error {
	err := errors.Join(violation("from", c.From, w.FindBody(c.From)), violation("to", c.To, w.FindBody(c.To)))
	if err == nil && c.From == c.To {
		err = violation("to", c.To, errors.New("must be a body other than from"))
	}
	return err
}

func (c *LineOfSight) Bind(s State) (Test, error) {
	from, err := findBody(s, c.From)
	if err != nil {
		return Test{}, err
	}
	to, err := findBody(s, c.To)
	if err != nil {
		return Test{}, err
	}
	var between []solid
	var near []disc
	for id, hull := range hulls(s.Model()) {
		if id := physics.BodyID(id); id != from.id && id != to.id {
			b := bodyOf(s, id)
			between = append(between, solid{b, hull})
			reach := mgl64.Vec3{max(hull.Radius, hull.SizeX/2), hull.SizeY / 2, hull.Height}.Len()
			near = append(near, disc{b.posW, reach * reach})
		}
	}
	m := s.Model()
	top, middle := heightOf(m, from.id), heightOf(m, to.id)/2
	blocks := func() int {
		eye := from.up(top)
		line := to.up(middle).Sub(eye)
		flat := line[0]*line[0] + line[1]*line[1]
		for i := range near { // test in plan view first, because most hulls are far from the line
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
	return Test{func() bool { return blocks() < 0 }, func() string {
		name := "nothing"
		if i := blocks(); i >= 0 {
			name = between[i].name
		}
		return name + " between " + c.From + " and " + c.To
	}}, nil
}

// solid is a hull that may block the line of sight.
type solid struct {
	body
	hull abstraction.Shape
}

// disc is a circle in plan view that contains a solid, however far the solid has tipped over.
type disc struct {
	posW   *mgl64.Vec3
	reach2 float64 // square of the radius, m²
}

// meets reports whether the hull intersects a line. The line starts at the point from, and the vector line leads to its
// end. The point and the vector are in W.
func (x *solid) meets(from, line mgl64.Vec3) bool {
	length := line.Len()
	return length > 0 && x.hull.Raycast(x.poseW(), from, line.Mul(1/length)) < length
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

// heightOf returns the height of a body's hull in m. It returns 0 for the ball, because the frame of the ball is at its
// centre.
func heightOf(m *physics.Model, id physics.BodyID) float64 {
	if id == m.BallID() {
		return 0
	}
	return hulls(m)[id].Height
}

func (c *LineOfSight) String() string { return "line of sight from " + c.From + " to " + c.To }

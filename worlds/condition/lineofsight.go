package condition

import (
	"errors"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// LineOfSight holds while a straight line from one body to another meets no hull of a third robot or obstacle. The line
// begins at the top of a robot or an obstacle, over its centre, and ends at the middle of its hull; of the ball both
// are the centre.
type LineOfSight struct {
	From string `toml:"from" required:"true" doc:"ball, or the name of a robot or an obstacle, which looks from its top"`
	To   string `toml:"to" required:"true" doc:"another one, whose middle is looked at"`
}

func (c *LineOfSight) Validate(w World) error {
	err := errors.Join(wrong("from", c.From, w.FindBody(c.From)), wrong("to", c.To, w.FindBody(c.To)))
	if err == nil && c.From == c.To {
		err = wrong("to", c.To, errors.New("must be another one than from"))
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
		for i := range near { // as seen from above: most are far beside the line
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

// solid is what may be in the way.
type solid struct {
	body
	hull abstraction.Shape
}

// disc is where all of a solid is, however it has tipped, as seen from above.
type disc struct {
	posW   *mgl64.Vec3
	reach2 float64 // squared, m²
}

// meets tells whether the hull is on a line that begins at a point, both in W.
func (x *solid) meets(from, line mgl64.Vec3) bool {
	length := line.Len()
	return length > 0 && x.hull.Raycast(x.poseW(), from, line.Mul(1/length)) < length
}

// hulls are those of robots and obstacles, by their BodyIDs.
func hulls(m *physics.Model) (list []abstraction.Shape) {
	for i := range m.Robots {
		list = append(list, sensors.RobotShape(&m.Robots[i]))
	}
	for i := range m.Obstacles {
		list = append(list, sensors.ObstacleShape(&m.Obstacles[i]))
	}
	return list
}

// heightOf is that of a hull; 0 of the ball, whose frame is at its centre.
func heightOf(m *physics.Model, id physics.BodyID) float64 {
	if id == m.BallID() {
		return 0
	}
	return hulls(m)[id].Height
}

func (c *LineOfSight) String() string { return "line of sight from " + c.From + " to " + c.To }

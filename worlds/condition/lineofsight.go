package condition

import (
	"errors"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// LineOfSight holds while a straight line from one body to another meets no hull of a third robot or obstacle. The line begins at the top of a
// robot or an obstacle, over its centre, and ends at the middle of its hull; of the ball both are the centre.
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
	blocks, err := c.bind(s)
	return Test{func() bool { return blocks() == nil }, func() string {
		name := "nothing"
		if b := blocks(); b != nil {
			name = b.name
		}
		return name + " between " + c.From + " and " + c.To
	}}, err
}

// solid is a body with its hull.
type solid struct {
	body
	hull abstraction.Shape
}

// bind returns what finds the first body, in the model's order, that is in the way; nil if there is none.
func (c *LineOfSight) bind(s State) (blocks func() *solid, err error) {
	from, err := findBody(s, c.From)
	if err != nil {
		return nil, err
	}
	to, err := findBody(s, c.To)
	if err != nil {
		return nil, err
	}
	m := s.Model()
	solids := make([]solid, 0, len(m.Robots)+len(m.Obstacles))
	for i := range m.Robots {
		solids = append(solids, solid{body{s.Truth(), m.RobotID(i), m.Robots[i].Name}, sensors.RobotShape(&m.Robots[i])})
	}
	for i := range m.Obstacles {
		solids = append(solids, solid{body{s.Truth(), m.ObstacleID(i), m.Obstacles[i].Name}, sensors.ObstacleShape(&m.Obstacles[i])})
	}
	height := func(b body, share float64) mgl64.Vec3 {
		if b.isBall() {
			return mgl64.Vec3{}
		}
		return mgl64.Vec3{0, 0, share * solids[b.id].hull.Height}
	}
	top, middle := height(from, 1), height(to, 0.5)
	return func() *solid {
		eye := from.poseW().Apply(top)
		line := to.poseW().Apply(middle).Sub(eye)
		length := line.Len()
		if length == 0 {
			return nil
		}
		line = line.Mul(1 / length)
		for i := range solids {
			if x := &solids[i]; x.id != from.id && x.id != to.id && x.hull.Raycast(x.poseW(), eye, line) < length {
				return x
			}
		}
		return nil
	}, nil
}

func (c *LineOfSight) String() string { return "line of sight from " + c.From + " to " + c.To }

package worlds

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors/outline"
	"github.com/omnipitch/omnipitch/worlds/action"
)

const (
	// matHeight is the height of things that lie on the floor like a mat, m. Nothing touches them, and robots drive
	// over them. It is a guess: wheels of 6 cm climb a third of their radius.
	matHeight = 0.02
	// deepBox is the largest difference between a prop and its body that is not worth mentioning, m.
	deepBox = 0.02
)

// tilted is the key of the boxes of a prop: its shape, and how it is turned apart from its yaw.
type tilted struct {
	group       *render.Group
	roll, pitch float64
}

// solid is the body of a prop, in its frame without its yaw.
type solid struct {
	boxes   []spatial.UprightBox
	deepest float64 // how far the prop's surface lies inside of the boxes at most, m
}

// solid returns the body of a prop. It computes the body of each shape once.
func (s *sources) solid(g *render.Group, at action.PoseInAir) solid {
	key := tilted{g, at.Roll, at.Pitch}
	body, ok := s.solids[key]
	if !ok {
		body.boxes, body.deepest = outline.Boxes(g, spatial.RPY(mgl64.Vec3{}, at.Roll, at.Pitch, 0).Rot)
		if s.solids == nil {
			s.solids = map[tilted]solid{}
		}
		s.solids[key] = body
	}
	return body
}

// physics returns the prop as a body. It has no boxes if nothing can touch it.
func (p *Prop) physics() physics.Prop {
	body := physics.Prop{Name: p.Name, Kind: p.Kind}
	turn := spatial.Pose{Pos: mgl64.Vec3{p.Hang.X, p.Hang.Y, p.Hang.Z}, Rot: spatial.RotZ(p.Hang.Yaw)}
	for _, b := range p.solid.boxes {
		b.Centre, b.Heading = turn.Apply(b.Centre), b.Heading+p.Hang.Yaw
		if b.Top() > matHeight {
			body.Boxes = append(body.Boxes, b)
		}
	}
	return body
}

// DescribeProps returns a line for each prop: what it is for physics, sensors and levels without images. A line for the
// map follows.
func (w *World) DescribeProps() (all []string) {
	model, ball := w.Model(), "the ball, "
	if w.Ball.Absent {
		ball = ""
	}
	for i := range w.Props {
		p, body := &w.Props[i], &model.Props[i]
		boxes := fmt.Sprintf("a body of %d boxes", len(body.Boxes))
		if len(body.Boxes) == 1 {
			boxes = "a body of one box"
		}
		if d := p.solid.deepest; d > deepBox {
			boxes += fmt.Sprintf(", up to %.2g m larger than its surface", d)
		}
		what := boxes + ": robots, " + ball + "lasers, sonars and bumpers meet it, and levels without images detect it " +
			"as an obstacle that hides others"
		switch {
		case !p.Collides:
			what = "only images show it: collides = false"
		case len(body.Boxes) == 0:
			what = fmt.Sprintf("only images show it: it lies on the floor, less than %v m high", matHeight)
		case !model.InReach(body):
			what = boxes + " out of the robots' reach: " + ball + "lasers and sonars meet it, and levels without " +
				"images leave it out"
		}
		all = append(all, fmt.Sprintf("prop %s: %s", p.Name, what))
	}
	if w.Map != nil && w.Map.plan != nil {
		all = append(all, w.Map.describe())
	}
	return all
}

package physics

import "github.com/omnipitch/omnipitch/physics/spatial"

// Prop is an object that never moves. It has no BodyID of its own: touches of a prop are touches of Static.
type Prop struct {
	Name  string
	Form  string // WallForm, OpeningForm, "box", "cylinder", or "" for a prop with a glTF file
	Kind  string // what levels without images report it as; empty for an obstacle
	Boxes []spatial.UprightBox
}

const (
	// WallForm is the form of a wall. Levels without images do not report walls, but walls hide other bodies.
	WallForm = "wall"
	// OpeningForm is the form of the frame of a door or a window.
	OpeningForm = "opening"
)

// static returns a box of a prop as a body.
func static(b *spatial.UprightBox) (s StaticBox) {
	for k := range 3 {
		s.Min[k], s.Max[k] = b.Centre[k]-b.Half[k], b.Centre[k]+b.Half[k]
	}
	s.Heading, s.Round, s.BallTop, s.Material = b.Heading, b.Round, s.Max[2], Crate
	return s
}

// StaticBoxes returns the boards and goals of the field, and then the props, as bodies.
func (s *Model) StaticBoxes() []StaticBox {
	boxes := s.Field.StaticBoxes()
	for i := range s.Props {
		for k := range s.Props[i].Boxes {
			boxes = append(boxes, static(&s.Props[i].Boxes[k]))
		}
	}
	return boxes
}

// InReach reports whether a robot or an obstacle can touch a prop: whether a box of the prop stands within the boards
// around the field and begins below the tallest of them.
func (s *Model) InReach(p *Prop) bool {
	tallest := 0.0
	for i := range s.Robots {
		tallest = max(tallest, s.Robots[i].Body.Height)
	}
	for i := range s.Obstacles {
		tallest = max(tallest, s.Obstacles[i].Height)
	}
	x, y := s.Field.Half()
	for i := range p.Boxes {
		b := &p.Boxes[i]
		w, h := b.Extent()
		if b.Bottom() < tallest && b.Centre[0]-w < x && b.Centre[0]+w > -x && b.Centre[1]-h < y && b.Centre[1]+h > -y {
			return true
		}
	}
	return false
}

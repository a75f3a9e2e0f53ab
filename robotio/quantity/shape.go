package quantity

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/sensors"
)

// shape is a closed outline in an image, in pixels. At levels raw and ideal it is the true outline of a body. At level
// features it is the bounding box, circle or quadrangle of a feature. A shape of two corners is a line.
type shape struct {
	kind       string // see kindSeen and believedBall
	label      string // name of the body in the world at levels raw and ideal, else the kind
	confidence float64
	from, to   int  // the corners of the shape are shapes.corners[from:to]
	first      bool // whether the shape is the first of its object; an object has a shape for each visible part
}

// edge is a straight edge of a shape, from one corner to another.
type edge struct {
	shape    int
	from, to int
}

// shapes holds the shapes of one observation. Its memory is reused.
type shapes struct {
	made    bool
	all     []shape
	corners [][2]float64
	edges   []edge
}

// findShapes returns the shapes of the current observation. It computes them on the first call for an observation.
func (c *Context) findShapes() *shapes {
	s := &c.shapes
	if s.made {
		return s
	}
	s.made = true
	s.all, s.corners = s.all[:0], s.corners[:0]
	switch o := c.Observation; {
	case o.Features != nil:
		s.addFeatures(o.Features)
	case o.Overlay != nil:
		s.addOverlay(o.Overlay)
	}
	s.addBelieved(&c.Believed.Things)
	return s
}

// add adds a shape. Its corners are the corners added since the last call of add.
func (s *shapes) add(of shape) {
	of.from, of.to = 0, len(s.corners)
	if n := len(s.all); n > 0 {
		of.from = s.all[n-1].to
	}
	s.all = append(s.all, of)
}

func (s *shapes) corner(u, v float64) { s.corners = append(s.corners, [2]float64{u, v}) }

// addOverlay adds a shape for every visible part of each body.
func (s *shapes) addOverlay(o *sensors.Overlay) {
	for i := range o.Bodies {
		b := &o.Bodies[i]
		for k, line := range b.Visible {
			s.corners = append(s.corners, line...)
			s.add(shape{kind: kindSeen(b.Kind, b.Team), label: b.Name, confidence: 1, first: k == 0})
		}
	}
}

// circleCorners is the number of corners of the polygon that approximates a circle.
const circleCorners = 24

// addFeatures adds the shapes of features.
func (s *shapes) addFeatures(f *abstraction.FeatureList) {
	for i := range f.Balls {
		b := &f.Balls[i]
		s.addCircle(b.U, b.V, b.Diameter, shape{kind: string(abstraction.BallKind), label: string(abstraction.BallKind),
			confidence: b.Confidence, first: true})
	}
	for _, boxes := range [...]struct {
		all  []abstraction.BoxFeature
		card bool
	}{{f.Obstacles, false}, {f.Cards, true}} {
		for i := range boxes.all {
			b := &boxes.all[i]
			kind := kindSeen(b.Kind, b.Team)
			if boxes.card {
				kind = cardKind(b.Team)
			}
			s.addBox(b.MinU, b.MinV, b.MaxU, b.MaxV, shape{kind: kind, label: kind, confidence: b.Confidence,
				first: true})
		}
	}
	for i := range f.Posts {
		s.addPost(&f.Posts[i], string(abstraction.PostKind))
	}
	for i := range f.Bars {
		b := &f.Bars[i]
		s.addBeam(b.Left, b.Right, b.Width, shape{kind: barKind, label: barKind, confidence: b.Confidence, first: true})
	}
}

func (s *shapes) addCircle(u, v, diameter float64, of shape) {
	for k := range circleCorners {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / circleCorners)
		s.corner(u+diameter/2*cos, v+diameter/2*sin)
	}
	s.add(of)
}

func (s *shapes) addBox(minU, minV, maxU, maxV float64, of shape) {
	s.corner(minU, minV)
	s.corner(maxU, minV)
	s.corner(maxU, maxV)
	s.corner(minU, maxV)
	s.add(of)
}

// addBelieved adds the shapes of things that the robot's own programs have found in the image. A thing of unknown size
// is a small circle.
func (s *shapes) addBelieved(t *belief.Things) {
	const unknown = 6 // diameter, in pixels
	for _, found := range [...]struct {
		b           *belief.Belief
		kind, label string
	}{{t.Ball, believedBall, "believed ball"}, {t.Obstacles, believedRobot, "believed robot"},
		{t.Goal, believedGoal, "believed goal"}, {t.Lines, believedLine, "believed line"}} {
		if found.b == nil {
			continue
		}
		for i := range found.b.Places {
			at := &found.b.Places[i]
			of := shape{kind: found.kind, label: found.label, confidence: 1, first: true}
			switch {
			case at.HasEnd && found.kind == believedLine:
				s.corner(at.X, at.Y)
				s.corner(at.EndX, at.EndY)
				s.add(of)
			case at.HasEnd:
				s.addBeam([2]float64{at.X, at.Y}, [2]float64{at.EndX, at.EndY}, at.Width, of)
			case at.Width > 0 && at.Height > 0: // in whole pixels, as of level features
				s.addBox(at.X, at.Y, at.X+at.Width-1, at.Y+at.Height-1, of)
			case at.Width > 0:
				s.addCircle(at.X, at.Y, at.Width, of)
			default:
				s.addCircle(at.X, at.Y, unknown, of)
			}
		}
	}
}

func (s *shapes) addPost(p *abstraction.PostFeature, label string) {
	s.addBeam(p.Foot, p.Top, p.Width, shape{kind: string(abstraction.PostKind), label: label, confidence: p.Confidence,
		first: true})
}

// addBeam adds the quadrangle of the given width around the axis from point a to point b, in pixels.
func (s *shapes) addBeam(a, b [2]float64, width float64, of shape) {
	du, dv := b[0]-a[0], b[1]-a[1]
	half := width / 2 / math.Max(math.Hypot(du, dv), 1e-9)
	du, dv = -dv*half, du*half
	s.corner(a[0]+du, a[1]+dv)
	s.corner(b[0]+du, b[1]+dv)
	s.corner(b[0]-du, b[1]-dv)
	s.corner(a[0]-du, a[1]-dv)
	s.add(of)
}

// findEdges collects the edges of the shapes whose kind is wanted: the function wanted returns true for it. findEdges
// returns the number of edges.
func (c *Context) findEdges(wanted func(kind string) bool) int {
	s := c.findShapes()
	s.edges = s.edges[:0]
	for i := range s.all {
		x := &s.all[i]
		if !wanted(x.kind) {
			continue
		}
		for k := x.from; k+1 < x.to; k++ {
			s.edges = append(s.edges, edge{i, k, k + 1})
		}
		if x.to-x.from > 2 {
			s.edges = append(s.edges, edge{i, x.to - 1, x.from})
		}
	}
	return len(s.edges)
}

// linePoints returns the line points of the image. At levels with images, they are the points that a vision program
// would find.
func (c *Context) linePoints() [][2]float64 {
	switch o := c.Observation; {
	case o.Features != nil:
		return o.Features.LinePoints
	case o.Overlay != nil:
		return o.Overlay.LinePoints
	}
	return nil
}

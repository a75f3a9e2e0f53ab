package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Solid is a shape that does not move, at a pose in W.
type Solid struct {
	Shape
	PoseW spatial.Pose
}

// Solids is a set of upright boxes and cylinders that do not move, among which those near a place are found fast. It is
// immutable. A nil *Solids is empty.
type Solids struct {
	boxes  []spatial.UprightBox
	solids []Solid
	grid   *spatial.Grid
}

// longest is the length, in m, from which boxes are cut into pieces, so that few rays can hit each piece.
const longest = 4.0

// NewSolids returns the set of the given boxes.
func NewSolids(boxes []spatial.UprightBox) *Solids {
	s := &Solids{}
	for _, b := range boxes {
		axis := 0
		if b.Half[1] > b.Half[0] {
			axis = 1
		}
		n := 1
		if 2*b.Half[axis] > longest {
			n = int(math.Ceil(2 * b.Half[axis] / max(longest/2, 2*b.Half[1-axis])))
		}
		along := mgl64.Vec3{math.Cos(b.Heading), math.Sin(b.Heading)}
		if axis == 1 {
			along[0], along[1] = -along[1], along[0]
		}
		piece := b
		piece.Half[axis] /= float64(n)
		for k := range n {
			piece.Centre = b.Centre.Add(along.Mul(piece.Half[axis] * float64(2*k+1-n)))
			s.add(piece)
		}
	}
	s.grid = spatial.NewGrid(s.boxes)
	return s
}

func (s *Solids) add(b spatial.UprightBox) {
	pose := spatial.Planar(b.Centre[0], b.Centre[1], b.Heading)
	pose.Pos[2] = b.Bottom()
	shape := Shape{Kind: Box, SizeX: 2 * b.Half[0], SizeY: 2 * b.Half[1], Height: 2 * b.Half[2]}
	if b.Round {
		shape = Shape{Kind: Cylinder, Radius: b.Half[0], Height: 2 * b.Half[2]}
	}
	s.boxes, s.solids = append(s.boxes, b), append(s.solids, Solid{PoseW: pose, Shape: shape})
}

// Cast calls a function for a Raycaster of each solid that rays from a point can hit, about in the order of the
// distance. All these are in turn in the memory of r. steepest is the largest slope of the rays, upwards or downwards,
// or +Inf: solids wholly above or below the rays are left out. The function farthest returns the distance up to which
// rays go towards a circle with the centre (x, y), relative to the point, m; solids beyond it are left out. Before it
// visits solids at a larger distance, Cast asks for a circle without end.
func (s *Solids) Cast(from mgl64.Vec3, steepest float64, r *Raycaster, farthest func(x, y, radius float64) float64,
	cast func()) {
	if s == nil || len(s.solids) == 0 {
		return
	}
	visit := func(i int) {
		b := &s.boxes[i]
		x, y, radius := b.Centre[0]-from[0], b.Centre[1]-from[1], b.Half[0]+b.Half[1]
		apart := max(b.Bottom()-from[2], from[2]-b.Top()) - 1e-6 // with a margin for rounding
		if apart > 0 && apart > steepest*(math.Sqrt(x*x+y*y)+radius) {
			return
		}
		if far := farthest(x, y, radius) + radius; x*x+y*y < far*far {
			*r = s.solids[i].Raycaster(&s.solids[i].PoseW, from)
			cast()
		}
	}
	const first, most = 1.5, 400.0 // m
	for inner, outer := 0.0, first; inner < most && farthest(0, 0, math.Inf(1)) > inner; {
		s.grid.Visit(from[0], from[1], inner, outer, visit)
		inner, outer = outer, 1.5*outer
	}
}

// appendHiding appends those solids that may hide part of what lies around the vector (toX, toY) from a viewpoint, up
// to the distance beside, m.
func (s *Solids) appendHiding(into []int32, from *mgl64.Vec3, toX, toY, beside float64) []int32 {
	if s == nil || len(s.solids) == 0 {
		return into
	}
	flat := math.Hypot(toX, toY)
	half := max(math.Abs(toX), math.Abs(toY))/2 + beside
	s.grid.Visit(from[0]+toX/2, from[1]+toY/2, 0, half, func(i int) {
		b := &s.boxes[i]
		dx, dy, reach := b.Centre[0]-from[0], b.Centre[1]-from[1], b.Half[0]+b.Half[1]+beside
		if math.Abs(dx*toY-dy*toX) <= reach*flat {
			into = append(into, int32(i))
		}
	})
	return into
}

// subtractSolid removes from a set the slopes at which the plane through the viewpoint from intersects a solid, if the
// solid is nearer than the horizontal distance maxDistance, m. It reports whether that changed the set.
func (l *planeDir) subtractSolid(set *slopes, from *mgl64.Vec3, maxDistance float64, b *spatial.UprightBox) bool {
	near, far := math.Inf(-1), math.Inf(1)
	dx, dy := from[0]-b.Centre[0], from[1]-b.Centre[1]
	if b.Round {
		if !clipQuadratic(1, dx*l.x+dy*l.y, dx*dx+dy*dy-b.Half[0]*b.Half[0], &near, &far) {
			return false
		}
	} else {
		sin, cos := math.Sincos(b.Heading)
		if !clipSlab(cos*dx+sin*dy, cos*l.x+sin*l.y, -b.Half[0], b.Half[0], &near, &far) ||
			!clipSlab(cos*dy-sin*dx, cos*l.y-sin*l.x, -b.Half[1], b.Half[1], &near, &far) {
			return false
		}
	}
	if near = max(near, 0); far <= near || near >= maxDistance {
		return false
	}
	return set.subtract(prismSlopes(near, far, b.Bottom()-from[2], b.Top()-from[2]))
}

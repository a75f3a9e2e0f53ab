package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

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

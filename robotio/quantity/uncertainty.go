package quantity

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
)

// spread holds the standard deviations of a horizontal position in polar coordinates: of the distance in m, and of the
// bearing in rad.
type spread struct{ distance, bearing float64 }

// sectorSteps is the number of line segments in each of the two arcs of a sector.
const sectorSteps = 8

// farthest is the maximum distance of a sector's far arc from the robot, in metres. The limit is needed because the
// standard deviation grows without bound near the horizon.
const farthest = 50

// uncertainQuantities adds the list of detections with uncertain positions. Each member has a sector around the
// detection: one standard deviation of distance and bearing in each direction.
func uncertainQuantities(q *Set) {
	l := detections(func(*abstraction.Detection) bool { return true })
	l.Len = (*Context).findUncertain
	at := func(c *Context) *spread { return &c.spreads[c.Member] }
	l.Members.length("distance.sigma", func(c *Context) float64 { return at(c).distance })
	l.Members.angle("bearing.sigma", func(c *Context) float64 { return at(c).bearing })
	corners := NewSet()
	corners.vec("", func(c *Context) mgl64.Vec3 { return c.sectorCorner(c.begin, c.Member) })
	l.Members.list("sector", func(c *Context) int { c.begin = c.Member; return 2*(sectorSteps+1) + 1 }, corners)
	q.Lists["uncertain"] = l
}

// findUncertain collects the detections with uncertain positions and returns their number. At level truth the number is
// 0.
func (c *Context) findUncertain() int {
	c.members, c.spreads = c.members[:0], c.spreads[:0]
	if c.Observation.Level == abstraction.Truth || c.camera == nil {
		return 0
	}
	for i := range c.Observation.Objects.Detections {
		d := &c.Observation.Objects.Detections[i]
		distance := math.Hypot(d.PosB[0], d.PosB[1])
		if distance == 0 {
			continue
		}
		cov := c.camera.LocationCovariance(d.Kind, c.Observation.PoseBC, d.PosB)
		ahead := mgl64.Vec3{d.PosB[0] / distance, d.PosB[1] / distance, 0}
		beside := mgl64.Vec3{-ahead[1], ahead[0], 0}
		along := func(v mgl64.Vec3) float64 { return math.Sqrt(math.Max(0, v.Dot(cov.Mul3x1(v)))) }
		s := spread{along(ahead), math.Min(along(beside)/distance, math.Pi)}
		if s.distance > 0 || s.bearing > 0 {
			c.members, c.spreads = append(c.members, i), append(c.spreads, s)
		}
	}
	return len(c.members)
}

// sectorCorner returns one corner of the sector around a detection, in the robot's axes at the detection's height. The
// corners form a closed outline: along the far arc, and back along the near arc.
func (c *Context) sectorCorner(detection, corner int) mgl64.Vec3 {
	d, s := &c.Observation.Objects.Detections[c.members[detection]], &c.spreads[detection]
	distance, bearing := math.Hypot(d.PosB[0], d.PosB[1]), math.Atan2(d.PosB[1], d.PosB[0])
	r, k := math.Min(distance+s.distance, math.Max(distance, farthest)), float64(corner%(2*(sectorSteps+1)))
	if k > sectorSteps {
		r, k = math.Max(0, distance-s.distance), 2*sectorSteps+1-k
	}
	sin, cos := math.Sincos(bearing + s.bearing*(2*k/sectorSteps-1))
	return mgl64.Vec3{r * cos, r * sin, d.PosB[2]}
}

package sensors

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// fan holds the beams of a laser scanner. They lie in the x-y plane of the scanner's frame S, at equal angles from each
// other.
type fan struct {
	first, step float64      // bearing of the first beam, and angle from one beam to the next, rad
	alongS      []mgl64.Vec3 // directions of the beams in S, unit vectors
	alongW      []mgl64.Vec3 // directions of the beams in W, set by aim
}

// part is a range of indices of a fan's beams, from first up to but not including end.
type part struct{ first, end int }

func newFan(fov, step float64) fan {
	n := int(math.Floor(fov/step+1e-9)) + 1
	f := fan{first: -float64(n-1) / 2 * step, step: step}
	if fov > 2*math.Pi-step/2 {
		n, f.first = int(math.Round(2*math.Pi/step)), -math.Pi
	}
	f.alongS, f.alongW = make([]mgl64.Vec3, n), make([]mgl64.Vec3, n)
	for i := range f.alongS {
		sin, cos := math.Sincos(f.first + float64(i)*step)
		f.alongS[i] = mgl64.Vec3{cos, sin, 0}
	}
	return f
}

// aim computes the directions of the beams in W, for a pose of the scanner.
func (f *fan) aim(poseWS *spatial.Pose) { poseWS.RotateAll(f.alongW, f.alongS) }

// towards returns up to two ranges of beams. They contain all beams that can hit a body, and possibly some beams that
// cannot.
func (f *fan) towards(body *abstraction.Raycaster, poseWS *spatial.Pose) (parts [2]part) {
	toCentreW, radius := body.Bound()
	to := poseWS.Unrotate(toCentreW)
	radius += 1e-6 * (1 + to.Len()) // margin for rounding
	if math.Abs(to[2]) > radius {
		return parts
	}
	across := to[0]*to[0] + to[1]*to[1]
	section := radius*radius - to[2]*to[2]
	if across <= section {
		parts[0].end = len(f.alongS)
		return parts
	}
	centre, half := math.Atan2(to[1], to[0]), math.Asin(math.Sqrt(section/across))
	return f.between(centre-half, centre+half)
}

// between returns the beams whose bearings, in rad, lie between the two arguments. The second argument must be larger
// than the first by less than one turn.
func (f *fan) between(from, to float64) [2]part {
	const turn = 2 * math.Pi
	lo := from - f.first
	lo -= turn * math.Floor(lo/turn)
	hi := lo + to - from
	n := len(f.alongS)
	return [2]part{
		{int(math.Ceil(lo / f.step)), min(n, int(math.Floor(hi/f.step))+1)},
		{0, min(n, int(math.Floor((hi-turn)/f.step))+1)},
	}
}

// boards are the inner faces of the four boards around the field, as vertical rectangles that stand on the floor. Rays
// pass through the nets of the goals and above the boards.
type boards struct {
	x, y float64 // two boards are at x = ±x and extend from −y to y; two are at y = ±y and extend from −x to x; in m
	top  float64 // height of the boards, m
}

func boardsOf(field *physics.Field) boards {
	x, y := field.Half()
	top := field.WallTop()
	if top == 0 {
		top = -1 // no ray hits boards that end below the floor
	}
	return boards{x, y, top}
}

// raycast returns the distance, in m, from a point along a unit vector to the nearest board. Both arguments are in W.
// If the ray hits no board, raycast returns +Inf.
func (b *boards) raycast(from, along *mgl64.Vec3) float64 {
	return min(b.raycastPair(b.x, b.y, from[0], from[1], from[2], along[0], along[1], along[2]),
		b.raycastPair(b.y, b.x, from[1], from[0], from[2], along[1], along[0], along[2]))
}

// raycastPair is like raycast, but considers only two boards, which lie at x = ±at and extend to y = ±reach.
func (b *boards) raycastPair(at, reach, x, y, z, alongX, alongY, alongZ float64) float64 {
	if alongX < 0 { // by symmetry
		x, alongX = -x, -alongX
	}
	if x < -at { // outside
		if r := (-at - x) / alongX; b.spans(reach, y+r*alongY, z+r*alongZ) {
			return r
		}
	}
	if x < at {
		if r := (at - x) / alongX; b.spans(reach, y+r*alongY, z+r*alongZ) {
			return r
		}
	}
	return math.Inf(1)
}

// spans reports whether a board contains a point of its plane. The board extends to ±reach. The coordinates y and z of
// the point are not finite if the ray is parallel to the board; then spans returns false.
func (b *boards) spans(reach, y, z float64) bool { return math.Abs(y) <= reach && z >= 0 && z <= b.top }

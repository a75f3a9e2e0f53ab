package sensors

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// fan holds the beams of a laser scanner. They lie in the x-y plane of the scanner's frame S, at equal angles from each
// other.
type fan struct {
	first, step float64      // bearing of the first beam, and angle from one beam to the next, rad
	alongS      []mgl64.Vec3 // directions of the beams in S, unit vectors
	alongW      []mgl64.Vec3 // directions of the beams in W, set by aim
	rotSW       mgl64.Mat3   // set by aim
	sector      []uint8      // of each beam, by its bearing in W; set by aim
	// the largest range of the beams of each sector, and of all, m; set by reach
	far [sectors + 1]float64
}

// sectors is the number of ranges of bearings, of similar size, that make up a turn.
const sectors = 64

// part is a range of indices of a fan's beams, from first up to but not including end.
type part struct{ first, end int }

func newFan(fov, step float64) fan {
	n := int(math.Floor(fov/step+1e-9)) + 1
	f := fan{first: -float64(n-1) / 2 * step, step: step}
	if fov > 2*math.Pi-step/2 {
		n, f.first = int(math.Round(2*math.Pi/step)), -math.Pi
	}
	f.alongS, f.alongW = make([]mgl64.Vec3, n), make([]mgl64.Vec3, n)
	f.sector = make([]uint8, n)
	for i := range f.alongS {
		sin, cos := math.Sincos(f.first + float64(i)*step)
		f.alongS[i] = mgl64.Vec3{cos, sin, 0}
	}
	return f
}

// aim computes the directions of the beams in W, for a pose of the scanner.
func (f *fan) aim(poseWS *spatial.Pose) {
	poseWS.RotateAll(f.alongW, f.alongS)
	f.rotSW = poseWS.Rotation().Transpose()
	for i := range f.alongW {
		f.sector[i] = uint8(int(sectorAt(f.alongW[i][0], f.alongW[i][1])) % sectors)
	}
}

// steepest returns the largest slope, in W, of a line in the plane of the beams.
func (f *fan) steepest() float64 {
	up := f.rotSW.Col(2) // the vertical in S
	return math.Hypot(up[0], up[1]) / math.Abs(up[2])
}

// sectorAt returns a number, from 0 to sectors, that grows with the bearing of a vector in W. It grows by at most
// sectors/4 per rad.
func sectorAt(x, y float64) float64 {
	at := sectors / 4 * x / (math.Abs(x) + math.Abs(y))
	if y < 0 {
		return sectors*3/4 + at
	}
	return sectors/4 - at
}

// reach keeps the largest of the beams' ranges in each sector, at most the given one.
func (f *fan) reach(ranges []float64, most float64) {
	f.far = [sectors + 1]float64{}
	for i, r := range ranges {
		far := &f.far[f.sector[i]]
		*far = max(*far, min(r, most))
	}
	f.far[sectors] = slices.Max(f.far[:sectors])
}

// farthest returns the distance, as kept by reach, beyond which no beam goes towards a circle. Its centre, (x, y), is
// relative to the scanner in W, m.
func (f *fan) farthest(x, y, radius float64) float64 {
	distance := math.Sqrt(x*x + y*y)
	if !(distance > 2*radius) {
		return f.far[sectors]
	}
	at, half := sectorAt(x, y), sectors/4*math.Pi/2*radius/distance // asin(s) is at most π/2·s
	far := 0.0
	for k := int(at - half + sectors); k <= int(at+half+sectors); k++ {
		far = max(far, f.far[k%sectors])
	}
	return far
}

// towards returns up to two ranges of beams. They contain all beams that can hit a box, and possibly some beams that
// cannot. The arguments are the vector from the scanner to the box's centre, and half of its edges, in W.
func (f *fan) towards(toCentreW mgl64.Vec3, halfW [3]mgl64.Vec3) (parts [2]part) {
	to := f.rotSW.Mul3x1(toCentreW)
	var half [3]mgl64.Vec3
	above := math.Abs(to[2]) - 1e-9*(1+to.Len()) // with a margin for rounding
	for i := range half {
		half[i] = f.rotSW.Mul3x1(halfW[i])
		above -= math.Abs(half[i][2])
	}
	if above > 0 {
		return parts
	}
	// What the plane cuts of a box lies within the box's shadow on the plane. The bearings of corners are relative to
	// that of the centre.
	least, most := math.Inf(1), math.Inf(-1)
	for corner := range 8 {
		x, y := to[0], to[1]
		for i := range half {
			sign := float64(2*(corner>>i&1) - 1)
			x, y = x+sign*half[i][0], y+sign*half[i][1]
		}
		along := to[0]*x + to[1]*y
		if !(along > 1e-9) {
			parts[0].end = len(f.alongS)
			return parts
		}
		slope := (to[0]*y - to[1]*x) / along
		least, most = min(least, slope), max(most, slope)
	}
	centre := math.Atan2(to[1], to[0])
	return f.between(centre+math.Atan(least)-1e-9, centre+math.Atan(most)+1e-9)
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

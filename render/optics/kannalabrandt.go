package optics

import (
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// KannalaBrandt is a fisheye lens: a direction at the angle θ from the axis is seen at the distance θ·(1 + K1·θ² +
// K2·θ⁴ + K3·θ⁶ + K4·θ⁸), in focal lengths, from the principal point. It is OpenCV's fisheye and ROS's equidistant
// model. It can image directions more than 90° from the axis.
//
// Source: Kannala and Brandt, "A generic camera model and calibration method", 2006.
type KannalaBrandt struct {
	Pinhole
	K1, K2, K3, K4 float64
	reach          float64 // angle up to which different angles have different images, radians
}

// NewKannalaBrandt returns the model. It fails if the coefficients fold the image at its centre.
func NewKannalaBrandt(p Pinhole, k1, k2, k3, k4 float64) (KannalaBrandt, error) {
	m := KannalaBrandt{Pinhole: p, K1: k1, K2: k2, K3: k3, K4: k4}
	const step = 1e-3
	for m.reach+step < math.Pi && m.slope(m.reach+step) > 0.01 {
		m.reach += step
	}
	if m.reach < 0.01 {
		return m, errors.New("k1, k2, k3, k4: must not fold the image at its middle")
	}
	return m, nil
}

// WithCircle returns the model with a smaller image circle: nothing is imaged farther than radius, in pixels along x,
// from the principal point.
func (k KannalaBrandt) WithCircle(radius float64) KannalaBrandt {
	if edge := radius / k.FX; edge < k.radius(k.reach) {
		dir, _ := k.Unproject(k.CX+radius, k.CY)
		k.reach = math.Atan2(dir[0], dir[2])
	}
	return k
}

func (k KannalaBrandt) radius(angle float64) float64 {
	t := angle * angle
	return angle * (1 + t*(k.K1+t*(k.K2+t*(k.K3+t*k.K4))))
}

func (k KannalaBrandt) slope(angle float64) float64 {
	t := angle * angle
	return 1 + t*(3*k.K1+t*(5*k.K2+t*(7*k.K3+t*9*k.K4)))
}

// Project fails for directions beyond the angle at which the polynomial stops increasing.
func (k KannalaBrandt) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	side := math.Hypot(pointC[0], pointC[1])
	angle := math.Atan2(side, pointC[2])
	if angle > k.reach || pointC == (mgl64.Vec3{}) {
		return 0, 0, false
	}
	if side == 0 {
		return k.CX, k.CY, true
	}
	r := k.radius(angle) / side
	return k.CX + k.FX*r*pointC[0], k.CY + k.FY*r*pointC[1], true
}

// Unproject fails for pixels that are farther from the centre than any direction's image.
func (k KannalaBrandt) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	x, y := (u-k.CX)/k.FX, (v-k.CY)/k.FY
	r := math.Hypot(x, y)
	if r > k.radius(k.reach) {
		return mgl64.Vec3{}, false
	}
	if r == 0 {
		return mgl64.Vec3{0, 0, 1}, true
	}
	// Newton's method, safeguarded by a bracket that each step narrows.
	lo, hi := 0.0, k.reach
	angle := math.Min(r, k.reach)
	for range 60 {
		miss := k.radius(angle) - r
		if miss > 0 {
			hi = angle
		} else {
			lo = angle
		}
		next := angle - miss/k.slope(angle)
		if !(next >= lo && next <= hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-angle) < 1e-16 {
			break
		}
		angle = next
	}
	sin, cos := math.Sincos(angle)
	return mgl64.Vec3{sin * x / r, sin * y / r, cos}, true
}

package imaging

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Focus is a lens of finite aperture: what is nearer or farther than it is focused at is blurred. A point at the
// distance z is spread over a disc of A·f·|z − s|/(z·s) pixels, with the aperture's diameter A = FocalLength/FNumber,
// the focal length f in pixels and the focus at s: the circle of confusion of a thin lens.
type Focus struct {
	Distance    float64 `toml:"distance_m" required:"true" range:"(0, 1000]" doc:"what is sharp"`
	FocalLength float64 `toml:"focal_length_mm" required:"true" range:"(0, 500]" doc:"of the lens; with the f-number it makes the aperture"`
	FNumber     float64 `toml:"f_number" required:"true" range:"[0.5, 64]"`
	Samples     int     `toml:"samples" range:"[3, 256]" doc:"points of the aperture through which one picture is drawn, each as dear as a picture; with those of shutter at most 134217728 pixels"`
}

// SetDefaults draws through sixteen points.
func (f *Focus) SetDefaults() { f.Samples = 16 }

// views returns the poses in the optical frame from which pictures are to be drawn whose mean is the lens's: from
// points spread evenly over the aperture, turned to the point of the axis that is sharp.
func (f *Focus) views() []spatial.Pose {
	radius := f.FocalLength / f.FNumber / 2
	golden := math.Pi * (3 - math.Sqrt(5))
	all := make([]spatial.Pose, f.Samples)
	for i := range all {
		r := radius * math.Sqrt((float64(i)+0.5)/float64(f.Samples))
		s, c := math.Sincos(golden * float64(i))
		at := mgl64.Vec3{r * c, r * s, 0}
		to := mgl64.Vec3{0, 0, f.Distance}.Sub(at)
		all[i] = spatial.Pose{Pos: at, Rot: mgl64.QuatBetweenVectors(mgl64.Vec3{0, 0, 1}, to.Normalize())}
	}
	return all
}

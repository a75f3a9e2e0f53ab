package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/mat"

	"github.com/omnipitch/omnipitch/render"
)

// Sheen says which fraction of the light on a carpet its fibres' tips scatter along a ray. If c is the cosine of the
// ray's angle to the normal, the fraction is Rise[0]/(c² + SheenNear[0]) + Rise[1]/(c² + SheenNear[1]) + Rest.
type Sheen struct {
	Rise [2]float32
	Rest float32
	// colour of the scattered light relative to the incident light: the tips scatter more of the light from low windows
	// than from lamps above
	Tint mgl32.Vec3
}

// SheenNear defines hyperbolas that approximate the exponentials of render.PileScatter to within 0.01 of the scattered
// light, without a root.
var SheenNear = [2]float32{0.004, 0.058}

// At returns the scattered fraction for the squared cosine of a ray's angle to the normal.
func (s *Sheen) At(cos2 float32) float32 {
	return s.Rise[0]/(cos2+SheenNear[0]) + s.Rise[1]/(cos2+SheenNear[1]) + s.Rest
}

// evenSheen is the fraction of a uniform ambient light that fibre tips scatter if they scatter all light that they
// intercept.
var evenSheen = func() (sum float64) {
	const n = 64
	for i := range n {
		cos := (float64(i) + 0.5) / n
		sum += sheenOf(cos, func(float64) float64 { return 1 }) * 2 * cos / n
	}
	return sum
}()

// sheenOf returns the fraction of light that tips scatter in the direction with cosine out, if they scatter all light
// that they intercept. radiance gives the incident light by cosine.
func sheenOf(out float64, radiance func(cos float64) float64) float64 {
	const n = 64
	back, arrives := 0.0, 0.0
	for i := range n {
		in := (float64(i) + 0.5) / n
		light := radiance(in) * in
		back += light * render.PileScatter(out, in) * math.Pi
		arrives += light
	}
	if !(arrives > 0) {
		return 0
	}
	return back / arrives
}

// mixSheen computes the carpet's sheen in the current light of lamps and windows, averaged over the carpet.
func (f *Field) mixSheen() {
	f.Sheen = Sheen{}
	if f.scene.Floor.Sheen <= 0 {
		return
	}
	amounts := [sources]float64{Lamps: render.Luminance(vec32(f.amount(int(Lamps)))),
		Windows: render.Luminance(vec32(f.amount(int(Windows))))}
	radiance := func(amounts [sources]float64) func(cos float64) float64 {
		return func(cos float64) (sum float64) {
			for s, amount := range amounts {
				sum += amount * f.profile[s].at(cos)
			}
			return sum
		}
	}
	f.Sheen = newSheen(f.scene.Floor.Sheen, radiance(amounts))
	// The ratio of the colours hardly depends on the angle.
	const along = 0.2
	for c := range f.Sheen.Tint {
		f.Sheen.Tint[c] = 1
		if all := sheenOf(along, radiance(amounts)); all > 0 {
			f.Sheen.Tint[c] = float32(sheenOf(along, radiance([sources]float64{f.amount(int(Lamps))[c],
				f.amount(int(Windows))[c]})) / all)
		}
	}
}

// newSheen returns the sheen of a carpet whose fibre tips scatter the fraction share of the light that they intercept.
// radiance gives the incident light by cosine.
func newSheen(share float64, radiance func(cos float64) float64) (s Sheen) {
	const n, atGrazing = 64, 16
	basis, values := mat.NewDense(n+atGrazing, 3, nil), mat.NewVecDense(n+atGrazing, nil)
	for i := range n + atGrazing {
		cos := (float64(i) + 0.5) / n
		if i >= n {
			cos = 0.1 * (float64(i-n) + 0.5) / atGrazing
		}
		basis.SetRow(i, []float64{1 / (cos*cos + float64(SheenNear[0])), 1 / (cos*cos + float64(SheenNear[1])), 1})
		values.SetVec(i, share*sheenOf(cos, radiance))
	}
	var fit mat.VecDense
	if err := fit.SolveVec(basis, values); err == nil { // the three columns are independent
		s.Rise, s.Rest = [2]float32{float32(fit.AtVec(0)), float32(fit.AtVec(1))}, float32(fit.AtVec(2))
	}
	return s
}

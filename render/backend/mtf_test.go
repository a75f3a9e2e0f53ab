package backend_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// samples are the positions of the four samples of a pixel, relative to its middle.
var samples = [4][2]float64{{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}}

// bin is the width of the bins of an edge's profile, pixels.
const bin = 0.25

// slantedEdge returns the modulation transfer function of an image of a nearly vertical edge, dark on the left: the
// e-SFR of ISO 12233, at frequencies in cycles per pixel across the edge. The centroid of a row's derivative is where
// the edge crosses the row. A line through these crossings gives each pixel's distance from the edge, and pixels binned
// by distance give the edge's profile. The derivative of the profile is windowed and transformed. The result is
// corrected for the attenuation by differences and bins. normal is across the edge.
func slantedEdge(im *render.Image, frequencies []float64) (mtf []float64, normal [2]float64) {
	const reach = 16.0 // of the window on either side, pixels
	at := func(x, y int) float64 { return green(im, x, y) }
	var n, sy, sx, syy, sxy float64
	for y := range im.Height {
		var weight, moment float64
		for x := 1; x < im.Width; x++ {
			d := at(x, y) - at(x-1, y)
			if math.Abs(float64(x-im.Width/2)) < reach+float64(im.Height)/8 {
				weight, moment = weight+d, moment+d*(float64(x)-0.5)
			}
		}
		fy, fx := float64(y), moment/weight
		n, sy, sx, syy, sxy = n+1, sy+fy, sx+fx, syy+fy*fy, sxy+fy*fx
	}
	slope := (n*sxy - sy*sx) / (n*syy - sy*sy)
	start, across := (sx-slope*sy)/n, math.Cos(math.Atan(slope))

	bins := int(2*reach/bin) + 1
	sum, count := make([]float64, bins), make([]float64, bins)
	for y := range im.Height {
		for x := range im.Width {
			if i := int(math.Floor(((float64(x)-start-slope*float64(y))*across + reach) / bin)); i >= 0 && i < bins {
				sum[i], count[i] = sum[i]+at(x, y), count[i]+1
			}
		}
	}
	spread := func(f float64) (s complex128) {
		for i := 1; i < bins; i++ {
			along := (float64(i) - float64(bins)/2) * bin
			window := 0.54 + 0.46*math.Cos(math.Pi*along/reach) // Hamming's
			s += complex((sum[i]/count[i]-sum[i-1]/count[i-1])*window, 0) * cmplx.Exp(complex(0, -2*math.Pi*f*along))
		}
		return s
	}
	for _, f := range frequencies {
		mtf = append(mtf, cmplx.Abs(spread(f))/cmplx.Abs(spread(0))/(sinc(f*bin)*sinc(f*bin)))
	}
	return mtf, [2]float64{across, -slope * across}
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// The modulation transfer of edges slanted by at most 5°, as in ISO 12233, is that of a square pixel's aperture, sinc(f
// cos θ)·sinc(f sin θ), within 5 % up to the Nyquist frequency, for all renderers. At other slants too, it is that of
// the renderers' own filters within 3 %, the error of fit and bins: four samples for edges of bodies, and the covered
// fraction of pixels for markings.
func TestEdgesHaveTheModulationTransferOfAPixel(t *testing.T) {
	frequencies := []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5}
	lens := optics.Pinhole{Width: 120, Height: 160, FX: 300, FY: 300, CX: 59.5, CY: 79.5}
	white := bare(shapes.Box(2, 8, 8))
	white.Materials[0].Color = mgl32.Vec3{0.7, 0.7, 0.7}
	white.Light.Background = mgl32.Vec3{0.1, 0.1, 0.1}
	painted := withFloor(bare(), 20, spatial.Mark{Kind: spatial.Segment, A: [2]float64{-5, 0}, B: [2]float64{5, 0},
		Width: 2})
	painted.Floor.LineColor, painted.Carpet = mgl32.Vec3{0.7, 0.7, 0.7}, mgl32.Vec3{0.1, 0.1, 0.1}
	for _, by := range renderers[:3] {
		name, open := by.name, by.open
		body, floor := open(t, white), open(t, painted)
		for _, degrees := range []float64{5, 8} {
			angle := degrees * spatial.Degree
			// The body is seen from x = −4 and its left edge from straight ahead, the marking's ends from above. The
			// camera's roll rotates both.
			ahead := forward(mgl64.Vec3{-4, 4, 30}, angle, 0, 0)
			above := spatial.RPY(mgl64.Vec3{0, 1, 3}, 0, math.Pi/2, 0).Mul(spatial.BodyToOptical())
			above.Rot = above.Rot.Mul(spatial.RotZ(angle))
			for _, c := range []struct {
				name string
				r    render.Renderer
				view render.View
				body bool
			}{{"body", body, colorView(lens, ahead), true}, {"marking", floor, colorView(lens, above), false}} {
				// far above the floor, whose shadows are on what is near
				poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0, 30})}
				if !c.body {
					poses = nil
				}
				draw(t, c.r, poses, c.view)
				line := fmt.Sprintf("%s, edge of a %s, %v°:", name, c.name, degrees)
				mtf, n := slantedEdge(c.view.Color, frequencies)
				if got := math.Abs(math.Asin(n[1])); !(math.Abs(got-angle) <= 0.2*spatial.Degree) {
					t.Fatalf("%s the edge is slanted by %.2f°", line, got/spatial.Degree)
				}
				for i, got := range mtf {
					f := frequencies[i]
					pixel := sinc(f*n[0]) * sinc(f*n[1])
					own := sinc(f) // a box as wide as a pixel, for every slant
					if c.body {
						var s complex128
						for _, at := range samples {
							s += cmplx.Exp(complex(0, 2*math.Pi*f*(at[0]*n[0]+at[1]*n[1]))) / 4
						}
						own = cmplx.Abs(s)
					}
					line += fmt.Sprintf(" %.3f (%.3f, %.3f)", got, own, pixel)
					if !(math.Abs(got/own-1) <= 0.03) {
						t.Errorf("%s at %v cycles a pixel the modulation is %.3f, want %.3f", line, f, got, own)
					}
					if degrees <= 5 && !(math.Abs(got/pixel-1) <= 0.05) {
						t.Errorf("%s at %v cycles a pixel the modulation is %.3f, want %.3f of a pixel's aperture",
							line, f, got, pixel)
					}
				}
				t.Log(line)
			}
		}
	}
}

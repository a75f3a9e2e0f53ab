package backend_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// outline is a polygon in an image, pixels.
type outline [][2]float64

// centre returns the polygon's area and centroid, by the shoelace formula.
func (o outline) centre() (u, v, area float64) {
	for i, p := range o {
		q := o[(i+1)%len(o)]
		c := p[0]*q[1] - q[0]*p[1]
		u, v, area = u+c*(p[0]+q[0])/6, v+c*(p[1]+q[1])/6, area+c/2
	}
	return u / area, v / area, math.Abs(area)
}

// bounds returns the pixels of an outline and of an edge of two pixels around it.
func (o outline) bounds() (u0, v0, u1, v1 int) {
	lo, hi := o[0], o[0]
	for _, p := range o {
		for k := range p {
			lo[k], hi[k] = math.Min(lo[k], p[k]), math.Max(hi[k], p[k])
		}
	}
	return int(lo[0]) - 2, int(lo[1]) - 2, int(hi[0]) + 3, int(hi[1]) + 3
}

// project returns the image of a closed curve, a function of an angle; ok is false unless all of it is well inside of
// the image.
func project(m optics.Model, curveC func(angle float64) mgl64.Vec3) (outline, bool) {
	const n = 256
	w, h := m.Size()
	o := make(outline, n)
	for i := range o {
		u, v, ok := m.Project(curveC(2 * math.Pi * float64(i) / n))
		if !ok || u < 3 || v < 3 || u > float64(w-4) || v > float64(h-4) {
			return nil, false
		}
		o[i] = [2]float64{u, v}
	}
	return o, true
}

// cameraCase is a camera at a place over the floor.
type cameraCase struct {
	name   string
	model  optics.Model
	poseWC spatial.Pose
}

func cameraCases() []cameraCase {
	rim := omni()
	rim.RimRadius *= 0.97 // a curve that the rim cuts has no complete outline
	return []cameraCase{
		{"front", optics.PinholeFromFOV(640, 480, 62*math.Pi/180), forward(mgl64.Vec3{-4, -0.5, 0.8}, 0.1, 0.25, 0.2)},
		{"kinect", kinect(), forward(mgl64.Vec3{3, 4, 0.7}, -0.05, 0.3, -2.3)},
		{"omni", rim, spatial.RPY(mgl64.Vec3{0.7, 0.4, 0.8}, 0.03, -0.02, 0.7).Mul(upward(mgl64.Vec3{}))},
	}
}

// miss compares an image with an outline on the outline's pixels: the distance of the centroids, and the relative
// difference of the light, in full pixels, and the area.
func miss(im *render.Image, o outline, full float64) (pixels, share float64) {
	u0, v0, u1, v1 := o.bounds()
	var mu, mv, sum float64
	for v := max(v0, 0); v <= min(v1, im.Height-1); v++ {
		for u := max(u0, 0); u <= min(u1, im.Width-1); u++ {
			w := green(im, u, v) / full
			mu, mv, sum = mu+w*float64(u), mv+w*float64(v), sum+w
		}
	}
	u, v, area := o.centre()
	return math.Hypot(mu/sum-u, mv/sum-v), sum/area - 1
}

// apart drops the outlines whose pixels overlap with those of others.
func apart(all []outline) (out []outline) {
	for i, o := range all {
		u0, v0, u1, v1 := o.bounds()
		alone := true
		for j, other := range all {
			a0, b0, a1, b1 := other.bounds()
			alone = alone && (i == j || u1 < a0 || a1 < u0 || v1 < b0 || b1 < v0)
		}
		if alone {
			out = append(out, o)
		}
	}
	return out
}

// check tests every outline against limits, in pixels of its centroid and relative to its light, and logs the worst.
func check(t *testing.T, im *render.Image, all []outline, full, limit, lightLimit float64) {
	t.Helper()
	worst, sum, light := 0.0, 0.0, 0.0
	for _, o := range all {
		m, share := miss(im, o, full)
		worst, sum, light = math.Max(worst, m), sum+m, math.Max(light, math.Abs(share))
		if u, v, area := o.centre(); !(m <= limit) || !(math.Abs(share) <= lightLimit) {
			t.Errorf("(%.1f, %.1f), %.0f px²: centroid off by %.3f px, want %v; light off by %.1f %%, want %.0f %%", u,
				v, area, m, limit, 100*share, 100*lightLimit)
		}
	}
	t.Logf("%d outlines: centroids off by %.3f px on average, %.3f px at worst; light by %.1f %% at worst", len(all),
		sum/float64(len(all)), worst, 100*light)
	if len(all) < 10 {
		t.Errorf("only %d outlines", len(all))
	}
}

// Small balls, so high that the floor does not dim them. The oracle is the cone that touches the sphere, projected by
// package optics. Four samples per pixel place an edge to a quarter of a pixel, and these errors average out along an
// outline. A mesh of 1280 faces has 0.6 % less area than its sphere, and an outline of 6 px² is sampled 24 times.
func TestSmallBallsAreSeenWhereTheirOutlinesProject(t *testing.T) {
	eachRasteriser(t, smallBallsAreSeenWhereTheirOutlinesProject)
}

func smallBallsAreSeenWhereTheirOutlinesProject(t *testing.T, open opener) {
	var meshes []render.Mesh
	var poses []spatial.Pose
	var radii []float64
	for i := range 15 * 15 {
		radius := 0.03 + 0.01*float64(i%4)
		meshes, radii = append(meshes, ball(radius)), append(radii, radius)
		poses = append(poses, spatial.Translation(mgl64.Vec3{float64(i%15) - 7 + 0.03*float64(i/15), float64(i/15) - 7,
			0.3 + radius}))
	}
	r := open(t, withFloor(bare(meshes...), 20))
	for _, c := range cameraCases() {
		t.Run(c.name, func(t *testing.T) {
			view := colorView(c.model, c.poseWC)
			draw(t, r, poses, view)
			var all []outline
			for i := range poses {
				p := c.poseWC.Inverse().Apply(poses[i].Pos)
				d := p.Len()
				sin := radii[i] / d
				cos := math.Sqrt(1 - sin*sin)
				axis := p.Mul(1 / d)
				a := axis.Cross(mgl64.Vec3{0.3, 0.5, 0.8}).Normalize()
				b := axis.Cross(a)
				o, ok := project(c.model, func(angle float64) mgl64.Vec3 {
					s, k := math.Sincos(angle)
					return axis.Mul(cos).Add(a.Mul(sin * k)).Add(b.Mul(sin * s))
				})
				if ok {
					all = append(all, o)
				}
			}
			all = apart(all)
			kept := all[:0]
			for _, o := range all {
				if _, _, area := o.centre(); area >= 6 {
					kept = append(kept, o)
				}
			}
			check(t, view.Color, kept, 1, 0.25, 0.15)
		})
	}
}

// Discs painted on the floor. The renderer computes a pixel's coverage as that of a strip as wide as the pixel's
// footprint in the disc's radial direction. That is exact for edges that are straight across a pixel, so spots are at
// least four pixels high.
func TestSpotsAreSeenWhereTheyProject(t *testing.T) { eachRasteriser(t, spotsAreSeenWhereTheyProject) }

func spotsAreSeenWhereTheyProject(t *testing.T, open opener) {
	const radius = 0.13
	var marks []spatial.Mark
	for i := range 15 * 15 {
		marks = append(marks, spatial.Mark{Kind: spatial.Spot,
			A: [2]float64{float64(i%15)*0.8 - 5.6 + 0.02*float64(i/15), float64(i/15)*0.8 - 5.6}, Radius: radius})
	}
	r := open(t, withFloor(bare(), 20, marks...))
	for _, c := range cameraCases() {
		t.Run(c.name, func(t *testing.T) {
			view := colorView(c.model, c.poseWC)
			draw(t, r, nil, view)
			var all []outline
			for _, k := range marks {
				o, ok := project(c.model, func(angle float64) mgl64.Vec3 {
					s, cos := math.Sincos(angle)
					return c.poseWC.Inverse().Apply(mgl64.Vec3{k.A[0] + radius*cos, k.A[1] + radius*s, 0})
				})
				if ok {
					all = append(all, o)
				}
			}
			all = apart(all)
			kept := all[:0]
			for _, o := range all {
				if u0, v0, u1, v1 := o.bounds(); min(u1-u0, v1-v0)-4 >= 4 {
					kept = append(kept, o)
				}
			}
			check(t, view.Color, kept, 0.8, 0.2, 0.15)
		})
	}
}

// A line across the view covers, in each column, the range between the images of its two edges.
func TestLinesAcrossTheViewKeepPlaceAndWidth(t *testing.T) {
	eachRasteriser(t, linesAcrossTheViewKeepPlaceAndWidth)
}

func linesAcrossTheViewKeepPlaceAndWidth(t *testing.T, open opener) {
	const width = 0.125
	m := optics.PinholeFromFOV(640, 480, 62*math.Pi/180)
	pose := forward(mgl64.Vec3{0, 0, 0.8}, 0, 0.25, 0)
	for _, x := range []float64{1.2, 2, 4, 8} {
		r := open(t, withFloor(bare(), 40, spatial.Mark{Kind: spatial.Segment, A: [2]float64{x, -15},
			B: [2]float64{x, 15}, Width: width}))
		view := colorView(m, pose)
		draw(t, r, nil, view)
		edge := func(x float64) float64 {
			_, v, _ := m.Project(pose.Inverse().Apply(mgl64.Vec3{x, 0, 0}))
			return v
		}
		far, near := edge(x+width/2), edge(x-width/2)
		worst := 0.0
		for u := 20; u < 620; u += 40 {
			sum, mean := 0.0, 0.0
			for v := max(int(far)-4, 0); v <= min(int(near)+4, m.Height-1); v++ {
				w := green(view.Color, u, v) / 0.8
				sum, mean = sum+w, mean+w*float64(v)
			}
			off := math.Abs(mean/sum - (far+near)/2)
			worst = math.Max(worst, off)
			// The paint's grain, ±6 % of its light, also shifts the centre of a line that is many rows wide.
			if !(off <= 0.15) || !scalar.EqualWithinAbs(sum/(near-far), 1, 0.08) {
				t.Errorf("%v m ahead, column %d: line at row %.3f, %.3f rows wide, want %.3f, %.3f", x, u, mean/sum,
					sum, (far+near)/2, near-far)
			}
		}
		t.Logf("%v m ahead: %.2f rows wide, off by %.3f rows at worst", x, near-far, worst)
	}
}

// From directly above, the sum of a line's light is its width in pixels, wherever it falls, also if it is thinner than
// a pixel. The carpet is black here, and the lines' grain is at most 12 %, less for large pixels.
func TestLinesKeepTheirWidth(t *testing.T) { eachRasteriser(t, linesKeepTheirWidth) }

func linesKeepTheirWidth(t *testing.T, open opener) {
	const width = 0.125
	for _, height := range []float64{3, 12, 40} {
		for _, offset := range []float64{0, 0.03, 0.11} {
			r := open(t, withFloor(bare(), 20, spatial.Mark{Kind: spatial.Segment, A: [2]float64{-10, offset},
				B: [2]float64{10, offset}, Width: width}))
			m := optics.PinholeFromFOV(160, 120, 0.8)
			view := colorView(m, forward(mgl64.Vec3{0, 0, height}, 0, math.Pi/2, 0)) // u runs along −y
			draw(t, r, nil, view)
			want := width * m.FX / height
			sum := 0.0
			rows := 0
			for v := 40; v < 80; v++ {
				rows++
				for u := range m.Width {
					sum += green(view.Color, u, v) / 0.8
				}
			}
			if got := sum / float64(rows); !scalar.EqualWithinAbs(got/want, 1, 0.1) {
				t.Errorf("from %v m, offset %v m: a line of %.3f pixels has the light of %.3f", height, offset, want,
					got)
			}
		}
	}
}

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
	for _, by := range renderers[:4] {
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

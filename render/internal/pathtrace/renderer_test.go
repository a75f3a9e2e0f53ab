package pathtrace

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var eye = optics.PinholeFromFOV(48, 36, 1)

// inHall is a ball and a box on a carpet in a hall with common light.
func inHall() (*render.Scene, []spatial.Pose) {
	s := &render.Scene{
		Floor: render.Floor{SizeX: 10, SizeY: 8, LineColor: mgl32.Vec3{0.8, 0.8, 0.8},
			Marks: []spatial.Mark{{Kind: spatial.Segment, B: [2]float64{3, 0}, Width: 0.1}}},
		Room: render.Room{Margin: 3, Height: 4, Floor: mgl32.Vec3{0.2, 0.2, 0.2}, Wall: mgl32.Vec3{0.4, 0.4, 0.4},
			Ceiling: mgl32.Vec3{0.6, 0.6, 0.6}},
		Meshes: []render.Mesh{shapes.Sphere(0.3, 4), shapes.BevelledBox(0.5, 0.5, 0.8, 0.02)},
		Bodies: []render.Body{{Parts: []render.Part{{Mesh: 0, Material: 0, PoseBP: spatial.Identity()}}},
			{Parts: []render.Part{{Mesh: 1, Material: 1, PoseBP: spatial.Identity(), Name: "box"}}}},
	}
	s.Light, s.Carpet = render.DefaultLighting().Light(), mgl32.Vec3{0.1, 0.3, 0.1}
	layer := mgl32.Vec3{0.04, 0.04, 0.04}
	s.Materials = []render.Material{{Color: mgl32.Vec3{0.8, 0.4, 0.1}, Color2: mgl32.Vec3{0.02, 0.02, 0.02},
		Pattern: render.SoccerBall, F0: layer, Roughness: 0.3}, {F0: mgl32.Vec3{0.9, 0.9, 0.9}, Metal: true}}
	return s, []spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0.5, 0.3}),
		spatial.Translation(mgl64.Vec3{0.3, -0.6, 0.4})}
}

// view returns a view with a Radiance.
func view(m optics.Model, poseWC spatial.Pose) render.View {
	w, h := m.Size()
	return render.View{Model: m, PoseWC: poseWC, Radiance: render.NewRadiance(w, h)}
}

func tracer(t testing.TB, s *render.Scene, how render.Tracing) *Renderer {
	t.Helper()
	r := must.Get(New(s, how))(t)
	t.Cleanup(r.Close)
	return r
}

func draw(t testing.TB, r *Renderer, poses []spatial.Pose, views ...render.View) {
	t.Helper()
	must.Do(t, r.Render(&render.Batch{PosesWB: poses, Views: views}))
}

var slanted = spatial.RPY(mgl64.Vec3{-2.5, 0, 1.2}, 0, 0.35, 0).Mul(spatial.BodyToOptical())

// The light of a hall's lamps and windows at the middle of its empty floor, including interreflection, equals plain
// light.
func TestFloorGetsWhatItGetsInPlainLight(t *testing.T) {
	for name, change := range map[string]func(*render.Lighting){
		"common":      func(*render.Lighting) {},
		"lamps alone": func(l *render.Lighting) { l.Ambient, l.LampTemperature = 0, 3000 },
		"from aside": func(l *render.Lighting) {
			l.Lamp, l.LampElevation, l.LampAzimuth, l.AmbientTemperature = 2, 0.5, 2, 9000
		},
		"windows": func(l *render.Lighting) { l.Lamp, l.Ambient = 0, 3 },
	} {
		s, _ := inHall()
		s.Bodies = nil
		lighting := render.DefaultLighting()
		change(&lighting)
		s.Light = lighting.Light()
		x := prepared(t, s)
		for c := range 3 {
			want := float64(s.Light.Lamp[c]*s.Light.DirectionW[2] + s.Light.Sky[c])
			got := measure(6000, func(r *random) float64 {
				return float64(x.irradiance(rays.V(0, 0, nearest), rays.V(0, 0, 1), r).Axis(c))
			})
			// Patches 3 m long represent the hall's faces, and the carpet's mean replaces its grain.
			if got.misses(want, 0.02*want) || !(got.sigma < 0.03*want) {
				t.Errorf("%s, colour %d: %.4f ± %.4f, want %.4f", name, c, got.mean, got.sigma, want)
			}
		}
	}
}

// A body is seen where the ray caster sees it: in uniform white light, black bodies darken the same pixels, except on
// outlines.
func TestOutlinesAreTheRayCasters(t *testing.T) {
	s, poses := inHall()
	s.Room, s.Floor, s.Light = render.Room{}, render.Floor{}, render.Light{Background: mgl32.Vec3{1, 1, 1}}
	for i := range s.Materials {
		s.Materials[i] = render.Material{}
	}
	mirror := must.Get(optics.NewMirror(optics.Pinhole{Width: 64, Height: 64, FX: 49, FY: 50, CX: 32, CY: 31},
		optics.Sphere{Radius: 0.08}, 0.07, 0.055))(t)
	for name, v := range map[string]render.View{
		"pinhole": view(eye, slanted),
		"hidden": {Model: eye, PoseWC: slanted, Radiance: render.NewRadiance(48, 36),
			Hidden: []render.Hidden{{Body: 1, Part: "box"}}},
		"mirror": view(mirror, spatial.Translation(mgl64.Vec3{-0.5, 0, 1.5})),
	} {
		r := tracer(t, s, render.Tracing{Samples: 16})
		v.Truth = render.NewTruth(v.Radiance.Width, v.Radiance.Height)
		draw(t, r, poses, v)
		bodies, w := 0, v.Radiance.Width
		for i, label := range v.Truth.Labels {
			alike := label != render.LabelNothing && i%w > 0 && i%w < w-1 && i >= w && i < len(v.Truth.Labels)-w
			for _, by := range []int{-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1} {
				alike = alike && v.Truth.Labels[i+by] == label
			}
			if !alike {
				continue // an outline
			}
			want := float32(1)
			if label >= render.LabelBody {
				want = 0
				bodies++
			}
			if got := v.Radiance.Light[3*i+1]; got != want {
				t.Fatalf("%s: pixel %d of label %d: %v, want %v", name, i, label, got, want)
			}
		}
		if bodies < 20 {
			t.Errorf("%s: only %d pixels show a body", name, bodies)
		}
	}
}

// The reported error falls as 1/√samples, and is correct: images with few and with many samples differ by no more.
func TestErrorIsWhatIsTold(t *testing.T) {
	s, poses := inHall()
	few, many := view(eye, slanted), view(eye, slanted)
	few.NoiseKey, many.NoiseKey = 1, 2
	draw(t, tracer(t, s, render.Tracing{Samples: 16}), poses, few)
	draw(t, tracer(t, s, render.Tracing{Samples: 256}), poses, many)
	if few.Radiance.Samples != 16 || many.Radiance.Samples != 256 {
		t.Fatalf("%d and %d samples", few.Radiance.Samples, many.Radiance.Samples)
	}
	var difference, variance, errorFew, errorMany float64
	n := len(few.Radiance.Light)
	for i := range n {
		a, b := float64(few.Radiance.Error[i]), float64(many.Radiance.Error[i])
		difference += float64(few.Radiance.Light[i]) - float64(many.Radiance.Light[i])
		variance += a*a + b*b
		errorFew, errorMany = errorFew+a*a, errorMany+b*b
	}
	// The three colours of a pixel use the same paths: their errors add up.
	if sigma := math.Sqrt(3 * variance); !(math.Abs(difference) <= 4*sigma) {
		t.Errorf("means differ by %.5f, more than 4·%.5f", difference/float64(n), sigma/float64(n))
	}
	if q := math.Sqrt(errorFew / errorMany); !(q > 3.2 && q < 5) {
		t.Errorf("16 times the samples have an error %.2f times smaller, want 4", q)
	}
}

// A stopped image keeps its samples.
func TestStoppedImagesAreFinished(t *testing.T) {
	s, poses := inHall()
	stop := make(chan struct{})
	var told []int
	how := render.Tracing{Samples: 1 << 20, Stop: stop, Progress: func(samples, of int) {
		if told = append(told, samples); len(told) == 3 {
			close(stop)
		}
	}}
	v := view(eye, slanted)
	draw(t, tracer(t, s, how), poses, v)
	if v.Radiance.Samples != 4 || !slices.Equal(told, []int{1, 2, 4, 4}) {
		t.Errorf("%d samples after %v", v.Radiance.Samples, told)
	}
	again := view(eye, slanted)
	draw(t, tracer(t, s, render.Tracing{Samples: 4}), poses, again)
	if !slices.Equal(v.Radiance.Light, again.Radiance.Light) {
		t.Error("an image that was stopped after 4 samples is not one of 4")
	}
}

// The light above white equals that of the radiance, cell by cell.
func TestLightAboveWhiteIsOfTheRadiance(t *testing.T) {
	s, poses := inHall()
	up := spatial.RPY([3]float64{-1, 0, 1}, 0, -0.9, 0).Mul(spatial.BodyToOptical())
	v := view(optics.PinholeFromFOV(41, 35, 1.8), up)
	v.Color = render.NewImage(41, 35)
	v.Color.KeepAbove()
	v.Color.Above[0] = float32(math.NaN()) // left over from another image
	draw(t, tracer(t, s, render.Tracing{Samples: 2}), poses, v)
	cols, rows := render.Cells(41, 35)
	sum := 0.0
	for i := range 3 * cols * rows {
		x0, y0, want, n := i/3%cols*render.CellSize, i/3/cols*render.CellSize, 0.0, 0
		for y := y0; y < min(y0+render.CellSize, 35); y++ {
			for x := x0; x < min(x0+render.CellSize, 41); x++ {
				want, n = want+max(float64(v.Radiance.Light[3*(y*41+x)+i%3])-1, 0), n+1
			}
		}
		if got := float64(v.Color.Above[i]); !scalar.EqualWithinAbsOrRel(got, want/float64(n), 1e-6, 1e-4) {
			t.Errorf("cell %d: %v above white, want %v", i, got, want/float64(n))
		}
		sum += want
	}
	if !(sum > 10) {
		t.Errorf("%v above white in all: no lamp is seen", sum)
	}
}

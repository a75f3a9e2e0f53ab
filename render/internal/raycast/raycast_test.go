package raycast_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// bare is a scene of white bodies in uniform light on a black background.
func bare(bodies ...render.Mesh) *render.Scene {
	one := mgl32.Vec3{1, 1, 1}
	s := &render.Scene{
		Shading: render.Shading{
			Materials: []render.Material{{Color: one}},
			Light:     render.Light{DirectionW: mgl32.Vec3{0, 0, 1}, Sky: one, Bounce: one},
		},
	}
	for _, m := range bodies {
		s.Meshes = append(s.Meshes, m)
		s.Bodies = append(s.Bodies,
			render.Body{Parts: []render.Part{{Mesh: len(s.Meshes) - 1, PoseBP: spatial.Identity()}}})
	}
	return s
}

func caster(t testing.TB, s *render.Scene) *raycast.Renderer {
	t.Helper()
	r, err := raycast.New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func draw(t testing.TB, r *raycast.Renderer, posesWB []spatial.Pose, views ...render.View) {
	t.Helper()
	if err := r.Render(&render.Batch{PosesWB: posesWB, Views: views}); err != nil {
		t.Fatal(err)
	}
}

func view(m optics.Model, poseWC spatial.Pose) render.View {
	w, h := m.Size()
	return render.View{Model: m, PoseWC: poseWC, Color: render.NewImage(w, h)}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

var under = optics.Pinhole{Width: 640, Height: 640, FX: 495, FY: 500, CX: 321, CY: 318}

// ray returns the origin and direction of a pixel's viewing ray.
func ray(m optics.Model, u, v float64) (o, d mgl64.Vec3, ok bool) {
	if skew, is := m.(optics.NonCentral); is {
		return skew.Ray(u, v)
	}
	d, ok = m.Unproject(u, v)
	return o, d, ok
}

// The oracle is the closed form of package optics: a small white sphere on a pixel's ray must be seen at that pixel,
// also with mirrors whose rays meet nowhere.
func TestMarkersAreSeenOnTheirRays(t *testing.T) {
	for name, m := range map[string]optics.Model{
		"pinhole":    optics.PinholeFromFOV(640, 480, 62*math.Pi/180),
		"hyperbolic": optics.Hyperbolic{Pinhole: under, K: 3.3, C: 0.12, RimRadius: 0.06},
		"fisheye": must(optics.NewKannalaBrandt(optics.Pinhole{Width: 640, Height: 480, FX: 210, FY: 205, CX: 322,
			CY: 236}, -0.02, 0.006, -0.004, 0.0006)),
		"spherical": must(optics.NewMirror(under, optics.Sphere{Radius: 0.08}, 0.07, 0.055)),
		"parabolic": must(optics.NewMirror(under, optics.Paraboloid{Radius: 0.06}, 0.07, 0.055)),
		"isometric": must(optics.NewGroundMirror(under, optics.LinearLaw(0.025), 0.78, 0.08, 0.055)),
	} {
		t.Run(name, func(t *testing.T) {
			const rounds, each, apart = 5, 30, 34.0
			const radius, pixels = 0.03, 4.0 // of a marker, metres and approximately in its image
			random := rand.New(rand.NewPCG(1, uint64(len(name))))
			var meshes []render.Mesh
			for range each {
				meshes = append(meshes, shapes.Sphere(radius, 3))
			}
			r := caster(t, bare(meshes...))
			pose := spatial.RPY(mgl64.Vec3{1, 2, 3}, 0.1, -0.2, 2)
			w, h := m.Size()
			worst, n := 0.0, 0
			for range rounds {
				var poses []spatial.Pose
				var want [][2]float64
				for tries := 0; len(poses) < each; tries++ {
					u, v := 20+random.Float64()*float64(w-40), 20+random.Float64()*float64(h-40)
					o, d, ok := ray(m, u, v)
					if tries > 2000 {
						poses = append(poses, spatial.Translation(mgl64.Vec3{0, 0, 1000}))
						continue
					}
					whole := ok
					for _, k := range [][2]float64{{16, 16}, {-16, 16}, {16, -16}, {-16, -16}} {
						_, _, inside := ray(m, u+k[0], v+k[1])
						whole = whole && inside
					}
					if !whole || slices.ContainsFunc(want, func(p [2]float64) bool {
						return math.Hypot(p[0]-u,
							p[1]-v) < apart
					}) {
						continue
					}
					angle := math.Inf(1) // of a pixel, if most rays share an origin
					for k := range 8 {
						s, c := math.Sincos(math.Pi / 8 * float64(k))
						_, next, _ := ray(m, u+c, v+s)
						angle = math.Min(angle, next.Sub(d).Len())
					}
					poses = append(poses, spatial.Translation(pose.Apply(o.Add(d.Mul(radius/(pixels*angle))))))
					want = append(want, [2]float64{u, v})
				}
				picture := view(m, pose)
				draw(t, r, poses, picture)
				for _, p := range want {
					u, v, light := centroid(picture.Color, p[0], p[1], 14)
					miss := math.Hypot(u-p[0], v-p[1])
					if !(light >= 3) || !(miss < 0.5) {
						t.Errorf("marker at (%.2f, %.2f) is seen at (%.2f, %.2f)", p[0], p[1], u, v)
					}
					worst = math.Max(worst, miss)
					n++
				}
			}
			t.Logf("%d markers: largest error %.3f px", n, worst)
		})
	}
}

func centroid(im *render.Image, u, v float64, reach int) (cu, cv, sum float64) {
	u0, v0 := int(math.Round(u)), int(math.Round(v))
	for y := max(v0-reach, 0); y <= min(v0+reach, im.Height-1); y++ {
		for x := max(u0-reach, 0); x <= min(u0+reach, im.Width-1); x++ {
			b := float64(im.Pix[3*(y*im.Width+x)]) / 255
			light := b / 12.92
			if b > 0.04045 { // IEC 61966-2-1
				light = math.Pow((b+0.055)/1.055, 2.4)
			}
			cu, cv, sum = cu+light*float64(x), cv+light*float64(y), sum+light
		}
	}
	return cu / sum, cv / sum, sum
}

// A ball above a floor, seen from above at a slant: both distances have closed forms.
func TestDepthOfBallAndFloor(t *testing.T) {
	const radius = 0.4
	s := bare(shapes.Sphere(radius, 5))
	s.Floor = render.Floor{SizeX: 20, SizeY: 20}
	m := optics.PinholeFromFOV(320, 240, 1)
	pose := spatial.RPY(mgl64.Vec3{-3, 0.3, 2}, 0, 0.55, 0).Mul(spatial.BodyToOptical())
	v := view(m, pose)
	v.Depth = render.NewDepth(320, 240)
	centre := mgl64.Vec3{0, 0.2, 0.5}
	draw(t, caster(t, s), []spatial.Pose{spatial.Translation(centre)}, v)
	onBall := 0
	for i, got := range v.Depth.Z {
		dC, _ := m.Unproject(float64(i%320), float64(i/320))
		d := pose.Rotate(dC)
		want := -pose.Pos[2] / d[2]
		if d[2] >= 0 {
			want = math.Inf(1)
		} else if p := pose.Pos.Add(d.Mul(want)); math.Abs(p[0]) > 10 || math.Abs(p[1]) > 10 {
			want = math.Inf(1)
		}
		to := centre.Sub(pose.Pos)
		along := to.Dot(d)
		off2 := radius*radius - (to.Dot(to) - along*along)
		if math.Abs(off2) < 0.01 {
			continue // the outline, which the mesh's edges only approximate
		}
		if off2 > 0 {
			want = along - math.Sqrt(off2)
			onBall++
		}
		want *= dC[2]
		// The mesh lies up to 0.4 mm inside of its sphere.
		if want != float64(got) && !scalar.EqualWithinAbs(float64(got), want, 2e-3) {
			t.Fatalf("pixel %d: depth %v, want %v", i, got, want)
		}
	}
	if onBall < 1000 {
		t.Errorf("only %d pixels show the ball", onBall)
	}
}

func TestPicturesDoNotDependOnProcessors(t *testing.T) {
	scene := func() *render.Scene {
		s := bare(shapes.Sphere(0.3, 3), shapes.BevelledBox(0.5, 0.5, 0.5, 0.05))
		s.Carpet = mgl32.Vec3{0.1, 0.3, 0.1}
		s.Floor = render.Floor{SizeX: 6, SizeY: 6, LineColor: mgl32.Vec3{1, 1, 1},
			Marks: []spatial.Mark{{Kind: spatial.Arc, Radius: 1, Sweep: 2 * math.Pi, Width: 0.1}}}
		s.Light.DirectionW, s.Light.Lamp = mgl32.Vec3{0.3, 0.2, 0.9}.Normalize(), mgl32.Vec3{0.6, 0.6, 0.6}
		return s
	}
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{1, 0, 0.3}), spatial.Translation(mgl64.Vec3{-0.4, 1, 0.25})}
	picture := func(r *raycast.Renderer) []byte {
		v := view(optics.Hyperbolic{Pinhole: under, K: 3.3, C: 0.12, RimRadius: 0.06},
			spatial.RPY(mgl64.Vec3{0, 0, 0.8}, 0, 0, 0))
		draw(t, r, poses, v)
		return v.Color.Pix
	}
	a := caster(t, scene())
	first, again := picture(a), picture(a)
	before := runtime.GOMAXPROCS(1)
	alone := picture(caster(t, scene()))
	runtime.GOMAXPROCS(before)
	if !bytes.Equal(first, again) || !bytes.Equal(first, alone) {
		t.Error("other bytes the second time, or with one processor")
	}
}

func TestBadFramesAreRefused(t *testing.T) {
	r := caster(t, bare(shapes.Sphere(1, 1)))
	v := view(optics.PinholeFromFOV(64, 48, 1), spatial.Identity())
	if err := r.Render(&render.Batch{Views: []render.View{v}}); err == nil {
		t.Error("a frame without poses was drawn")
	}
	v.Color = render.NewImage(32, 32)
	if err := r.Render(&render.Batch{PosesWB: []spatial.Pose{spatial.Identity()},
		Views: []render.View{v}}); err == nil {
		t.Error("an image of another size was drawn")
	}
	cube := view(optics.Hyperbolic{Pinhole: under, K: 3.3, C: 0.12, RimRadius: 0.06}, spatial.Identity())
	cube.CubeFace = 64
	if err := r.Render(&render.Batch{PosesWB: []spatial.Pose{spatial.Identity()},
		Views: []render.View{cube}}); !errors.Is(err, render.ErrCubeMap) {
		t.Errorf("a view through a cube map: error %v", err)
	}
	r.Close()
	r.Close()
	if err := r.Render(&render.Batch{PosesWB: []spatial.Pose{spatial.Identity()}}); err == nil {
		t.Error("a closed renderer drew")
	}
	s := bare(shapes.Sphere(1, 1))
	s.Meshes[0].Indices[0] = 9999
	if _, err := raycast.New(s); err == nil {
		t.Error("a broken mesh was taken")
	}
}

func TestChipsAndRangingsAreApplied(t *testing.T) {
	r := caster(t, bare(shapes.Box(0.4, 0.4, 0.4)))
	c := &render.Chip{FullWell: 500, ReadNoise: 12, Exposure: 0.5, Gain: 1, Balance: [3]float64{1, 1, 1}}
	pose := spatial.BodyToOptical()
	views := []render.View{view(under, pose), view(under, pose), view(under, pose)}
	for i := range views[1:] {
		views[1+i].Chip, views[1+i].NoiseKey = c, uint64(i)
	}
	draw(t, r, []spatial.Pose{spatial.Translation(mgl64.Vec3{2, 0, 0})}, views...)
	if bytes.Equal(views[1].Color.Pix, views[2].Color.Pix) {
		t.Error("two keys give the same image")
	}
	var p chip.Processor
	p.Apply(views[0].Color, c, 1)
	if !bytes.Equal(views[0].Color.Pix, views[2].Color.Pix) {
		t.Error("an image with a chip is not one without to which the chip is applied")
	}
	ranging := &render.Ranging{Min: 0.5, Max: 8, Axial: [3]float64{0.0015, 0, 0.0003}, Slant: [2]float64{0, 0.0001},
		Lateral: [2]float64{0.8, 0}, Flying: 0.4, Dropout: 0.2}
	for i := range views {
		views[i].Color, views[i].Depth, views[i].Ranging = nil, render.NewDepth(under.Width, under.Height), ranging
	}
	views[0].Ranging = nil
	draw(t, r, []spatial.Pose{spatial.Translation(mgl64.Vec3{2, 0, 0})}, views...)
	if slices.Equal(views[1].Depth.Z, views[2].Depth.Z) {
		t.Error("two keys measure the same")
	}
	p.Measure(views[0].Depth, ranging, under, 1)
	if !slices.Equal(views[0].Depth.Z, views[2].Depth.Z) {
		t.Error("measured distances are not true ones to which the ranging is applied")
	}
}

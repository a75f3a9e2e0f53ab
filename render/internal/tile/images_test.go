package tile

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// rendererOf makes a renderer with the given kernels and number of workers.
func rendererOf(t testing.TB, s *render.Scene, instructions, workers int) *Renderer {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	r := must.Get(newRenderer(s, supportedKernels()[instructions]))(t)
	t.Cleanup(r.Close)
	return r
}

func drawn(t testing.TB, r *Renderer, posesWB []spatial.Pose, views []render.View) []render.View {
	t.Helper()
	views = withNewImages(views)
	must.Do(t, r.Render(&render.Batch{PosesWB: posesWB, Views: views}))
	return views
}

// same reports whether two images have the same bytes, light above white and depths.
func same(a, b *render.View) bool {
	if !bytes.Equal(a.Color.Pix, b.Color.Pix) || !slices.Equal(a.Color.Above, b.Color.Above) {
		return false
	}
	return a.Depth == nil || slices.Equal(a.Depth.Z, b.Depth.Z)
}

// With fused multiply-add, bytes do not depend on the width of the vectors. Without, few differ.
func TestInstructionsAgree(t *testing.T) {
	all, off, far := 0, 0, 0
	for seed := range uint64(10) {
		r := newRandom(seed)
		s := r.scene()
		poses, views := r.poses(len(s.Bodies)), r.views(6)
		var with []*Renderer
		for i := range supportedKernels() {
			with = append(with, rendererOf(t, s, i, 1))
		}
		first := drawn(t, with[0], poses, views)
		for i, other := range with[1:] {
			again := drawn(t, other, poses, views)
			for k := range views {
				if nameOf(other.kernel) != "base" {
					if !same(&first[k], &again[k]) {
						t.Errorf("seed %d, view %d, a %T: %s draws other bytes than %s", seed, k, views[k].Model,
							nameOf(other.kernel), nameOf(with[i].kernel))
					}
					continue
				}
				for at, x := range first[k].Color.Pix {
					y := again[k].Color.Pix[at]
					all++
					switch d := max(x, y) - min(x, y); {
					case d > 8:
						far++
						fallthrough
					case d > 1:
						off++
					}
				}
			}
		}
		for _, r := range with {
			r.Close()
		}
	}
	if all == 0 {
		t.Skip("this processor has no instructions but those of any")
	}
	t.Logf("base: of %d bytes %d differ by more than 1, %d by more than 8", all, off, far)
	if !(float64(off) <= 0.001*float64(all)) {
		t.Errorf("base: %d of %d bytes differ by more than 1, %d by more than 8: want at most 1 in 1000", off, all, far)
	}
}

// An image does not depend on the worker that draws it, on the other images of its batch, or on earlier images.
func TestImagesDependOnTheirViewAlone(t *testing.T) {
	for seed := range uint64(3) {
		r := newRandom(100 + seed)
		s := r.scene()
		poses, views := r.poses(len(s.Bodies)), r.views(20)
		for i := range s.Bodies {
			if s.Bodies[i].Static {
				poses[i] = spatial.Identity()
			}
		}
		var want []render.View
		alone := rendererOf(t, s, 0, 1)
		for k := range views {
			want = append(want, drawn(t, alone, poses, views[k:k+1])...)
		}
		other := s.Shading
		other.Light = r.light(len(s.Light.Spots))
		other.Light.Shadowless = s.Light.Shadowless
		elsewhere := r.poses(len(s.Bodies))
		for i := range s.Bodies {
			if s.Bodies[i].Static {
				elsewhere[i] = poses[i]
			}
		}
		for _, workers := range []int{1, 2, 3, 7} {
			with := rendererOf(t, s, 0, workers)
			check := func(when string, from int, got []render.View) {
				t.Helper()
				for k := range got {
					if !same(&got[k], &want[from+k]) {
						t.Errorf("seed %d, %d workers, view %d, a %T: other bytes %s than alone", seed, workers, from+k,
							views[from+k].Model, when)
					}
				}
			}
			check("in company", 0, drawn(t, with, poses, views))
			check("again", 0, drawn(t, with, poses, views))
			must.Do(t, with.Render(&render.Batch{PosesWB: elsewhere, Shading: &other,
				Views: withNewImages(views[:3])}))
			check("after other poses and light", 0, drawn(t, with, poses, views[:8]))
			for k := 0; k < len(views); k += 3 {
				check("by all", k, drawn(t, with, poses, views[k:k+1]))
			}
			with.Close()
		}
	}
}

func TestFramesAllocateNothing(t *testing.T) {
	r := newRandom(7)
	s := crowded()
	poses, views := scattered(r.Rand, len(s.Bodies)), r.views(20)
	with := rendererOf(t, s, 0, 2)
	drawn(t, with, poses, views)
	checkAllocatesNothing(t, with, poses, views, 1, 2, 3, 20)
}

// checkAllocatesNothing fails if a renderer that has drawn some views allocates memory in batches of the first of them.
func checkAllocatesNothing(t *testing.T, with *Renderer, poses []spatial.Pose, views []render.View, sizes ...int) {
	t.Helper()
	for _, s := range with.shots { // any of them may draw any view next
		for k := range views {
			must.Do(t, s.set(with.scene, with.tables[k], &views[k], poses, with.rotations))
		}
	}
	for _, n := range sizes {
		f, least := &render.Batch{PosesWB: poses, Views: views[:n]}, math.Inf(1)
		for range 3 { // the runtime itself sometimes allocates when goroutines wait
			least = min(least, testing.AllocsPerRun(3, func() {
				must.Do(t, with.Render(f))
			}))
		}
		if least > 0 {
			t.Errorf("a batch of %d views makes %v allocations", n, least)
		}
	}
}

// random draws small random scenes, and views of them.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 20))} }

func (r random) between(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }
func (r random) once(in int) bool               { return r.IntN(in) == 0 }
func (r random) color(most float64) mgl32.Vec3 {
	return mgl32.Vec3{float32(r.between(0, most)), float32(r.between(0, most)), float32(r.between(0, most))}
}

// scene returns a scene with or without bodies, carpet, markings, hall, crowd, wear, lamps and shadows.
func (r random) scene() *render.Scene {
	s := &render.Scene{Meshes: []render.Mesh{
		shapes.Sphere(0.15, 2), shapes.BevelledBox(0.5, 0.5, 0.7, 0.04), shapes.Cylinder(0.03, 2, 8),
		shapes.Box(1, 0.02, 1), shapes.Box(4, 0.3, 1),
	}}
	s.Materials = []render.Material{
		{Color: r.color(1)}, {Color: r.color(1), Color2: r.color(0.1), Pattern: render.SoccerBall, Gloss: 0.2,
			Shininess: 30},
		{Color: r.color(1), Pattern: render.Net}, {Color: r.color(0.3), Gloss: 0.5, Shininess: 80},
	}
	for range r.IntN(8) {
		b := render.Body{Static: r.once(4)}
		for range 1 + r.IntN(2) {
			b.Parts = append(b.Parts, render.Part{Mesh: r.IntN(len(s.Meshes)), Material: r.IntN(len(s.Materials)),
				PoseBP: r.pose(0.2)})
		}
		s.Bodies = append(s.Bodies, b)
	}
	s.Carpet = r.color(0.5)
	if !r.once(4) {
		s.Floor = render.Floor{SizeX: r.between(2, 14), SizeY: r.between(2, 9), LineColor: r.color(1),
			Wear: float64(r.IntN(2)) * 0.4}
		for range r.IntN(6) {
			s.Floor.Marks = append(s.Floor.Marks, spatial.Mark{
				Kind: spatial.MarkKind(r.IntN(3)), A: [2]float64{r.between(-3, 3), r.between(-3, 3)},
				B:     [2]float64{r.between(-3, 3), r.between(-3, 3)},
				Width: r.between(0.05, 0.3), Radius: r.between(0.1, 2), From: r.between(-3, 3),
				Sweep: r.between(0.1, 2*math.Pi),
			})
		}
	}
	if r.once(2) {
		s.Room = render.Room{Margin: r.between(0.5, 3), Height: r.between(1, 4), Floor: r.color(0.3)}
		if r.once(2) {
			s.Room.Picture, s.Room.PictureWidth = render.NewImage(16, 8), 3
			for i := range s.Room.Picture.Pix {
				s.Room.Picture.Pix[i] = byte(r.IntN(256))
			}
		}
	}
	s.Light = r.light(r.IntN(3))
	s.Light.Shadowless = r.once(4)
	return s
}

func (r random) light(spots int) render.Light {
	l := render.Light{
		DirectionW: mgl32.Vec3{float32(r.between(-0.6, 0.6)), float32(r.between(-0.6, 0.6)), 1}.Normalize(),
		Lamp:       r.color(0.8), Sky: r.color(0.5), Bounce: r.color(0.3), Background: r.color(1), Wall: r.color(1),
		Tube: r.color(0.1),
	}
	for range spots {
		l.Spots = append(l.Spots, render.PointLamp{PosW: mgl32.Vec3{float32(r.between(-5, 5)),
			float32(r.between(-5, 5)), float32(r.between(0.5, 5))}, Light: r.color(4)})
	}
	return l
}

// pose returns a pose within a distance of the origin.
func (r random) pose(within float64) spatial.Pose {
	p := spatial.RPY(mgl64.Vec3{}, r.between(-4, 4), r.between(-2, 2), r.between(-4, 4))
	p.Pos = mgl64.Vec3{r.between(-within, within), r.between(-within, within), r.between(-within/4, within/2)}
	return p
}

func (r random) poses(n int) []spatial.Pose {
	poses := make([]spatial.Pose, n)
	for i := range poses {
		poses[i] = r.pose(3)
	}
	return poses
}

// fisheye is a lens that sees up to 1.5 rad from its axis. The renderer has no formula for it.
func fisheye() optics.Model {
	m, err := optics.NewKannalaBrandt(optics.Pinhole{Width: 204, Height: 160, FX: 70, FY: 70, CX: 100, CY: 80}, 0, 0, 0,
		-0.0043)
	if err != nil {
		panic(err)
	}
	return m
}

// view returns a view of few pixels with any kind of model.
func (r random) view() render.View {
	sizes := [][2]int{{16, 16}, {17, 33}, {64, 48}, {90, 70}, {1, 1}, {130, 5}, {2, 300}, {4096, 16}}
	size := sizes[r.IntN(len(sizes))]
	w, h := float64(size[0]), float64(size[1])
	p := optics.Pinhole{Width: size[0], Height: size[1], FX: w * r.between(0.3, 2), FY: w * r.between(0.3, 2),
		CX: w * r.between(0.3, 0.7), CY: h * r.between(0.3, 0.7)}
	v := render.View{PoseWC: r.pose(4), Color: render.NewImage(size[0], size[1]), Vignetting: float64(r.IntN(2)) * 0.5,
		NoiseKey: r.Uint64()}
	v.PoseWC.Pos[2] = math.Abs(v.PoseWC.Pos[2])
	switch r.IntN(6) {
	case 0, 1, 2:
		v.Model = p
		if r.once(2) {
			v.Depth = render.NewDepth(size[0], size[1])
		}
	case 3, 4:
		v.Model = optics.Hyperbolic{Pinhole: p, K: r.between(2.5, 5), C: 0.12, RimRadius: r.between(0.03, 0.07)}
	default: // the same for all views, since its tables take long
		v.Model, v.Color = fisheye(), render.NewImage(204, 160)
	}
	if r.once(2) {
		v.Chip = &render.Chip{FullWell: 2000, ReadNoise: 12, Exposure: r.between(0.2, 2), Gain: 1,
			Balance: [3]float64{1, 1.1, 0.9}, Bayer: v.Color.Width > 1 && v.Color.Height > 1 && r.once(2)}
	}
	return v
}

func (r random) views(n int) []render.View {
	views := make([]render.View, n)
	for i := range views {
		views[i] = r.view()
	}
	return views
}

// withNewImages returns the same views with new images.
func withNewImages(views []render.View) []render.View {
	other := make([]render.View, len(views))
	for i, v := range views {
		v.Color = render.NewImage(v.Color.Width, v.Color.Height)
		v.Color.KeepAbove()
		if v.Depth != nil {
			keeps := v.Depth.Reflectance != nil
			if v.Depth = render.NewDepth(v.Depth.Width, v.Depth.Height); keeps {
				v.Depth.KeepReflectance()
			}
		}
		other[i] = v
	}
	return other
}

// wildPoses are invalid or extreme poses.
func wildPoses() map[string]spatial.Pose {
	nan, inf := math.NaN(), math.Inf(1)
	turn := spatial.Identity()
	turn.Rot.W = nan
	return map[string]spatial.Pose{
		"not a number":     spatial.Translation(mgl64.Vec3{nan, nan, nan}),
		"one not a number": spatial.Translation(mgl64.Vec3{1, nan, 0}),
		"infinite":         spatial.Translation(mgl64.Vec3{inf, -inf, inf}), "turned by what is not a number": turn,
		"far": spatial.Translation(mgl64.Vec3{1e30, 1e30, 1e30}), "farther": spatial.Translation(mgl64.Vec3{-1e300, 0,
			1}), "deep": spatial.Translation(mgl64.Vec3{0, 0, -1e9}),
	}
}

// A body with a wild pose does not change the rest of the image.
func TestWildPosesHarmNothingElse(t *testing.T) {
	for seed := range uint64(4) {
		r := newRandom(200 + seed)
		s := crowded()
		poses, views := scattered(r.Rand, len(s.Bodies)), r.views(6)
		with := rendererOf(t, s, 0, 2)
		last := len(poses) - 3 // a post
		poses[last] = spatial.Translation(mgl64.Vec3{0, 0, -80})
		want := drawn(t, with, poses, views)
		for name, pose := range wildPoses() {
			poses[last] = pose
			for k, got := range drawn(t, with, poses, views) {
				if !same(&got, &want[k]) {
					t.Errorf("seed %d, view %d, a %T: other bytes with a body whose pose is %s", seed, k, got.Model,
						name)
				}
			}
		}
	}
}

// Views from inside of bodies, behind mirrors and across the near plane must not crash or hang.
func FuzzDrawing(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, wild uint8) {
		r := newRandom(seed)
		s := r.scene()
		poses, views := r.poses(len(s.Bodies)), r.views(1+r.IntN(3))
		scales := []float64{0, 1e-3, 0.1, 1, 1e3, 1e9, 1e30, math.MaxFloat64, math.Inf(1), math.NaN()}
		for i := range poses {
			if !r.once(1 + int(wild%4)) {
				continue
			}
			for axis := range 3 {
				poses[i].Pos[axis] *= scales[r.IntN(len(scales))]
			}
			if r.once(4) {
				poses[i].Rot.W = scales[r.IntN(len(scales))]
			}
		}
		for k := range views {
			v := &views[k]
			switch {
			case wild&4 != 0 && len(poses) > 0: // in a body
				v.PoseWC.Pos = poses[r.IntN(len(poses))].Pos
			case wild&8 != 0:
				v.PoseWC.Pos[r.IntN(3)] *= scales[r.IntN(len(scales))]
			case wild&16 != 0:
				v.PoseWC.Rot.V[r.IntN(3)] = scales[r.IntN(len(scales))]
			}
			if p, ok := v.Model.(optics.Pinhole); ok && wild&32 != 0 {
				p.FX *= scales[r.IntN(len(scales))]
				p.CY *= scales[r.IntN(len(scales))]
				v.Model = p
			}
		}
		best := 0
		if wild&64 != 0 {
			best = len(supportedKernels()) - 1
		}
		with := rendererOf(t, s, best, 2)
		defer with.Close()
		must.Do(t, with.Render(&render.Batch{PosesWB: poses, Views: views}))
		if wild&128 != 0 {
			sane := r.poses(len(s.Bodies))
			drawn(t, with, sane, r.views(1))
		}
	})
}

func TestManyMayDrawAndClose(t *testing.T) {
	s := crowded()
	r := newRandom(400)
	poses, views := scattered(r.Rand, len(s.Bodies)), r.views(4)
	with := rendererOf(t, s, 0, 3)
	want := drawn(t, with, poses, views)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 4 {
				got := withNewImages(views)
				if err := with.Render(&render.Batch{PosesWB: poses, Views: got}); err != nil {
					t.Error(err)
				}
				for k := range got {
					if !bytes.Equal(got[k].Color.Pix, want[k].Color.Pix) {
						t.Errorf("view %d: its bytes change when other batches are drawn concurrently", k)
					}
				}
			}
		})
	}
	all.Wait()
	with.Close()
	with.Close()
	must.Fail(t, with.Render(&render.Batch{PosesWB: poses, Views: views}), "", "Render after Close reports no error")
}

// Black convex bodies on a white background. Where the rays around a pixel meet a body in closed form, the whole pixel
// shows it. Any light would be a crack between triangles.
func TestMeshesHaveNoCracks(t *testing.T) {
	const radius = 0.4
	side := mgl64.Vec3{0.5, 0.7, 0.3}
	s := &render.Scene{
		Meshes: []render.Mesh{shapes.Sphere(radius, 4), shapes.Box(side[0], side[1], side[2])},
		Bodies: []render.Body{{Parts: []render.Part{{Mesh: 0, PoseBP: spatial.Identity()}}},
			{Parts: []render.Part{{Mesh: 1, PoseBP: spatial.Identity()}}}},
		Shading: render.Shading{
			Materials: []render.Material{{}},
			Light: render.Light{DirectionW: mgl32.Vec3{0, 0, 1}, Lamp: mgl32.Vec3{1, 1, 1},
				Sky: mgl32.Vec3{1, 1, 1}, Background: mgl32.Vec3{1, 1, 1}},
		},
	}
	const inside = 0.98 * radius // inside of the flat faces
	ball := func(o, d mgl64.Vec3) bool {
		b := o.Dot(d)
		return b < 0 && b*b-d.LenSqr()*(o.LenSqr()-inside*inside) > 0
	}
	box := func(o, d mgl64.Vec3) bool {
		near, far := 0.0, math.Inf(1)
		for k := range 3 {
			a, b := (-side[k]/2-o[k])/d[k], (side[k]/2-o[k])/d[k]
			near, far = math.Max(near, math.Min(a, b)), math.Min(far, math.Max(a, b))
		}
		return near < far
	}
	r := newRandom(1)
	checked := [2]int{}
	for i := range supportedKernels() {
		with := rendererOf(t, s, i, 1)
		for try := range 70 {
			v := r.view()
			for v.Color.Width < 60 {
				v = r.view()
			}
			v.Chip, v.Vignetting, v.Depth = nil, 0, nil
			v.PoseWC.Pos[2] = 10 // no shadow falls there
			reach := 1.0
			if _, ok := v.Model.(optics.Pinhole); !ok {
				reach = 2 // edges are within half a pixel of the true curves
			}
			w, h := v.Color.Width, v.Color.Height
			dirC, ok := v.Model.Unproject(r.between(0.2, 0.8)*float64(w), r.between(0.2, 0.8)*float64(h))
			if !ok {
				continue
			}
			far := []spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0, -500}),
				spatial.Translation(mgl64.Vec3{0, 0, -500})}
			which := try % 2
			far[which] = r.pose(0)
			far[which].Pos = v.PoseWC.Apply(dirC.Normalize().Mul(r.between(0.6, 4)))
			image := drawn(t, with, far, []render.View{v})[0].Color
			meets, into := [2]func(o, d mgl64.Vec3) bool{ball, box}[which], far[which].Inverse()
			for p := range w * h {
				covered := true
				for _, off := range [][2]float64{{-reach, -reach}, {reach, -reach}, {-reach, reach}, {reach, reach}} {
					d, ok := v.Model.Unproject(float64(p%w)+off[0], float64(p/w)+off[1])
					covered = covered && ok && meets(into.Apply(v.PoseWC.Pos), into.Rotate(v.PoseWC.Rotate(d)))
				}
				if !covered {
					continue
				}
				checked[which]++
				if c := image.Pix[3*p : 3*p+3]; c[0] > 0 || c[1] > 0 || c[2] > 0 {
					t.Fatalf("%s, try %d, a %T: pixel (%d, %d) of a black body is %v", nameOf(with.kernel), try,
						v.Model, p%w, p/w, c)
				}
			}
		}
		with.Close()
	}
	t.Logf("%d pixels of balls and %d of boxes", checked[0], checked[1])
	if checked[0] < 10000 || checked[1] < 10000 {
		t.Errorf("only %d pixels of balls and %d of boxes were checked", checked[0], checked[1])
	}
}

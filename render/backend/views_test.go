package backend_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/pathtrace"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// An image has the same bytes from another renderer that draws it alone and on one processor. It depends neither on
// the other images of its batch, nor on what was drawn before. The batch has more views than are drawn at once.
func TestViewsAreDrawnAsAlone(t *testing.T) { each(t, len(renderers), viewsAreDrawnAsAlone) }

func viewsAreDrawnAsAlone(t *testing.T, open opener) {
	s := withFloor(bare(ball(0.3), shapes.BevelledBox(0.5, 0.5, 0.5, 0.05)), 6,
		spatial.Mark{Kind: spatial.Spot, Radius: 0.5})
	grey := mgl32.Vec3{0.5, 0.5, 0.5}
	s.Light = render.Light{DirectionW: mgl32.Vec3{0.3, 0.2, 0.9}.Normalize(), Lamp: grey, Sky: grey, Background: grey}
	s.Carpet = mgl32.Vec3{0.1, 0.3, 0.1}
	r := open(t, s)
	_, opengl := r.(*gl.Renderer)
	before := runtime.GOMAXPROCS(1)
	alone := open(t, s)
	runtime.GOMAXPROCS(before)
	poses, small := []spatial.Pose{at(1, 0, 0.3), at(-0.4, 1, 0.25)}, optics.PinholeFromFOV(40, 32, 1.2)
	mirror := omni()
	mirror.Pinhole = optics.Pinhole{Width: 64, Height: 64, FX: 50, FY: 50, CX: 32, CY: 32}
	var views []render.View
	for i := range 80 {
		v := colorView(small, forward(mgl64.Vec3{-2, 0, 1}, 0, 0.3, 0.02*float64(i)-0.8))
		switch i % 8 {
		case 1:
			v = colorView(mirror, upward(mgl64.Vec3{0.02 * float64(i), 0, 0.8}))
			if opengl { // views with the same model share a cube
				v.CubeFace = []int{0, 64, 64, 96}[i/8%4]
			}
		case 2:
			v.Depth = render.NewDepth(40, 32)
		case 3:
			v.Hidden, v.Vignetting = []render.Hidden{{Body: 1}}, 1
		}
		views = append(views, v)
	}
	drawAll := func(r render.Renderer, poses []spatial.Pose, views []render.View) []render.View {
		t.Helper()
		views = slices.Clone(views)
		for i := range views {
			v := &views[i]
			v.Color = render.NewImage(v.Color.Width, v.Color.Height)
			if v.Depth != nil {
				v.Depth = render.NewDepth(v.Color.Width, v.Color.Height)
			}
		}
		draw(t, r, poses, views...)
		return views
	}
	first := drawAll(r, poses, views)
	drawAll(r, []spatial.Pose{at(0, 0, 0.6), at(-1, 0, 0.25)}, views[:9])
	slices.Reverse(views)
	again := drawAll(r, poses, views)
	slices.Reverse(views)
	slices.Reverse(again)
	kinds := map[string]bool{}
	for i := range views {
		want := drawAll(alone, poses, views[i:i+1])[0]
		for when, got := range map[string]render.View{"first": first[i], "again": again[i]} {
			if !bytes.Equal(got.Color.Pix, want.Color.Pix) {
				t.Errorf("%s: view %d: other pixels than alone", when, i)
			}
			if got.Depth != nil && !slices.Equal(got.Depth.Z, want.Depth.Z) {
				t.Errorf("%s: view %d: other depths than alone", when, i)
			}
		}
		kinds[string(want.Color.Pix)] = true
	}
	if len(kinds) < 60 {
		t.Errorf("%d views have only %d different images", len(views), len(kinds))
	}
}

// The faults of chips and rangings equal those of package chip, separately for each view. Shaders, which apply them
// to groups of views, may round otherwise.
func TestChipsAndRangingsAreApplied(t *testing.T) {
	card, _ := gl.GraphicsCard() // draws in groups
	t.Run("opengl", func(t *testing.T) { chipsAndRangingsAreApplied(t, opengl, card) })
	t.Run("groups", func(t *testing.T) { chipsAndRangingsAreApplied(t, grouped, true) })
	t.Run("raycast", func(t *testing.T) { chipsAndRangingsAreApplied(t, caster, false) })
}

// alike reports whether the same is true of all n values, or of all but one in two hundred if rounded is true: JPEG
// spreads rounding over a block.
func alike(n int, rounded bool, same func(i int) bool) bool {
	others := 0
	for i := range n {
		if !same(i) {
			others++
		}
	}
	return others == 0 || rounded && others <= n/200
}

func chipsAndRangingsAreApplied(t *testing.T, open opener, rounded bool) {
	r := open(t, withFloor(bare(shapes.Box(0.4, 0.4, 0.4)), 8))
	noisy := render.Chip{FullWell: 500, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
	mosaic, glary := noisy, noisy
	mosaic.Bayer, glary.Glare, glary.JPEGQuality = true, 0.2, 90
	chips := []*render.Chip{nil, &noisy, &noisy, &mosaic, &glary}
	ranging := render.Ranging{Min: 0.5, Max: 8, Axial: [3]float64{0.0015, 0, 0.0003}, Slant: [2]float64{0, 0.0001},
		Lateral: [2]float64{0, 0.0016}, Flying: 0.4, Dropout: 0.2}
	m := optics.Pinhole{Width: 128, Height: 106, FX: 90, FY: 91, CX: 62, CY: 54}
	batch := render.Batch{PosesWB: []spatial.Pose{at(2, 0, 0.2)}}
	for i, c := range chips {
		v := colorView(m, forward(mgl64.Vec3{0, 0, 0.5}, 0, 0.2, 0))
		v.Chip, v.NoiseKey, v.Depth = c, uint64(i), render.NewDepth(v.Color.Width, v.Color.Height)
		if i > 0 {
			v.Ranging = &ranging
		}
		batch.Views = append(batch.Views, v)
	}
	draw(t, r, batch.PosesWB, batch.Views...)
	var p chip.Processor
	ideal := batch.Views[0]
	for i, c := range chips {
		v := batch.Views[i]
		want := &render.Image{Width: ideal.Color.Width, Height: ideal.Color.Height, Pix: bytes.Clone(ideal.Color.Pix)}
		p.Apply(want, c, uint64(i))
		if !alike(len(want.Pix), rounded, func(k int) bool {
			d := int(v.Color.Pix[k]) - int(want.Pix[k])
			return d == 0 || rounded && max(d, -d) == 1
		}) {
			t.Errorf("view %d is not the view without a chip with the chip applied", i)
		}
		distances := &render.Depth{Width: want.Width, Height: want.Height, Z: slices.Clone(ideal.Depth.Z)}
		p.Measure(distances, v.Ranging, m, uint64(i))
		if !alike(len(distances.Z), rounded, func(k int) bool { return v.Depth.Z[k] == distances.Z[k] }) {
			t.Errorf("the distances of view %d are not the true ones with the ranging applied", i)
		}
		if i > 0 && (bytes.Equal(v.Color.Pix, batch.Views[i-1].Color.Pix) ||
			slices.Equal(v.Depth.Z, batch.Views[i-1].Depth.Z)) {
			t.Errorf("view %d is the same as the one before", i)
		}
	}
	if _, ok := r.(*gl.Renderer); ok {
		checkAllocatesNothing(t, r, func() *render.Batch { return &batch })
	}
	noisy.FullWell = 0
	must.Fail(t, r.Render(&batch), "", "a chip without electrons was drawn with")
}

// asked counts the images to which it is asked to apply a chip or a ranging.
type asked struct{ images, distances atomic.Int32 }

func (a *asked) Apply(*render.Image, *render.Chip, uint64) { a.images.Add(1) }

func (a *asked) Compress(*render.Image, int) { a.images.Add(1) }

func (a *asked) Measure(*render.Depth, *render.Ranging, optics.Pinhole, uint64) { a.distances.Add(1) }

func TestVectorsApplyChipsAndRangings(t *testing.T) {
	if card, says := gl.GraphicsCard(); card {
		t.Skipf("shaders apply them: %s", says)
	}
	r := opengl(t, withFloor(bare(shapes.Box(0.4, 0.4, 0.4)), 8))
	var a asked
	r.(*gl.Renderer).SetVectors(&a)
	v := colorView(kinect(), forward(mgl64.Vec3{0, 0, 0.5}, 0, 0.2, 0))
	ideal := colorView(kinect(), v.PoseWC)
	v.Chip = &render.Chip{FullWell: 500, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
	v.Depth, v.Ranging = render.NewDepth(v.Color.Width, v.Color.Height), &render.Ranging{Max: 8}
	draw(t, r, []spatial.Pose{spatial.Identity()}, v, ideal, v)
	if images, distances := a.images.Load(), a.distances.Load(); images != 2 || distances != 2 {
		t.Errorf("chips were applied to %d images, rangings to %d depth images, want 2 and 2", images, distances)
	}
}

func TestFramesAllocateNothing(t *testing.T) {
	t.Run("opengl", func(t *testing.T) { framesAllocateNothing(t, opengl) })
	t.Run("groups", func(t *testing.T) { framesAllocateNothing(t, grouped) })
}

func framesAllocateNothing(t *testing.T, open opener) {
	r := open(t, withFloor(bare(ball(0.2), ball(0.3)), 10))
	k := colorView(kinect(), forward(mgl64.Vec3{0, 0, 1}, 0, 0, 0))
	k.Depth = render.NewDepth(k.Color.Width, k.Color.Height)
	up := upward(mgl64.Vec3{0, 0, 1})
	cube := colorView(omni(), up)
	cube.CubeFace = 64
	f := &render.Batch{PosesWB: []spatial.Pose{at(2, 0, 1), at(2, 1, 1)},
		Views: []render.View{k, colorView(omni(), up), cube, colorView(wideLens(100, 80), up)}}
	if r.(*gl.Renderer).DrawsTruth() {
		for i := range f.Views {
			v := &f.Views[i]
			v.Truth = render.NewTruth(v.Color.Width, v.Color.Height)
			v.Before = &render.Before{PosesWB: f.PosesWB, PoseWC: v.PoseWC}
		}
	}
	checkAllocatesNothing(t, r, func() *render.Batch { return f })
}

// checkAllocatesNothing fails if drawing allocates in each of several frames. A single one may: the runtime itself
// sometimes allocates when goroutines wait for each other on a busy machine.
func checkAllocatesNothing(t *testing.T, r render.Renderer, frame func() *render.Batch) {
	t.Helper()
	least := math.Inf(1)
	for range 5 {
		least = min(least, testing.AllocsPerRun(3, func() {
			must.Do(t, r.Render(frame()))
		}))
	}
	if least > 0 {
		t.Errorf("a frame makes %v allocations", least)
	}
}

// blindMirror has no single viewpoint.
type blindMirror struct{ optics.Hyperbolic }

func (b blindMirror) Ray(u, v float64) (originC, dirC mgl64.Vec3, ok bool) { return }

func TestBadBatchesAreRefused(t *testing.T) {
	view := func(m optics.Model, change func(v *render.View)) []render.View {
		v := colorView(m, upward(mgl64.Vec3{0, 0, 1}))
		change(&v)
		return []render.View{v}
	}
	keep := func(*render.View) {}
	raster := []string{"opengl", "tile"}
	poses, front := []spatial.Pose{spatial.Identity()}, optics.PinholeFromFOV(64, 48, 1)
	for _, r := range renderers {
		open := r.open(t, bare(ball(0.2)))
		for _, c := range []struct {
			what  string
			by    []string // renderers; nil: all
			batch render.Batch
			want  error // nil: any
		}{
			{"a pose too few", nil, render.Batch{Views: view(front, keep)}, nil},
			{"an image of another size", nil, render.Batch{PosesWB: poses, Views: view(front, func(v *render.View) {
				v.Color = render.NewImage(10, 10)
			})}, nil},
			{"a radiance of another size", nil, render.Batch{PosesWB: poses, Views: view(front, func(v *render.View) {
				v.Radiance = render.NewRadiance(5, 5)
			})}, nil},
			{"depth of a mirror", raster, render.Batch{PosesWB: poses, Views: view(omni(), func(v *render.View) {
				v.Depth = render.NewDepth(640, 640)
			})}, nil},
			{"a mirror without a single viewpoint", raster,
				render.Batch{PosesWB: poses, Views: view(blindMirror{omni()}, keep)}, nil},
			{"a cube map", []string{"tile", "raycast", "reference"},
				render.Batch{PosesWB: poses, Views: view(omni(), func(v *render.View) { v.CubeFace = 64 })},
				render.ErrCubeMap},
			{"a huge image", []string{"tile"}, render.Batch{PosesWB: poses,
				Views: view(optics.Pinhole{Width: 1<<14 + 1, Height: 16, FX: 50, FY: 50}, keep)}, nil},
		} {
			if c.by != nil && !slices.Contains(c.by, r.name) {
				continue
			}
			err := open.Render(&c.batch)
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "render/") {
				t.Errorf("%s: %s: error %v", r.name, c.what, err)
			}
		}
		draw(t, open, poses, view(optics.Pinhole{Width: 1 << 12, Height: 16, FX: 50, FY: 50}, keep)...)
		open.Close()
		open.Close()
		if err := open.Render(&render.Batch{PosesWB: poses}); err == nil {
			t.Errorf("%s: Render after Close reports no error", r.name)
		}
	}
	if _, err := pathtrace.New(bare(), render.Tracing{Samples: -1}); err == nil {
		t.Error("reference: a negative number of samples is accepted")
	}
	broken := bare(ball(0.2))
	broken.Meshes[0].Indices[4] = 1e6
	for _, name := range backend.Plain() {
		if r, err := backend.Choose(name, nil).New(broken); err == nil {
			r.Close()
			t.Errorf("%s: an index beyond the vertices is accepted", name)
		}
	}
}

// The test runs itself again in an environment in which EGL finds no driver.
func TestMissingDriverIsNamed(t *testing.T) {
	const again = "OMNIPITCH_TEST_NO_DRIVER"
	if os.Getenv(again) != "" {
		_, err := gl.New(bare())
		if !errors.Is(err, render.ErrNoContext) || !strings.Contains(err.Error(), "libgl1-mesa-dri") {
			t.Errorf("New = %v, want render.ErrNoContext with the name of a package", err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMissingDriverIsNamed$", "-test.v")
	cmd.Env = append(os.Environ(), again+"=1", "__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// OpenGL's renderers end their threads when they close.
func TestClose(t *testing.T) {
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	view := colorView(kinect(), forward(mgl64.Vec3{0, 0, 1}, 0, 0, 0))
	before := 0
	for i := range 8 {
		if i == 2 {
			before = threads()
		}
		r := opengl(t, bare())
		draw(t, r, nil, view)
		r.Close()
	}
	if after := threads(); after > before+2 { // Go may start one of its own
		t.Errorf("%d threads after six more renderers, %d before", after, before)
	}
}

func TestSeveralRenderersAtOnce(t *testing.T) {
	for range 3 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			r := opengl(t, bare(ball(0.2)))
			view := colorView(kinect(), forward(mgl64.Vec3{0, 0, 1}, 0, 0, 0))
			for range 5 {
				draw(t, r, []spatial.Pose{spatial.Identity()}, view)
			}
		})
	}
}

package gl_test

import (
	"bytes"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// In a batch of more views than are drawn at once, each view equals that view drawn alone.
func TestManyViewsAreDrawnAsAlone(t *testing.T) {
	r := renderer(t, withFloor(bare(shapes.Box(0.4, 0.4, 0.4)), 8))
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{2, 0, 0.2})}
	small := optics.PinholeFromFOV(32, 24, 1)
	from := func(i int) render.View {
		return colorView(small, forward(mgl64.Vec3{0, 0, 0.5}, 0, 0.2, 0.02*float64(i)-0.7))
	}
	var all []render.View
	for i := range 70 {
		all = append(all, from(i))
	}
	draw(t, r, poses, all...)
	differ := 0
	for i := range all {
		alone := from(i)
		draw(t, r, poses, alone)
		if !bytes.Equal(alone.Color.Pix, all[i].Color.Pix) {
			t.Errorf("view %d differs from what it shows alone", i)
		}
		if i > 0 && !bytes.Equal(all[i].Color.Pix, all[i-1].Color.Pix) {
			differ++
		}
	}
	if differ < 60 {
		t.Errorf("only %d of 69 views differ from the one before", differ)
	}
}

// The faults of chips and rangings equal those of package chip, separately for each view, and allocate nothing.
func TestChipsAndRangingsAreApplied(t *testing.T) {
	r := renderer(t, withFloor(bare(shapes.Box(0.4, 0.4, 0.4)), 8))
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{2, 0, 0.2})}
	noisy := render.Chip{FullWell: 500, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
	mosaic := noisy
	mosaic.Bayer = true
	chips := []*render.Chip{nil, &noisy, &noisy, &mosaic}
	ranging := render.Ranging{Min: 0.5, Max: 8, Axial: [3]float64{0.0015, 0, 0.0003}, Slant: [2]float64{0, 0.0001},
		Lateral: [2]float64{0, 0.0016}, Flying: 0.4, Dropout: 0.2}
	batch := render.Batch{PosesWB: poses}
	for i, c := range chips {
		v := colorView(kinect(), forward(mgl64.Vec3{0, 0, 0.5}, 0, 0.2, 0))
		v.Chip, v.NoiseKey, v.Depth = c, uint64(i), render.NewDepth(v.Color.Width, v.Color.Height)
		if i > 0 {
			v.Ranging = &ranging
		}
		batch.Views = append(batch.Views, v)
	}
	frame := func() {
		if err := r.Render(&batch); err != nil {
			t.Fatal(err)
		}
	}
	frame()
	var p chip.Processor
	for i, c := range chips {
		want := &render.Image{Width: batch.Views[0].Color.Width, Height: batch.Views[0].Color.Height,
			Pix: bytes.Clone(batch.Views[0].Color.Pix)}
		p.Apply(want, c, uint64(i))
		if !bytes.Equal(batch.Views[i].Color.Pix, want.Pix) {
			t.Errorf("view %d is not the view without a chip with the chip applied", i)
		}
		distances := &render.Depth{Width: want.Width, Height: want.Height, Z: slices.Clone(batch.Views[0].Depth.Z)}
		p.Measure(distances, batch.Views[i].Ranging, kinect(), uint64(i))
		if !slices.Equal(batch.Views[i].Depth.Z, distances.Z) {
			t.Errorf("the distances of view %d are not the true ones with the ranging applied", i)
		}
		if i > 0 && (bytes.Equal(batch.Views[i].Color.Pix, batch.Views[i-1].Color.Pix) ||
			slices.Equal(batch.Views[i].Depth.Z, batch.Views[i-1].Depth.Z)) {
			t.Errorf("view %d is the same as the one before", i)
		}
	}
	checkAllocatesNothing(t, frame)
	noisy.FullWell = 0
	if err := r.Render(&batch); err == nil {
		t.Error("a chip without electrons was drawn with")
	}
}

// asked counts the images to which it is asked to apply a chip or a ranging.
type asked struct{ images, distances atomic.Int32 }

func (a *asked) Apply(*render.Image, *render.Chip, uint64) { a.images.Add(1) }

func (a *asked) Measure(*render.Depth, *render.Ranging, optics.Pinhole, uint64) { a.distances.Add(1) }

func TestVectorsApplyChipsAndRangings(t *testing.T) {
	r, err := gl.New(withFloor(bare(shapes.Box(0.4, 0.4, 0.4)), 8))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var a asked
	r.SetVectors(&a)
	v := colorView(kinect(), forward(mgl64.Vec3{0, 0, 0.5}, 0, 0.2, 0))
	ideal := colorView(kinect(), v.PoseWC)
	v.Chip = &render.Chip{FullWell: 500, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
	v.Depth, v.Ranging = render.NewDepth(v.Color.Width, v.Color.Height), &render.Ranging{Max: 8}
	draw(t, r, []spatial.Pose{spatial.Identity()}, v, ideal, v)
	if n := a.images.Load(); n != 2 {
		t.Errorf("the chips of %d images were applied, of 2", n)
	}
	if n := a.distances.Load(); n != 2 {
		t.Errorf("%d depth images were measured, of 2", n)
	}
}

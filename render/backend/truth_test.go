package backend_test

import (
	"bytes"
	"fmt"
	"syscall"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/truthtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The truth that OpenGL draws in groups is the tile renderer's and the ray caster's, in plain and natural light, with
// and without markings, through all optics. Each view of a batch has the truth that it has alone.
func TestTruthInGroups(t *testing.T) {
	for name, change := range map[string]func(s *render.Scene){
		"plain":   func(*render.Scene) {},
		"natural": func(s *render.Scene) { s.Natural = true },
		"walls": func(s *render.Scene) {
			s.Floor.Marks, s.Room = nil, render.Room{Margin: -1, Height: 2.5, Solid: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, poses := truthtest.Scene(), truthtest.Poses(1)
			change(s)
			r, processor, rays := grouped(t, s), tiles(t, s), caster(t, s)
			var alone, together []render.View
			for _, c := range truthtest.Cases(t) {
				labels := c.Labels
				if s.Floor.Marks == nil {
					labels--
				}
				got, tiled, cast := c.Truth(), c.Truth(), c.Truth()
				draw(t, r, poses, got)
				draw(t, processor, poses, tiled)
				draw(t, rays, poses, cast)
				truthtest.Compare(t, c.Name+", tile renderer", got.Truth, tiled.Truth, labels)
				truthtest.Compare(t, c.Name+", ray caster", got.Truth, cast.Truth, labels)
				alone = append(alone, got)
				together = append(together, c.Truth())
			}
			checkTogether(t, r, alone, together)
			for other, what := range map[render.Renderer]string{processor: "tile renderer", rays: "ray caster"} {
				t.Run(what, func(t *testing.T) { checkTogether(t, other, drawnAlone(t, other, together), together) })
			}
		})
	}
}

// drawnAlone returns the views, each drawn alone with its whole truth.
func drawnAlone(t *testing.T, r render.Renderer, views []render.View) (all []render.View) {
	for _, v := range views {
		v.Truth = render.NewTruth(v.Model.Size())
		draw(t, r, truthtest.Poses(1), v)
		all = append(all, v)
	}
	return all
}

// checkTogether draws views again and again in one batch, with and without images, an earlier instant, and some planes
// of truth. Their truth must be that of the same views alone, and their images those of the same batch without truth.
func checkTogether(t *testing.T, r render.Renderer, alone, views []render.View) {
	t.Helper()
	var all, images []render.View
	for i := range 7 * len(views) {
		v := views[i%len(views)]
		w, h := v.Model.Size()
		v.Truth = render.NewTruth(w, h)
		if v.Truth.Labels[0] = 1000; (i+i/len(views))%2 == 0 {
			v.Color = render.NewImage(w, h)
			v.Color.Pix = bytes.Repeat([]byte{9}, 3*w*h) // an image that is not drawn stays so
		}
		switch t := v.Truth; i / len(views) {
		case 2:
			v.Before = nil
			t.Flow[7] = 3
		case 3:
			t.Range, t.Normals, t.Flow = nil, nil, nil
		case 4:
			t.Normals = nil
		case 5:
			t.Normals, t.Flow = nil, nil
		case 6:
			t.Flow = nil
		}
		if all = append(all, v); v.Color != nil {
			v.Truth, v.Before, v.Color = nil, nil, render.NewImage(w, h)
			images = append(images, v)
		}
	}
	draw(t, r, truthtest.Poses(1), all...)
	draw(t, r, truthtest.Poses(1), images...)
	for i := range all {
		want := *alone[i%len(views)].Truth
		if all[i].Before == nil {
			want.Flow = make([]float32, len(want.Flow))
		}
		if all[i].Truth.Normals == nil {
			want.Normals = nil
		}
		if all[i].Truth.Range == nil {
			want.Range = nil
		}
		if all[i].Truth.Flow == nil {
			want.Flow = nil
		}
		if !truthtest.Same(all[i].Truth, &want) {
			t.Errorf("view %d has another truth in company", i)
		}
		if c := all[i].Color; c != nil {
			if !bytes.Equal(c.Pix, images[0].Color.Pix) {
				t.Errorf("view %d has another image than without truth", i)
			}
			images = images[1:]
		}
	}
}

// More views than fit into the groups that are read at once have the truth that each has alone.
func TestTruthOfManyViews(t *testing.T) {
	s, poses := truthtest.Scene(), truthtest.Poses(1)
	r := grouped(t, s)
	c := truthtest.Cases(t)[0]
	var views []render.View
	for i := range 230 {
		v := c.Truth()
		v.PoseWC.Pos[0] += 0.001 * float64(i%90)
		views = append(views, v)
	}
	draw(t, r, poses, views...)
	kinds := map[string]bool{}
	for i := 0; i < len(views); i += 23 {
		v := views[i]
		v.Truth = render.NewTruth(v.Model.Size())
		draw(t, r, poses, v)
		if !truthtest.Same(v.Truth, views[i].Truth) {
			t.Errorf("view %d has another truth in company", i)
		}
		kinds[fmt.Sprint(v.Truth.Range)] = true
	}
	if len(kinds) < 8 {
		t.Errorf("the views have only %d different truths", len(kinds))
	}
}

// BenchmarkTruth measures the processor time of images that are drawn in groups, with truth, relative to the same
// images without: the whole truth from OpenGL, and from the tile renderer; and only labels from OpenGL.
func BenchmarkTruth(b *testing.B) {
	s, poses := truthtest.Scene(), truthtest.Poses(1)
	r, processor := grouped(b, s), tiles(b, s)
	var images, labels, both, truths []render.View
	for i := range 4 {
		v := colorView(omni(), upward(mgl64.Vec3{0.1 * float64(i), 0, 0.9}))
		v.Chip = &render.Chip{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1},
			Bayer: true} // as most cameras at level raw
		images = append(images, v)
		v.Before = &render.Before{PosesWB: truthtest.Poses(0), PoseWC: v.PoseWC}
		w, h := v.Model.Size()
		v.Truth = &render.Truth{Width: w, Height: h, Labels: make([]uint16, w*h)}
		labels = append(labels, v)
		v.Truth = render.NewTruth(v.Model.Size())
		both = append(both, v)
		v.Color = nil
		truths = append(truths, v)
	}
	var sums [4]float64
	measure := func(of int, draws ...func()) {
		var before, after syscall.Rusage
		must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
		for _, draw := range draws {
			draw()
		}
		must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
		sums[of] += float64(after.Utime.Nano() - before.Utime.Nano())
	}
	draws := [...]func(){
		func() { draw(b, r, poses, images...) }, func() { draw(b, r, poses, both...) },
		func() { draw(b, processor, poses, truths...) }, func() { draw(b, r, poses, labels...) },
	}
	for _, draw := range draws {
		draw() // compiles shaders and makes what later frames use again
	}
	for b.Loop() {
		measure(0, draws[0])
		measure(1, draws[1])
		measure(2, draws[0], draws[2])
		measure(3, draws[3])
	}
	b.ReportMetric(sums[1]/sums[0], "opengl/image")
	b.ReportMetric(sums[2]/sums[0], "tile/image")
	b.ReportMetric(sums[3]/sums[0], "labels/image")
}

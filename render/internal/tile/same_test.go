package tile

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// rendererOf makes a renderer with the given kernels and number of workers.
func rendererOf(t testing.TB, s *render.Scene, instructions, workers int) *Renderer {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	r, err := newRenderer(s, supportedKernels()[instructions])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func drawn(t testing.TB, r *Renderer, posesWB []spatial.Pose, views []render.View) []render.View {
	t.Helper()
	views = withNewImages(views)
	if err := r.Render(&render.Batch{PosesWB: posesWB, Views: views}); err != nil {
		t.Fatal(err)
	}
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
			if err := with.Render(&render.Batch{PosesWB: elsewhere, Shading: &other,
				Views: withNewImages(views[:3])}); err != nil {
				t.Fatal(err)
			}
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
	for _, s := range with.shots { // any of them may draw any view next
		for k := range views {
			if err := s.set(with.scene, with.tables[k], &views[k], poses, with.rotations); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, n := range []int{1, 2, 3, 20} {
		f := &render.Batch{PosesWB: poses, Views: views[:n]}
		least := math.Inf(1)
		for range 3 { // the runtime itself sometimes allocates when goroutines wait
			least = min(least, testing.AllocsPerRun(3, func() {
				if err := with.Render(f); err != nil {
					t.Fatal(err)
				}
			}))
		}
		if least > 0 {
			t.Errorf("a batch of %d views makes %v allocations", n, least)
		}
	}
}

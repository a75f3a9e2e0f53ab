package tile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
)

// rangings are those of both Kinects, and some with extreme values.
var rangings = []render.Ranging{
	{Min: 0.5, Max: 8, Axial: [3]float64{0.0015, -0.0005, 0.0003}, Slant: [2]float64{0, 0.0001},
		Lateral: [2]float64{0, 0.0016}, Flying: 0.4, Dropout: 0.2},
	{Min: 0.5, Max: 5, Axial: [3]float64{0.0015, -0.0015, 0.0019}, Slant: [2]float64{0.0001, 0},
		Lateral: [2]float64{0.8, 0}, Dropout: 0.5, Baseline: 0.075, Step: 2.85e-3},
	{Min: 0, Max: 100, Axial: [3]float64{0.12, -0.15, 0.19}, Slant: [2]float64{0.01, 0.01},
		Lateral: [2]float64{80, 0.16}, Flying: 1, Baseline: 1},
	{Min: 0.1, Max: 1e4, Axial: [3]float64{-1e6, 1e6, 1e6}, Slant: [2]float64{1e6, 1e6}, Lateral: [2]float64{1e6, 1e6},
		Dropout: 1, Baseline: 1e3, Step: 1e3},
	{Min: 0, Max: 3},
	{Min: 1, Max: 3, Exact: true},
}

// lensOf is a lens for images of a size, with an off-centre axis.
func lensOf(w, h int) optics.Pinhole {
	return optics.Pinhole{Width: w, Height: h, FX: 0.7 * float64(w), FY: 0.8 * float64(w), CX: 0.4 * float64(w),
		CY: 0.6 * float64(h)}
}

// room is a slanted floor with steps, holes, nothing, and random depths.
func room(w, h int) *render.Depth {
	d, r := render.NewDepth(w, h), rand.New(rand.NewPCG(2, uint64(w*h)))
	for i := range d.Z {
		u, v := i%w, i/w
		switch z := 0.4 + 0.01*float32(v) + 0.003*float32(u); {
		case (u/13+v/11)%5 == 0:
			d.Z[i] = z + float32(u/13%7)
		case (u/9+v/17)%7 == 0:
			d.Z[i] = float32(math.Inf(1))
		case (u/19+v/15)%6 == 0:
			d.Z[i] = 20 * r.Float32() * r.Float32()
		case r.IntN(200) == 0:
			d.Z[i] = []float32{0, 1e-6, 0.01, 1e4, 1e30}[r.IntN(5)]
		default:
			d.Z[i] = z
		}
	}
	return d
}

// equal returns the first index at which the bits of two images' distances differ, −1 if none do.
func equal(a, b *render.Depth) int {
	for i, z := range a.Z {
		if math.Float32bits(z) != math.Float32bits(b.Z[i]) {
			return i
		}
	}
	return -1
}

// Package chip is the oracle: every kernel gives the same measurements.
func TestKernelsMeasureAsPackageChip(t *testing.T) {
	var oracle chip.Processor
	for _, k := range supportedKernels() {
		kernels := Chips{kernel: k}
		for _, size := range [][2]int{{1, 1}, {2, 2}, {3, 70}, {7, 5}, {16, 16}, {17, 33}, {31, 19}, {64, 3}, {97, 61},
			{512, 40}, {1023, 3}, {1025, 33}} {
			w, h := size[0], size[1]
			for i := range rangings {
				v := render.View{Model: lensOf(w, h), Depth: room(w, h), Ranging: &rangings[i]}
				if err := v.Validate(); err != nil {
					t.Fatal(err)
				}
				want := room(w, h)
				oracle.Measure(want, &rangings[i], lensOf(w, h), uint64(i))
				kernels.Measure(v.Depth, &rangings[i], lensOf(w, h), uint64(i))
				if at := equal(v.Depth, want); at >= 0 {
					t.Errorf("%s: ranging %d, %d×%d: at pixel (%d, %d) %v m are measured, want %v m", nameOf(k), i, w,
						h, at%w, at/w, v.Depth.Z[at], want.Z[at])
				}
			}
		}
	}
}

// Distances that are measured while they are drawn equal those of package chip, whichever workers draw the rows.
func TestDrawnDistancesAreMeasured(t *testing.T) {
	var oracle chip.Processor
	drew := false
	for seed := range uint64(6) {
		r := newRandom(300 + seed)
		s := r.scene()
		poses := r.poses(len(s.Bodies))
		var views, plain []render.View
		for i := range rangings {
			for _, size := range [][2]int{{17, 33}, {90, 70}} {
				v := render.View{Model: lensOf(size[0], size[1]), PoseWC: r.pose(4), Depth: render.NewDepth(size[0],
					size[1]), NoiseKey: r.Uint64()}
				v.PoseWC.Pos[2] = math.Abs(v.PoseWC.Pos[2])
				v.Color = render.NewImage(size[0], size[1])
				plain = append(plain, v)
				v.Ranging = &rangings[i]
				views = append(views, v)
			}
		}
		for _, workers := range []int{1, 2, 5} {
			with := rendererOf(t, s, int(seed)%len(supportedKernels()), workers)
			want := drawn(t, with, poses, plain)
			for k := range views {
				oracle.Measure(want[k].Depth, views[k].Ranging, views[k].Model.(optics.Pinhole), views[k].NoiseKey)
			}
			check := func(how string, k int, got *render.Depth) {
				t.Helper()
				if at := equal(got, want[k].Depth); at >= 0 {
					t.Errorf("seed %d, %d workers, ranging %d, %s: at pixel %d %v m are measured, want %v m", seed,
						workers, k/2, how, at, got.Z[at], want[k].Depth.Z[at])
				}
				for _, z := range got.Z {
					drew = drew || z > 0 && z < 10
				}
			}
			for k, v := range drawn(t, with, poses, views) {
				check("in company", k, v.Depth)
				alone := drawn(t, with, poses, views[k:k+1])
				check("alone", k, alone[0].Depth)
			}
			with.Close()
		}
	}
	if !drew {
		t.Error("nothing was measured")
	}
}

func BenchmarkRanging512x424(b *testing.B) {
	for i, name := range []string{"v2", "v1"} {
		scene := render.NewDepth(512, 424)
		for i := range scene.Z {
			scene.Z[i] = min(8, 300/max(1, float32(i/512-150)))
			if u := i % 512; u%100 < 10 {
				scene.Z[i] = min(scene.Z[i], 2)
			}
		}
		d := render.NewDepth(512, 424)
		for _, k := range supportedKernels() {
			b.Run(fmt.Sprintf("%s/%s", name, nameOf(k)), func(b *testing.B) {
				kernels := Chips{kernel: k}
				b.ReportAllocs()
				for b.Loop() {
					copy(d.Z, scene.Z)
					kernels.Measure(d, &rangings[i], lensOf(512, 424), 1)
				}
			})
		}
		b.Run(name+"/go", func(b *testing.B) {
			var p chip.Processor
			for b.Loop() {
				copy(d.Z, scene.Z)
				p.Measure(d, &rangings[i], lensOf(512, 424), 1)
			}
		})
	}
}

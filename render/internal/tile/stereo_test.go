package tile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// pair is a stereo pair of images whose disparities are known, drawn by continuous textures.
type pair struct {
	left, right *render.Image
	disparity   []float64 // of each pixel of the left image
	occluded    []bool    // whether the right image does not show the pixel
}

// wall is a plane in front of a stereo pair. Its disparity is d + du·u + dv·v at the pixel (u, v) of the left image.
type wall struct {
	d, du, dv      float64
	u0, u1, v0, v1 float64 // pixels of the left image that it covers
	paint          func(u, v float64) float64
}

// hash returns a random number in [0, 1) of a point.
func hash(i, j int) float64 {
	return rand.New(rand.NewPCG(uint64(i), uint64(j))).Float64()
}

// texture returns a smooth random pattern with details of a size in pixels.
func texture(size float64) func(u, v float64) float64 {
	const side = 64
	var grid [side][side]float64
	for i := range grid {
		for j := range grid[i] {
			grid[i][j] = hash(i, j)
		}
	}
	at := func(i, j int) float64 { return grid[i&(side-1)][j&(side-1)] }
	return func(u, v float64) float64 {
		u, v = u/size, v/size
		i, j := math.Floor(u), math.Floor(v)
		a, b := u-i, v-j
		a, b = a*a*(3-2*a), b*b*(3-2*b)
		x, y := int(i), int(j)
		return 60 + 120*((at(x, y)*(1-a)+at(x+1, y)*a)*(1-b)+(at(x, y+1)*(1-a)+at(x+1, y+1)*a)*b)
	}
}

// newPair draws walls, the nearest first, with normally distributed noise in levels of 255.
func newPair(width, height int, noise float64, walls ...wall) *pair {
	p := &pair{left: render.NewImage(width, height), right: render.NewImage(width, height),
		disparity: make([]float64, width*height), occluded: make([]bool, width*height)}
	hit := func(u, v float64) *wall {
		for i := range walls {
			if w := &walls[i]; u >= w.u0 && u < w.u1 && v >= w.v0 && v < w.v1 {
				return w
			}
		}
		return &walls[len(walls)-1]
	}
	// seenRight returns the wall that the right image shows at u, and where the left image would show that point.
	seenRight := func(u, v float64) (*wall, float64) {
		for i := range walls {
			w := &walls[i]
			left := (u + w.d + w.dv*v) / (1 - w.du)
			if i == len(walls)-1 || left >= w.u0 && left < w.u1 && v >= w.v0 && v < w.v1 {
				return w, left
			}
		}
		panic("unreachable")
	}
	random := rand.New(rand.NewPCG(1, 2))
	set := func(im *render.Image, i int, light float64) {
		for c := range 3 {
			im.Pix[3*i+c] = uint8(max(0, min(255, light+noise*random.NormFloat64()+0.5)))
		}
	}
	for i := range p.disparity {
		u, v := float64(i%width), float64(i/width)
		w := hit(u, v)
		p.disparity[i] = w.d + w.du*u + w.dv*v
		other, _ := seenRight(u-p.disparity[i], v)
		p.occluded[i] = other != w || u < p.disparity[i]
		set(p.left, i, w.paint(u, v))
		other, left := seenRight(u, v)
		set(p.right, i, other.paint(left, v))
	}
	return p
}

// all is a wall without edges.
func all(d, du, dv float64, paint func(u, v float64) float64) wall {
	return wall{d, du, dv, math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(1), paint}
}

// zed describes the stereo pair of the tests: 42 pixels of disparity at 1 m.
var zed = render.Stereo{Focal: 350, Baseline: 0.12, Min: 0.5, Max: 20, Uniqueness: 0.05, Texture: 3}

func depthOf(t testing.TB, p *pair, s render.Stereo) *render.Depth {
	t.Helper()
	d := render.NewDepth(p.left.Width, p.left.Height)
	must.Do(t, Match(p.left, p.right, &s, d))
	return d
}

// The error of depth is z²/(f·b) times that of the disparity, which does not depend on the distance.
func TestDepthErrors(t *testing.T) {
	const want = 0.15 // px, as imaging.Stereo.Sigma has it
	for _, z := range []float64{1, 2, 4} {
		d := zed.Focal * zed.Baseline / z
		p := newPair(336, 188, 2, all(d, 0.008, 0.011, texture(6))) // slanted: all fractions of pixels occur
		depth := depthOf(t, p, zed)
		square, valid, visible := 0.0, 0, 0
		for i, got := range depth.Z {
			u, v := i%336, i/336
			if p.occluded[i] || u < 8 || v < 8 || u >= 336-8 || v >= 188-8 {
				continue
			}
			visible++
			if z := zed.Focal * zed.Baseline / p.disparity[i]; got > 0 {
				valid++
				e := (float64(got) - z) / (z * z)
				square += e * e
			}
		}
		sigma := math.Sqrt(square/float64(valid)) * zed.Focal * zed.Baseline
		t.Logf("at %v m: %.3f px, or %.1f mm; %d of %d pixels have depths", z, sigma,
			sigma*z*z/zed.Focal/zed.Baseline*1e3, valid, visible)
		if !(math.Abs(sigma-want) <= 0.2*want) || valid < visible*95/100 {
			t.Errorf("at %v m: disparity errs by %.3f px with %d of %d pixels: want %v px ± 20 %% and 95 %%", z, sigma,
				valid, visible, want)
		}
	}
}

// Pixels that only the left camera sees get no depth, nor do those of plain surfaces and those that are too near.
func TestPixelsWithoutDepth(t *testing.T) {
	paint := texture(6)
	plain := func(u, v float64) float64 { return 130 }
	box := wall{40, 0, 0, 120, 220, 40, 150, func(u, v float64) float64 { return paint(u+500, v) }}
	p := newPair(336, 188, 2, box, wall{16, 0, 0, 240, 330, -1, 1000, plain}, all(12, 0.01, 0, paint))
	depth := depthOf(t, p, zed)
	var occluded, given, flat, flatGiven int
	for i, z := range depth.Z {
		u, v := i%336, i/336
		switch {
		case p.occluded[i]:
			occluded++
			if z > 0 {
				given++
			}
		case u >= 246 && u < 324 && v >= 6 && v < 182: // the census window lies in the plain surface
			flat++
			if z > 0 {
				flatGiven++
			}
		}
	}
	t.Logf("%d of %d occluded pixels and %d of %d plain ones have depths", given, occluded, flatGiven, flat)
	if occluded < 4000 || given*100 > occluded*10 {
		t.Errorf("%d of %d occluded pixels have depths: want at most 10 %%", given, occluded)
	}
	if flat < 10000 || flatGiven*100 > flat {
		t.Errorf("%d of %d pixels without texture have depths: want at most 1 %%", flatGiven, flat)
	}
	near := depthOf(t, newPair(336, 188, 2, all(90, 0, 0, paint)), zed) // at 0.47 m
	if n := len(near.Z) - countZero(near.Z); n*100 > len(near.Z) {
		t.Errorf("%d of %d pixels nearer than the least depth have depths", n, len(near.Z))
	}
	far := depthOf(t, newPair(336, 188, 0, all(0.5, 0, 0, paint)), zed) // at 84 m
	if z := far.Z[94*336+168]; !math.IsInf(float64(z), 1) {
		t.Errorf("beyond the largest depth: got %v, want +Inf", z)
	}
}

func countZero(z []float32) (n int) {
	for _, x := range z {
		if x == 0 {
			n++
		}
	}
	return n
}

// All instruction sets give the same bytes, for sizes that do not divide into vectors too.
func TestInstructionSetsMatchAlike(t *testing.T) {
	for _, size := range [][2]int{{101, 37}, {16, 16}, {64, 7}} {
		paint := texture(5)
		p := newPair(size[0], size[1], 2, wall{20, 0, 0, 30, 60, 5, 25, paint}, all(6, 0.01, 0.01, paint))
		var first *render.Depth
		for _, k := range supportedKernels() {
			d := render.NewDepth(size[0], size[1])
			must.Do(t, match(k, p.left, p.right, &zed, d))
			if first == nil {
				first = d
			}
			if !slices.Equal(d.Z, first.Z) {
				t.Errorf("%v: %s differs from %s", size, nameOf(k), nameOf(supportedKernels()[0]))
			}
		}
		if size[0] > 100 && countZero(first.Z) > len(first.Z)*2/3 {
			t.Errorf("%v: only %d of %d pixels have depths", size, len(first.Z)-countZero(first.Z), len(first.Z))
		}
	}
}

func TestMatchAllocatesNothing(t *testing.T) {
	p := newPair(64, 48, 0, all(10, 0, 0, texture(6)))
	d := render.NewDepth(64, 48)
	must.Do(t, Match(p.left, p.right, &zed, d))
	if n := testing.AllocsPerRun(20, func() { must.Do(t, Match(p.left, p.right, &zed, d)) }); n >= 1 {
		t.Errorf("%v allocations per pair: want none", n)
	}
}

// One pair of the ZED's images.
func BenchmarkMatch(b *testing.B) {
	p := newPair(672, 376, 2, wall{40, 0, 0, 250, 400, 100, 280, texture(5)}, all(12, 0.01, 0.007, texture(6)))
	d := render.NewDepth(672, 376)
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, Match(p.left, p.right, &zed, d))
	}
}

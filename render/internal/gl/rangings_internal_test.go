package gl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// rangingCases are those of both Kinects, some with extreme values, and none.
var rangingCases = []*render.Ranging{
	{Min: 0.5, Max: 8, Axial: [3]float64{0.0015, -0.0005, 0.0003}, Slant: [2]float64{0, 0.0001},
		Lateral: [2]float64{0, 0.0016}, Flying: 0.4, Dropout: 0.2},
	{Min: 0.5, Max: 5, Axial: [3]float64{0.0015, -0.0015, 0.0019}, Slant: [2]float64{0.0001, 0},
		Lateral: [2]float64{0.8, 0}, Dropout: 0.5, Baseline: 0.075, Step: 2.85e-3, Margin: 8},
	{Min: 0, Max: 100, Axial: [3]float64{0.12, -0.15, 0.19}, Slant: [2]float64{0.01, 0.01},
		Lateral: [2]float64{80, 0.16}, Flying: 1, Baseline: 1},
	{Min: 0, Max: 30, Baseline: 0.075, SignalNoise: 1, Margin: 1},
	{Min: 0, Max: 30, Axial: [3]float64{0.001, 0, 0.002}, Slant: [2]float64{0.0001, 0.0001}},
	{Min: 0, Max: 20, Lateral: [2]float64{1.5, 0}, Dropout: 0.3},
	{Min: 0, Max: 3},
	{Min: 1, Max: 3, Exact: true, Baseline: 0.5, Axial: [3]float64{1, 1, 1}, Margin: 2, Dropout: 1},
	nil,
}

// trueDistances are those of a slanted floor with steps, holes, nothing, and random depths.
func trueDistances(w, h int) *render.Depth {
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

// measure applies the rangings of views of the same size to their distances.
func (p *painter) measure(views []render.View) error {
	first := views[0].Depth
	im := images{extent: extent{int32(first.Width), int32(first.Height), int32(len(views))}}
	var of plane
	if err := of.init(distancesUnit, gl.R32F, im.width, im.height, im.n); err != nil {
		return err
	}
	defer of.delete()
	im.z, im.zFBO = of.texture, of.fbo
	var indices []int
	for i := range views {
		indices = append(indices, i)
		gl.TexSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, int32(i), im.width, im.height, 1, gl.RED, gl.FLOAT,
			gl.Ptr(views[i].Depth.Z))
	}
	if err := p.rangings.apply(views, indices, &im); err != nil {
		return err
	}
	for i := range views {
		gl.BindFramebuffer(gl.READ_FRAMEBUFFER, im.zFBO)
		gl.FramebufferTextureLayer(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, im.z, 0, int32(i))
		gl.ReadPixels(0, 0, im.width, im.height, gl.RED, gl.FLOAT, gl.Ptr(views[i].Depth.Z))
	}
	return glError("reading")
}

func rangedViews(w, h int) (views []render.View) {
	for i, r := range rangingCases {
		views = append(views, render.View{Model: optics.Pinhole{Width: w, Height: h, FX: 0.7 * float64(w),
			FY: 0.8 * float64(w), CX: 0.4 * float64(w), CY: 0.6 * float64(h)}, Depth: trueDistances(w, h), Ranging: r,
			NoiseKey: uint64(i)})
	}
	return views
}

// Package chip is the oracle: shaders measure the same distances, but for rounding.
func TestShadersMeasureAsPackageChip(t *testing.T) {
	var oracle chip.Processor
	withChips(t, func(p *painter) error {
		for _, size := range [][2]int{{1, 1}, {2, 2}, {3, 70}, {97, 61}} {
			views := rangedViews(size[0], size[1])
			if err := p.measure(views); err != nil {
				return err
			}
			for i, v := range views {
				must.Do(t, v.Validate())
				if why := p.rangings.onProcessor(&v); why != "" && v.Ranging != nil {
					return fmt.Errorf("no shader applies ranging %d, since %s", i, why)
				}
				want := trueDistances(size[0], size[1])
				oracle.Measure(want, v.Ranging, v.Model.(optics.Pinhole), v.NoiseKey)
				others, far := 0, 0
				for k, z := range v.Depth.Z {
					if z == want.Z[k] {
						continue
					}
					others++
					if !(math.Abs(float64(z-want.Z[k])) <= 0.0015) {
						far++
					}
				}
				t.Logf("ranging %d, %d×%d: %d of %d distances differ, %d by more than 1 mm", i, size[0], size[1], others,
					len(want.Z), far)
				if all := float64(len(want.Z)); !(float64(others) <= 0.01*all) || !(float64(far) <= 0.001*all) {
					t.Errorf("ranging %d, %d×%d: %d of %d distances differ, %d by more than 1 mm: want at most 1 %% and "+
						"0.1 %%", i, size[0], size[1], others, len(want.Z), far)
				}
			}
		}
		return nil
	})
}

// What an image measures does not depend on the images with it.
func TestShadersMeasureImagesIndependently(t *testing.T) {
	withChips(t, func(p *painter) error {
		together, alone := rangedViews(97, 61), rangedViews(97, 61)
		if err := p.measure(together); err != nil {
			return err
		}
		for i := range alone {
			i = len(alone) - 1 - i
			if err := p.measure(alone[i : i+1]); err != nil {
				return err
			}
			if !slices.Equal(alone[i].Depth.Z, together[i].Depth.Z) {
				t.Errorf("ranging %d measures other distances alone than together with others", i)
			}
		}
		return nil
	})
}

func TestRangingsThatShadersDoNotKnowAreLeftToTheProcessor(t *testing.T) {
	var rs rangings
	view := func(r render.Ranging) *render.View { return &render.View{Depth: render.NewDepth(4, 4), Ranging: &r} }
	must.Equal(t, rs.onProcessor(view(render.Ranging{Max: 3})), "", "why the processor applies a plain ranging")
	if rs.onProcessor(view(render.Ranging{Max: 3, DarkRange: 1})) == "" {
		t.Error("a shader applies a ranging that needs reflectances")
	}
}

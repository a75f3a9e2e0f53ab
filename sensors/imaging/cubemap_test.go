package imaging_test

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is the unified model's closed form: at an angle θ from −z the image's radius grows by f·scale·(1 + ξ·cos
// θ)/(cos θ + ξ)² a radian. A face's middle has half its side a radian.
func TestCubeMapsHaveTheMirrorsResolution(t *testing.T) {
	growth := func(h optics.Hyperbolic, theta float64) float64 {
		xi, scale := h.Unified()
		return h.FX * scale * (1 + xi*math.Cos(theta)) / math.Pow(math.Cos(theta)+xi, 2)
	}
	for _, width := range []int{320, 640, 1280, 4096} {
		var m imaging.Mirror
		m.SetDefaults()
		for _, rim := range []float64{m.RimRadius, 0.04} { // above the horizon, and below
			m.RimRadius, m.Method = rim, imaging.MirrorCube
			camera := must.Get(m.Camera(optics.PinholeFromFOV(width, width, 66*math.Pi/180), 0.78))(t)
			h := camera.(optics.Hyperbolic)
			want := math.Min(2*growth(h, math.Min(h.RimAngle(), math.Pi/2)), render.MaxCubeFace)
			if got := float64(m.CubeMapFace(camera)); !(got >= want*0.98) || !(got < want+16) {
				t.Errorf("%d pixels, rim at %.1f°: faces of %v pixels, want %.1f or up to 16 more", width,
					h.RimAngle()*180/math.Pi, got, want)
			}
			if m.CubeFace = 200; m.CubeMapFace(camera) != 200 {
				t.Errorf("faces of %d pixels, want the 200 that are given", m.CubeMapFace(camera))
			}
			m.CubeFace, m.Method = 0, imaging.MirrorDirect
			if got := m.CubeMapFace(camera); got != 0 {
				t.Errorf("method direct: faces of %d pixels, want none", got)
			}
		}
	}
}

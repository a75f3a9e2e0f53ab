package optics

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"
)

func omni() Hyperbolic {
	return Hyperbolic{
		Pinhole: Pinhole{Width: 640, Height: 640, FX: 495, FY: 500, CX: 321, CY: 318},
		K:       3.3, C: 0.12, RimRadius: 0.06,
	}
}

func models() map[string]Model {
	return map[string]Model{"pinhole": PinholeFromFOV(640, 480, 1.1), "hyperbolic": omni()}
}

func TestUnprojectInvertsProject(t *testing.T) {
	for name, m := range models() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w, h := m.Size()
				u := rapid.Float64Range(0, float64(w-1)).Draw(t, "u")
				v := rapid.Float64Range(0, float64(h-1)).Draw(t, "v")
				d, ok := m.Unproject(u, v)
				if !ok {
					return
				}
				if math.Abs(d.Len()-1) > 1e-12 {
					t.Fatalf("direction %v has length %v", d, d.Len())
				}
				gu, gv, ok := m.Project(d.Mul(rapid.Float64Range(0.1, 20).Draw(t, "distance")))
				if !ok || math.Hypot(gu-u, gv-v) > 1e-8 {
					t.Fatalf("project(unproject(%v, %v)) = %v, %v, %v", u, v, gu, gv, ok)
				}
			})
		})
	}
}

// The oracle is geometry alone: trace the pixel's ray from the pinhole, intersect it with the surface by bisection,
// reflect it at the numerical normal, and ask for a line through the inner focus.
func TestHyperbolicReflectsThroughItsFocus(t *testing.T) {
	h := omni()
	surface := func(p mgl64.Vec3) float64 { // implicit function, in the pinhole-ward coordinate s = −z
		s, r2 := -p[2], p[0]*p[0]+p[1]*p[1]
		return (s-h.C/2)*(s-h.C/2) - r2*(h.K/2-1) - h.C*h.C/4*(h.K-2)/h.K
	}
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.Float64Range(0, 639).Draw(t, "u")
		v := rapid.Float64Range(0, 639).Draw(t, "v")
		want, ok := h.Unproject(u, v)
		if !ok {
			return
		}
		from := mgl64.Vec3{0, 0, -h.C}
		ray, _ := h.Pinhole.Unproject(u, v)
		// Between the pinhole and the far side of the mirror's sheet the function changes sign once beyond its centre.
		lo, hi := h.C/2/ray[2], (h.C+3*h.RimRadius)/ray[2]
		for range 200 {
			if mid := (lo + hi) / 2; surface(from.Add(ray.Mul(mid))) < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		p := from.Add(ray.Mul(lo))
		var n mgl64.Vec3
		for i := range n {
			var d mgl64.Vec3
			d[i] = 1e-7
			n[i] = surface(p.Add(d)) - surface(p.Sub(d))
		}
		n = n.Normalize()
		got := ray.Sub(n.Mul(2 * ray.Dot(n)))
		if got.Sub(want).Len() > 1e-6 {
			t.Fatalf("reflected ray %v, unprojected %v", got, want)
		}
		if off := p.Cross(got).Len(); off > 1e-8 {
			t.Fatalf("reflected ray passes the focus at %v m", off)
		}
	})
}

func TestHyperbolicRim(t *testing.T) {
	h := omni()
	rim := h.RimAngle()
	at := func(angle float64) mgl64.Vec3 { return mgl64.Vec3{math.Sin(angle), 0, -math.Cos(angle)} }
	if _, ok := h.MirrorPoint(at(rim - 1e-9)); !ok {
		t.Error("a direction just inside the rim is not seen")
	}
	if _, ok := h.MirrorPoint(at(rim + 1e-9)); ok {
		t.Error("a direction just outside the rim is seen")
	}
	u, _, _ := h.Project(at(rim - 1e-9))
	if got := h.RimPixels(); math.Abs(h.CX+got-u) > 1e-5 {
		t.Errorf("RimPixels() = %v, want %v", got, u-h.CX)
	}
}

package optics

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

var under = Pinhole{Width: 640, Height: 640, FX: 495, FY: 500, CX: 321, CY: 318}

// mirrors are cameras with mirrors of every profile.
func mirrors(t testing.TB) map[string]*Mirror {
	t.Helper()
	far := under
	far.FX, far.FY = 2000, 2010
	var r, z []float64
	for i := range 30 { // an ellipse's cap
		r = append(r, 0.06*float64(i)/29)
		z = append(z, 0.05-0.05*math.Sqrt(1-r[i]*r[i]/0.09/0.09))
	}
	made := map[string]*Mirror{}
	for name, m := range map[string]func() (*Mirror, error){
		"parabolic":  func() (*Mirror, error) { return NewMirror(far, Paraboloid{0.06}, 0.4, 0.06) },
		"spherical":  func() (*Mirror, error) { return NewMirror(under, Sphere{0.08}, 0.12, 0.06) },
		"hyperbolic": func() (*Mirror, error) { return NewMirror(under, Hyperboloid{3.3, 0.12}, 0.1, 0.05) },
		"table": func() (*Mirror, error) {
			profile, err := NewTable(r, z)
			if err != nil {
				return nil, err
			}
			return NewMirror(under, profile, 0.12, 0.058)
		},
		"nubot": func() (*Mirror, error) {
			return NewGroundMirror(under, TangentLaw(1.57, 0.0071*0.95), 0.78, 0.12, 0.05)
		},
		"isometric": func() (*Mirror, error) { return NewGroundMirror(under, LinearLaw(0.025), 0.78, 0.12, 0.055) },
	} {
		var err error
		if made[name], err = m(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return made
}

// onMirror draws a random pixel that shows the mirror.
func onMirror(t *rapid.T, m *Mirror) (u, v float64) {
	s, c := math.Sincos(rapid.Float64Range(0, 2*math.Pi).Draw(t, "angle"))
	rho := m.RimPixels() / m.FX * rapid.Float64Range(0, 0.9999).Draw(t, "share of the radius")
	return m.CX + rho*m.FX*c, m.CY + rho*m.FY*s
}

func TestProjectInvertsRay(t *testing.T) {
	for name, m := range mirrors(t) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				u, v := onMirror(t, m)
				o, d, ok := m.Ray(u, v)
				if !ok {
					t.Fatalf("pixel (%v, %v) shows nothing", u, v)
				}
				if !scalar.EqualWithinAbs(d.Len(), 1, 1e-12) {
					t.Fatalf("direction %v has length %v", d, d.Len())
				}
				p := o.Add(d.Mul(rapid.Float64Range(0.1, 20).Draw(t, "distance")))
				gu, gv, ok := m.Project(p)
				if !ok || !(math.Hypot(gu-u, gv-v) <= 1e-8) {
					t.Fatalf("project(ray(%v, %v)) = %v, %v, %v", u, v, gu, gv, ok)
				}
			})
		})
	}
}

// The oracle is reflection itself: the pinhole, the mirror's point, and the normal by differences of its profile.
func TestMirrorsReflect(t *testing.T) {
	for name, m := range mirrors(t) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				o, d, _ := m.Ray(onMirror(t, m))
				if r := math.Hypot(o[0], o[1]); r < 1e-3 || r > 0.99*m.RimRadius {
					return
				}
				surface := func(p mgl64.Vec3) float64 {
					z, _ := m.Profile.At(math.Hypot(p[0], p[1]))
					return m.Tip() + z - p[2]
				}
				if off := surface(o); !(math.Abs(off) <= 1e-12) {
					t.Fatalf("the ray starts %v m from the mirror", off)
				}
				var n mgl64.Vec3
				for i := range n {
					const h = 1e-6
					var e mgl64.Vec3
					e[i] = h
					n[i] = (surface(o.Add(e)) - surface(o.Sub(e))) / (2 * h)
				}
				n = n.Normalize()
				in := o.Sub(mgl64.Vec3{0, 0, m.Tip() - m.Distance}).Normalize()
				if want := in.Sub(n.Mul(2 * in.Dot(n))); !(want.Sub(d).Len() <= 1e-6) {
					t.Fatalf("reflected along %v, want %v", d, want)
				}
			})
		})
	}
}

// A hyperbolic mirror with its pinhole at the outer focus equals Hyperbolic, and its viewpoint is found.
func TestMirrorFindsTheSingleViewpoint(t *testing.T) {
	want := omni()
	shape := Hyperboloid{want.K, want.C}
	got := made(NewMirror(want.Pinhole, shape, want.C-shape.TipToFocus(), want.RimRadius))
	if diff := got.Tip() + shape.TipToFocus(); !(math.Abs(diff) <= 1e-12) {
		t.Errorf("viewpoint %v m from the focus", diff)
	}
	if !scalar.EqualWithinAbs(got.RimPixels(), want.RimPixels(), 1e-9) {
		t.Errorf("rim at %v pixels, want %v", got.RimPixels(), want.RimPixels())
	}
	rapid.Check(t, func(t *rapid.T) {
		u, v := rapid.Float64Range(0, 639).Draw(t, "u"), rapid.Float64Range(0, 639).Draw(t, "v")
		a, okA := want.Unproject(u, v)
		o, b, okB := got.Ray(u, v)
		if okA != okB {
			t.Fatalf("seen: %v, want %v", okB, okA)
		}
		if okA && (!(a.Sub(b).Len() <= 1e-9) || !(o.Cross(b).Len() <= 1e-12)) {
			t.Fatalf("pixel looks along %v from %v, want %v from the focus", b, o, a)
		}
	})
}

// A paraboloid seen from far away has a single viewpoint and equals Mei's model with ξ = 1.
func TestParaboloidFromFarAwayIsMeisWithXi1(t *testing.T) {
	const distance, radius = 1e5, 0.05
	far := Pinhole{Width: 640, Height: 640, FX: 250 * distance / radius, FY: 250 * distance / radius, CX: 319.5,
		CY: 319.5}
	got := made(NewMirror(far, Paraboloid{radius}, distance, 0.06))
	mei := made(NewUnified(Pinhole{Width: 640, Height: 640, FX: 250, FY: 250, CX: 319.5, CY: 319.5}, 1, 0,
		Distortion{}))
	for u := 20.0; u < 620; u += 7 {
		_, d, ok := got.Ray(u, 200)
		if !ok {
			continue
		}
		d[2] = -d[2]
		gu, gv, _ := mei.Project(d)
		if !(math.Hypot(gu-u, gv-200) <= 1e-3) {
			t.Errorf("pixel (%v, 200) is Mei's (%v, %v)", u, gu, gv)
		}
	}
}

func TestGroundMirrorsFollowTheirLaw(t *testing.T) {
	for name, law := range map[string]GroundLaw{"nubot": TangentLaw(1.57, 0.0071*0.95), "isometric": LinearLaw(0.025)} {
		m := mirrors(t)[name]
		worst := 0.0
		for rho := 1.0; rho < m.RimPixels(); rho += 2.3 {
			o, d, ok := m.Ray(m.CX+rho, m.CY)
			if !ok || !(d[2] < 0) {
				t.Fatalf("%s: pixel %v px from the centre shows no floor", name, rho)
			}
			got := o[0] + d[0]*(o[2]+0.78)/-d[2]
			worst = math.Max(worst, math.Abs(got-law(rho))/(1+law(rho)))
		}
		if !(worst <= 1e-6) {
			t.Errorf("%s: floor off by %v of its distance", name, worst)
		}
		t.Logf("%s: floor within %.1e of 1 m + its distance, rim at %.0f px", name, worst, m.RimPixels())
	}
}

func TestCentralIsRightOnTheFloorAndFarAway(t *testing.T) {
	const height = 0.78
	for name, m := range mirrors(t) {
		c := made(NewCentral(m, height))
		for u := 5.0; u < 640; u += 9 {
			for _, v := range []float64{318, 100} {
				d, ok := c.Unproject(u, v)
				if !ok {
					continue
				}
				gu, gv, ok := c.Project(d.Mul(3))
				if !ok || !(math.Hypot(gu-u, gv-v) <= 1e-6) {
					t.Fatalf("%s: project(unproject(%v, %v)) = %v, %v, %v", name, u, v, gu, gv, ok)
				}
				if s := height / -d[2]; d[2] < 0 && s < 15 {
					if p, ok := c.Parallax(d.Mul(s)); !ok || !(p <= 1e-6) {
						t.Errorf("%s: floor at pixel (%v, %v) is %v px off", name, u, v, p)
					}
				}
			}
		}
		p, _ := c.Parallax(mgl64.Vec3{1, 0, -0.3})
		t.Logf("%s: tip %.4f m, parallax of a point 1 m away and 0.48 m high: %.2f px", name, m.Tip(), p)
	}
}

func TestBadMirrorsAreRefused(t *testing.T) {
	for name, err := range map[string]error{
		"no distance":   second(NewMirror(under, Sphere{0.08}, 0, 0.06)),
		"beyond sphere": second(NewMirror(under, Sphere{0.05}, 0.1, 0.06)),
		"hollow":        second(NewMirror(under, Paraboloid{-0.05}, 0.1, 0.06)),
		"leaves floor":  second(NewGroundMirror(under, TangentLaw(1.57, 0.02), 0.78, 0.12, 0.05)),
		"table short":   second(NewTable([]float64{0, 1}, []float64{0, 1})),
		"table back":    second(NewTable([]float64{0, 1, 2, 2}, []float64{0, 1, 2, 3})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Hyperboloid is the Profile of Hyperbolic. It is an oracle, since both must agree for a camera at the outer focus.
type Hyperboloid struct{ K, C float64 } // as in Hyperbolic

func (h Hyperboloid) At(r float64) (z, slope float64) {
	tip := h.C / 2 * math.Sqrt((h.K-2)/h.K)
	steep := h.K/2 - 1
	root := math.Sqrt(tip*tip + steep*r*r)
	return steep * r * r / (root + tip), steep * r / root
}

// TipToFocus returns the distance from the tip to the inner focus, metres.
func (h Hyperboloid) TipToFocus() float64 { return h.C / 2 * (1 - math.Sqrt((h.K-2)/h.K)) }

package optics

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

func omni() Hyperbolic {
	return Hyperbolic{
		Pinhole: Pinhole{Width: 640, Height: 640, FX: 495, FY: 500, CX: 321, CY: 318},
		K:       3.3, C: 0.12, RimRadius: 0.06,
	}
}

func models() map[string]Model {
	return map[string]Model{
		"pinhole": PinholeFromFOV(640, 480, 1.1), "hyperbolic": omni(),
		"brown": made(NewBrownConrady(lens, Distortion{K1: -0.28, K2: 0.09, P1: 0.001, P2: -0.002, K3: -0.012})),
		"rational": made(NewBrownConrady(lens, Distortion{K1: 0.6, K2: -0.2, P1: -0.0005, P2: 0.0015, K3: 0.01, K4: 0.9,
			K5: 0.05, K6: 0.02})),
		"barrel": made(NewBrownConrady(Pinhole{Width: 640, Height: 480, FX: 300, FY: 310, CX: 300, CY: 250},
			Distortion{K1: -0.2})),
		"fisheye": made(NewKannalaBrandt(Pinhole{Width: 640, Height: 480, FX: 210, FY: 205, CX: 322, CY: 236}, -0.02,
			0.006, -0.004, 0.0006)),
		"mei": made(NewUnified(Pinhole{Width: 640, Height: 480, FX: 420, FY: 430, CX: 315, CY: 246}, 1.3, 0.8,
			Distortion{K1: -0.1, K2: 0.02, P1: 0.0007, P2: -0.0004})),
		"ocam": made(NewOCam(OCam{
			Width: 640, Height: 480, CX: 322, CY: 236, C: 1.001, D: 0.002, E: -0.001,
			Poly: []float64{-210, 0, 0.0011, -1.2e-6, 3e-9}, Behind: true,
		})),
		"ocam, fisheye": made(NewOCam(OCam{Width: 640, Height: 480, CX: 318, CY: 241, C: 1,
			Poly: []float64{-230, 0, 0.0012, -5e-7, 2e-9}})),
		"mirror": made(NewUnified(Pinhole{Width: 640, Height: 640, FX: 260, FY: 262, CX: 321, CY: 318}, 0.95, 0,
			Distortion{})),
	}
}

var lens = Pinhole{Width: 640, Height: 480, FX: 530, FY: 541, CX: 325, CY: 236}

func made[T any](model T, err error) T {
	if err != nil {
		panic(err)
	}
	return model
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
				if !scalar.EqualWithinAbs(d.Len(), 1, 1e-12) {
					t.Fatalf("direction %v has length %v", d, d.Len())
				}
				gu, gv, ok := m.Project(d.Mul(rapid.Float64Range(0.1, 20).Draw(t, "distance")))
				if !ok || !(math.Hypot(gu-u, gv-v) <= 1e-8) {
					t.Fatalf("project(unproject(%v, %v)) = %v, %v, %v", u, v, gu, gv, ok)
				}
			})
		})
	}
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
	if got := h.RimPixels(); !scalar.EqualWithinAbs(h.CX+got, u, 1e-5) {
		t.Errorf("RimPixels() = %v, want %v", got, u-h.CX)
	}
}

// Beyond the radius where the distortion folds the image back, a second direction would project to the same pixel.
func TestModelsEndWhereTheyFold(t *testing.T) {
	b := made(NewBrownConrady(lens, Distortion{K1: -0.28}))
	// r·(1 − 0.28·r²) has its maximum at r = 1/√0.84 = 1.091; the model ends slightly before.
	at := func(r float64) (ok bool) { _, _, ok = b.Project(mgl64.Vec3{r, 0, 1}); return ok }
	if !at(1.07) || at(1.0915) {
		t.Errorf("ends at %v, want just below 1.091", b.reach)
	}
	if _, ok := b.Unproject(b.CX+b.FX*0.75, b.CY); ok { // the largest image of a radius is 0.727
		t.Error("a pixel that no direction is seen at has one")
	}
	k := made(NewKannalaBrandt(lens, -0.1, 0, 0, 0))
	if want := 1 / math.Sqrt(0.3); !scalar.EqualWithinAbs(k.reach, want, 0.03) {
		t.Errorf("the fisheye ends at %v, want about %v", k.reach, want)
	}
	for name, err := range map[string]error{
		"brown":   second(NewBrownConrady(lens, Distortion{K1: -1e9})),
		"nan":     second(NewBrownConrady(lens, Distortion{K1: math.NaN()})),
		"fisheye": second(NewKannalaBrandt(lens, -1e9, 0, 0, 0)),
		"unified": second(NewUnified(lens, -1, 0, Distortion{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Beyond the image circle of a fisheye nothing is imaged.
func TestCircleEndsTheImage(t *testing.T) {
	k := made(NewKannalaBrandt(lens, -0.05, 0.01, 0, 0))
	whole := k.FX * k.radius(k.reach)
	for _, radius := range []float64{50, 0.9 * whole, 2 * whole} {
		c, edge := k.WithCircle(radius), min(radius, whole)
		if _, ok := c.Unproject(c.CX-edge-0.01, c.CY); ok {
			t.Errorf("radius %v: a pixel beyond it has a direction", radius)
		}
		dir, ok := c.Unproject(c.CX-edge+0.01, c.CY)
		if !ok {
			t.Fatalf("radius %v: a pixel within it has no direction", radius)
		}
		if u, _, ok := c.Project(dir); !ok || !scalar.EqualWithinAbs(u, c.CX-edge+0.01, 1e-9) {
			t.Errorf("radius %v: a direction within it is imaged at %v %v", radius, u, ok)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestModelsAllocateNothing(t *testing.T) {
	for name, m := range models() {
		if n := testing.AllocsPerRun(100, func() {
			d, _ := m.Unproject(200, 150)
			m.Project(d)
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestPreparedDoesTheSame(t *testing.T) {
	h := Hyperbolic{Pinhole: PinholeFromFOV(640, 480, 1.1), K: 3.294, C: 0.1, RimRadius: 0.0683}
	p := Prepared(h)
	coordinate := rapid.Float64Range(-5, 5)
	rapid.Check(t, func(t *rapid.T) {
		ray := mgl64.Vec3{coordinate.Draw(t, "x"), coordinate.Draw(t, "y"), coordinate.Draw(t, "z")}
		if ray.LenSqr() < 1e-200 {
			return // squares of its coordinates lose their digits
		}
		u, v, ok := h.Project(ray)
		pu, pv, pok := p.Project(ray)
		if ok != pok || ok && !(math.Hypot(u-pu, v-pv) <= 1e-9*(1+math.Hypot(u, v))) {
			t.Fatalf("%v is at (%v, %v) %v, prepared at (%v, %v) %v", ray, u, v, ok, pu, pv, pok)
		}
		var all [1]Pixel
		if ProjectAll(p, []mgl64.Vec3{ray}, all[:]); all[0] != (Pixel{pu, pv, pok}) {
			t.Fatalf("%v is at %v among all, alone at (%v, %v) %v", ray, all[0], pu, pv, pok)
		}
		u, v = 64*coordinate.Draw(t, "u")+320, 64*coordinate.Draw(t, "v")+240
		dir, ok := h.Unproject(u, v)
		pdir, pok := p.Unproject(u, v)
		if ok != pok || !(dir.Sub(pdir).Len() <= 1e-12) {
			t.Fatalf("(%v, %v) looks along %v %v, prepared along %v %v", u, v, dir, ok, pdir, pok)
		}
	})
}

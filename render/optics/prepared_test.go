package optics

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"
)

func TestPreparedDoesTheSame(t *testing.T) {
	h := Hyperbolic{Pinhole: PinholeFromFOV(640, 480, 1.1), K: 3.294, C: 0.1, RimRadius: 0.0683}
	p := Prepared(h)
	coordinate := rapid.Float64Range(-5, 5)
	rapid.Check(t, func(t *rapid.T) {
		ray := mgl64.Vec3{coordinate.Draw(t, "x"), coordinate.Draw(t, "y"), coordinate.Draw(t, "z")}
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

func BenchmarkPrepared(b *testing.B) {
	h := Hyperbolic{Pinhole: PinholeFromFOV(640, 480, 1.1), K: 3.294, C: 0.1, RimRadius: 0.0683}
	for name, m := range map[string]Model{"plain": h, "prepared": Prepared(h)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.Project(mgl64.Vec3{1, 2, -0.5})
				m.Unproject(200, 300)
			}
		})
	}
}

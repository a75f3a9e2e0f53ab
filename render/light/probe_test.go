package light

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

// Mirror reflection returns the light from its direction. Light that varies with bands of order 0, 1 and 2 is returned
// unchanged, except for the window and the lobe, which each weaken a band by a known factor. A lobe of a quarter keeps
// exp(−1/16) of the first band.
func TestMirroredLightIsThatOfItsDirection(t *testing.T) {
	const n = 20000
	radiance := func(d mgl64.Vec3, keep1, keep2 float64) float64 {
		return 1 + keep1*(0.3*d[0]-0.2*d[1]+0.1*d[2]) +
			keep2*(0.2*d[0]*d[1]+0.15*d[1]*d[2]-0.1*d[0]*d[2]+0.25*(3*d[2]*d[2]-1)+0.1*(d[0]*d[0]-d[1]*d[1]))
	}
	var p Probe
	for _, d := range sphere(n) {
		l := radiance(d, 1, 1)
		p.add(d, mgl64.Vec3{l, l, l}, 4*math.Pi/n)
	}
	for _, roughness := range []float64{0, 0.25, 0.5} {
		lobe := roughness * roughness
		first, second := Sharper(roughness)
		for _, d := range sphere(50) {
			want := radiance(d, 0.8270*math.Exp(-lobe), 0.4135*math.Exp(-4*lobe))
			got := p.Mirrored(mgl32.Vec3{float32(d[0]), float32(d[1]), float32(d[2])}, 1, first, second)
			if !(math.Abs(float64(got[1])-want) < 2e-3) {
				t.Errorf("roughness %v: %v from %v, want %v", roughness, got[1], d, want)
			}
		}
	}
}

package abstraction

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// BenchmarkRaysAmongWalls casts the 541 beams of a scan among walls, of which the same number stands near.
func BenchmarkRaysAmongWalls(b *testing.B) {
	for name, rooms := range map[string]int{"80 walls": 40, "2000 walls": 1000, "5000 walls": 2500} {
		b.Run(name, func(b *testing.B) {
			var walls []spatial.UprightBox
			side := int(math.Ceil(math.Sqrt(float64(rooms))))
			for i := range rooms {
				x, y := 4*float64(i%side-side/2), 4*float64(i/side-side/2)
				walls = append(walls,
					spatial.UprightBox{Centre: mgl64.Vec3{x, y, 1.25}, Half: mgl64.Vec3{1.5, 0.05, 1.25}},
					spatial.UprightBox{Centre: mgl64.Vec3{x + 2, y + 2, 1.25}, Half: mgl64.Vec3{0.05, 1.5, 1.25}})
			}
			s := NewSolids(walls)
			beams := make([]mgl64.Vec3, 541)
			for i := range beams {
				beams[i][1], beams[i][0] = math.Sincos(float64(i) / 100)
			}
			ranges := make([]float64, len(beams))
			b.ReportAllocs()
			for b.Loop() {
				for i := range ranges {
					ranges[i] = 20
				}
				var r Raycaster
				s.Cast(mgl64.Vec3{1, 1, 0.3}, 0, &r, func(float64, float64, float64) float64 {
					most := 0.0
					for _, r := range ranges {
						most = max(most, r)
					}
					return most
				}, func() {
					for i := range beams {
						ranges[i] = min(ranges[i], r.Cast(&beams[i]))
					}
				})
			}
		})
	}
}

//go:build cgo

package scenery_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// In natural light the cords of a net are about twice as bright as the wall behind them. The share that the cords cover
// and their brightness follow from the differences between images with the net, with a black net, and without.
func TestNetsStandOutFromTheWall(t *testing.T) {
	// seen returns the mean luminance of the wall seen through a goal.
	seen := func(natural bool, color render.Color, without bool) float64 {
		scene, now := attack()
		s := scenery.Build(scene, nil)
		s.Furnish(worlds.Hall{Hall: render.Hall{Net: color}})
		s.Scene.Natural = natural
		x := scene.Field.Length / 2
		v := view(optics.PinholeFromFOV(320, 60, 0.18), spatial.RPY(mgl64.Vec3{x - 6, 0, 0.7}, 0, 0,
			0).Mul(spatial.BodyToOptical()))
		for i := range now.Robots { // move the robots out of the way
			now.Robots[i].PoseWB = spatial.Planar(-5, float64(i), 0)
		}
		if without {
			v.Hidden = []render.Hidden{{Body: s.Field(), Part: "net"}}
		}
		must.Do(t, caster(t, s).Render(&render.Batch{PosesWB: s.Poses(now, nil), Views: []render.View{v}}))
		sum := 0.0
		for i, b := range v.Color.Pix {
			sum += [3]float64{0.2126, 0.7152, 0.0722}[i%3] * float64(render.Decode8(b))
		}
		return sum / 320 / 60
	}
	for _, natural := range []bool{true, false} {
		wall, white, black := seen(natural, "", true), seen(natural, "", false), seen(natural, "#000000", false)
		cover, ratio := (wall-black)/wall, 1+(white-wall)/(wall-black)
		t.Logf("natural %v: cords cover %.3f and are %.2f times as bright as the wall, of %.3f", natural, cover, ratio,
			wall)
		if !(cover > 0.07 && cover < 0.12) { // 1 − (1 − 4/80)² = 0.0975
			t.Errorf("cords cover %.3f of the wall, want 0.0975", cover)
		}
		if natural && !(ratio > 1.7) {
			t.Errorf("cords are %.2f times as bright as the wall, want 1.7 at least", ratio)
		}
	}
}

//go:build cgo

package scenery_test

import (
	"fmt"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// In a hall of 8 × 6 m without a field, depth images show the walls where closed forms have them.
func TestDepthOfTheWallsOfABareHall(t *testing.T) {
	w := simtest.Parse(t, `name = "w"
		field = false
		ball = false
		floor.size_m = [8, 6]
		robot = [{ name = "r", model = "differential", pose.x_m = -3 }]`)
	model := w.Model()
	s := scenery.New(w, model)
	tiles := must.Get(backend.Tile(s.Scene))(t)
	defer tiles.Close()
	for name, r := range map[string]render.Renderer{"tiles": tiles, "rays": caster(t, s), "OpenGL": renderer(t, s)} {
		for quarter, want := range []float64{3, 2, 5, 4} { // from (1, 1)
			lens := optics.Pinhole{Width: 64, Height: 48, FX: 40, FY: 40, CX: 31.5, CY: 23.5}
			pose := spatial.RPY(mgl64.Vec3{1, 1, 1.2}, 0, 0, float64(quarter)*spatial.Degree*90)
			v := render.View{Model: lens, PoseWC: pose.Mul(spatial.BodyToOptical()), Depth: render.NewDepth(64, 48)}
			must.Do(t, r.Render(&render.Batch{PosesWB: s.Poses(model.Start(), nil), Views: []render.View{v}}))
			must.Near(t, fmt.Sprintf("%s, quarter %d", name, quarter), float64(v.Depth.Z[23*64+31]), want, 0.005)
		}
	}
}

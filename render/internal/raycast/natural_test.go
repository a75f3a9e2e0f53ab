package raycast_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// In natural light, NaN poses do not change other images, and do not crash.
func TestNaturalLookOfBrokenPoses(t *testing.T) {
	up := mgl32.Vec3{0.5, 0.5, 0.5}
	s := &render.Scene{
		Floor: render.Floor{SizeX: 8, SizeY: 6}, Room: render.Room{Margin: 2, Height: 4, Wall: up, Ceiling: up,
			Floor: up}, Natural: true,
		Meshes: []render.Mesh{shapes.Box(0.4, 0.4, 0.4)},
		Bodies: []render.Body{{Name: "a", Parts: []render.Part{{PoseBP: spatial.Identity()}}},
			{Name: "b", Parts: []render.Part{{PoseBP: spatial.Identity()}}}},
		Shading: render.Shading{Light: render.DefaultLighting().Light(), Materials: []render.Material{{Color: up}},
			Carpet: up},
	}
	r, err := raycast.New(s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	lens := optics.Pinhole{Width: 48, Height: 32, FX: 24, FY: 24, CX: 23.5, CY: 15.5}
	level := spatial.Pose{Pos: mgl64.Vec3{-2, 0, 1}, Rot: mgl64.QuatRotate(-1.9, mgl64.Vec3{0, 1, 0})}
	draw := func(b, camera spatial.Pose) []byte {
		im := render.NewImage(48, 32)
		f := &render.Batch{PosesWB: []spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0, 0.2}), b},
			Views: []render.View{{Model: lens, PoseWC: camera, Color: im}}}
		if err := r.Render(f); err != nil {
			t.Fatal(err)
		}
		return im.Pix
	}
	far := spatial.Translation(mgl64.Vec3{900, 900, 0.2})
	want := draw(far, level)
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e30} {
		broken := spatial.Translation(mgl64.Vec3{x, 0, 0.2})
		if !bytes.Equal(draw(broken, level), want) {
			t.Errorf("a body at %v changes an image that does not show it", x)
		}
		draw(far, spatial.Pose{Pos: mgl64.Vec3{x, 0, 1}, Rot: level.Rot})
		draw(far, spatial.Pose{Pos: level.Pos, Rot: mgl64.Quat{W: x}})
	}
	if !bytes.Equal(draw(far, level), want) {
		t.Error("an image differs after those of broken poses")
	}
}

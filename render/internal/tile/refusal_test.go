package tile_test

import (
	"errors"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/tile"
	"github.com/omnipitch/omnipitch/render/optics"
)

func TestCubeMapsAreRefused(t *testing.T) {
	r, err := tile.New(&render.Scene{Floor: render.Floor{SizeX: 10, SizeY: 10}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := optics.Hyperbolic{Pinhole: optics.Pinhole{Width: 64, Height: 64, FX: 50, FY: 50, CX: 31.5, CY: 31.5}, K: 3.3,
		C: 0.12, RimRadius: 0.06}
	v := render.View{Model: m, Color: render.NewImage(64, 64)}
	v.PoseWC.Rot.W, v.PoseWC.Pos[2] = 1, 1
	for _, c := range []struct {
		face int
		want error
	}{{0, nil}, {32, render.ErrCubeMap}} {
		v.CubeFace = c.face
		if err := r.Render(&render.Batch{Views: []render.View{v}}); !errors.Is(err, c.want) {
			t.Errorf("faces of %d pixels: error %v, want %v", c.face, err, c.want)
		}
	}
}

func TestHugeImagesAreRefused(t *testing.T) {
	r, err := tile.New(&render.Scene{Floor: render.Floor{SizeX: 10, SizeY: 10}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range []struct {
		width int
		ok    bool
	}{{1 << 14, true}, {1<<14 + 1, false}} {
		v := render.View{Model: optics.Pinhole{Width: c.width, Height: 16, FX: 50, FY: 50},
			Color: render.NewImage(c.width, 16)}
		v.PoseWC.Rot.W = 1
		if err := r.Render(&render.Batch{Views: []render.View{v}}); (err == nil) != c.ok {
			t.Errorf("%d pixels: error %v", c.width, err)
		}
	}
}

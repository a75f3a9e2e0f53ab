//go:build cgo

package backend_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The truth of an image is the model's own, also of one that OpenGL makes of a cube map.
func TestTruthBesideACubeMap(t *testing.T) {
	r, err := backend.OpenGL(&render.Scene{Floor: render.Floor{SizeX: 10, SizeY: 10}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const size = 64
	m := optics.Hyperbolic{Pinhole: optics.Pinhole{Width: size, Height: size, FX: 50, FY: 50, CX: 31.5, CY: 31.5}, K: 3.3, C: 0.12, RimRadius: 0.06}
	v := render.View{
		Model: m, PoseWC: spatial.Translation([3]float64{0, 0, 1}), CubeFace: 32,
		Color: render.NewImage(size, size), Truth: render.NewTruth(size, size),
	}
	if err := r.Render(&render.Batch{Views: []render.View{v}}); err != nil {
		t.Fatal(err)
	}
	if got := v.Truth.Labels[size*size/2+size/2]; got != render.LabelFloor {
		t.Errorf("below the mirror is label %d, want the floor's, %d", got, render.LabelFloor)
	}
}

package backend_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The truth of an image is the same from every renderer, and also when OpenGL draws the image through a cube map.
func TestTruthBesideAnImage(t *testing.T) {
	const size = 64
	scene := &render.Scene{Floor: render.Floor{SizeX: 10, SizeY: 10,
		Marks: []spatial.Mark{{Kind: spatial.Segment, B: [2]float64{3, 0}, Width: 0.3}}}}
	scene.Carpet, scene.Light.Sky = mgl32.Vec3{0.5, 0.5, 0.5}, mgl32.Vec3{1, 1, 1}
	pinhole := optics.Pinhole{Width: size, Height: size, FX: 50, FY: 50, CX: 31.5, CY: 31.5}
	spherical, err := optics.NewMirror(pinhole, optics.Sphere{Radius: 0.08}, 0.06, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	var want []uint16
	for _, c := range []struct {
		name string
		make func(*render.Scene) (render.Renderer, error)
		cube int
	}{{"raycast", backend.RayCaster, 0}, {"tile", backend.Tile, 0}, {"opengl", backend.OpenGL, 0},
		{"opengl, cube map", backend.OpenGL, 32}, {"opengl in groups", backend.OpenGLGrouped, 0},
		{"opengl in groups, cube map", backend.OpenGLGrouped, 32}} {
		r := must.Get(c.make(scene))(t)
		defer r.Close()
		v := render.View{
			Model:  optics.Hyperbolic{Pinhole: pinhole, K: 3.3, C: 0.12, RimRadius: 0.06},
			PoseWC: spatial.Translation([3]float64{0, 0, 1}), CubeFace: c.cube,
			Color: render.NewImage(size, size), Truth: render.NewTruth(size, size),
		}
		alone, skew := v, v
		alone.Color, alone.CubeFace, alone.Truth = nil, 0, render.NewTruth(size, size)
		skew.Model, skew.CubeFace, skew.Color, skew.Truth = spherical, 0, nil, render.NewTruth(size, size)
		must.Do(t, r.Render(&render.Batch{Views: []render.View{v, skew, alone}}))
		if want == nil {
			want = v.Truth.Labels
		}
		differ := 0
		for i, label := range want {
			if v.Truth.Labels[i] != label {
				differ++
			}
			if alone.Truth.Labels[i] != v.Truth.Labels[i] {
				t.Fatalf("%s: pixel %d: label %d with an image, %d alone", c.name, i, v.Truth.Labels[i],
					alone.Truth.Labels[i])
			}
		}
		if differ > size*size/100 {
			t.Errorf("%s: %d labels are not the ray caster's", c.name, differ)
		}
		for _, label := range []uint16{render.LabelNothing, render.LabelFloor, render.LabelMark} {
			if !slices.Contains(v.Truth.Labels, label) || !slices.Contains(skew.Truth.Labels, label) {
				t.Errorf("%s: no pixel has label %d", c.name, label)
			}
		}
		if slices.Max(v.Color.Pix) == 0 {
			t.Errorf("%s: no image with the truth", c.name)
		}
	}
}

// A requested backend is used; auto chooses a backend and gives a reason.
func TestChoose(t *testing.T) {
	names := backend.Names()
	if names[0] != backend.Auto || !slices.Contains(names, "opengl") || !slices.Contains(names, "raycast") {
		t.Fatalf("names = %v", names)
	}
	for _, asked := range append(names, "") {
		if err := backend.Check(asked); err != nil {
			t.Errorf("%q: %v", asked, err)
		}
		c := backend.Choose(asked, nil)
		auto := asked == "" || asked == backend.Auto
		if c.New == nil || c.Why == "" || !slices.Contains(names[1:], c.Name) || !auto && c.Name != asked {
			t.Errorf("%q: chose %v", asked, c)
		}
		if again := backend.Choose(asked, nil); again.String() != c.String() {
			t.Errorf("%q: chose %v and then %v", asked, c, again)
		}
	}
	if c := backend.Choose(backend.Auto, &render.Scene{CubeMaps: true}); c.Name != "opengl" ||
		!strings.Contains(c.Why, "cube") {
		t.Errorf("cube maps: chose %v", c)
	}
	if err := backend.Check("mesa"); err == nil || !strings.Contains(err.Error(),
		`renderer = "mesa": must be one of auto, opengl, `) {
		t.Errorf("mesa: %v", err)
	}
}

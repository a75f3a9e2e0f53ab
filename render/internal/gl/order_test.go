package gl_test

import (
	"bytes"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// A robot's image must not change when another robot gets a camera, nor with what was drawn before.
func TestViewsDoNotTouchEachOther(t *testing.T) {
	s := withFloor(bare(ball(0.3), shapes.Box(0.5, 0.5, 0.5)), 6, spatial.Mark{Kind: spatial.Spot, Radius: 0.5})
	s.Light = render.Light{DirectionW: mgl32.Vec3{0.3, 0.2, 0.9}.Normalize(), Lamp: mgl32.Vec3{0.6, 0.6, 0.6},
		Sky: mgl32.Vec3{0.4, 0.4, 0.4}}
	s.Carpet = mgl32.Vec3{0.1, 0.3, 0.1}
	r := renderer(t, s)
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{1, 0, 0.3}), spatial.Translation(mgl64.Vec3{-0.4, 1, 0.25})}
	elsewhere := []spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0, 0.6}),
		spatial.Translation(mgl64.Vec3{-1, 0, 0.25})}
	near := func() render.View {
		v := colorView(kinect(), forward(mgl64.Vec3{-2, 0, 1}, 0, 0.3, 0))
		v.Depth = render.NewDepth(v.Color.Width, v.Color.Height)
		return v
	}
	twin := func() render.View { // same size, other place: it must not share a target with near
		v := colorView(kinect(), forward(mgl64.Vec3{0, 2, 1}, 0, 0.4, -1))
		v.Hidden = []render.Hidden{{Body: 1}}
		v.Vignetting = 1
		return v
	}
	mirror := func() render.View { return colorView(omni(), upward(mgl64.Vec3{0, 0, 0.8})) }
	aloneNear, aloneMirror := near(), mirror()
	draw(t, r, poses, aloneNear)
	draw(t, r, poses, aloneMirror)
	draw(t, r, elsewhere, near(), mirror())
	for name, views := range map[string][]render.View{
		"first":  {near(), twin(), mirror()},
		"last":   {mirror(), twin(), near()},
		"repeat": {near(), near(), mirror(), mirror()},
	} {
		draw(t, r, poses, views...)
		for i, v := range views {
			want := aloneMirror
			switch {
			case v.Vignetting > 0:
				continue
			case v.Depth != nil:
				want = aloneNear
				for k, z := range v.Depth.Z {
					if z != want.Depth.Z[k] {
						t.Fatalf("%s: view %d: depth of pixel %d = %v, alone %v", name, i, k, z, want.Depth.Z[k])
					}
				}
			}
			if !bytes.Equal(v.Color.Pix, want.Color.Pix) {
				t.Errorf("%s: view %d: other pixels than alone", name, i)
			}
		}
	}
}

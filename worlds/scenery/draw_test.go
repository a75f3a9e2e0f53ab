//go:build cgo

package scenery_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

func renderer(t testing.TB, s *scenery.Scenery) render.Renderer {
	t.Helper()
	r := must.Get(backend.NewOpenGL(s.Scene))(t)
	t.Cleanup(r.Close)
	return r
}

// A mirror shows the robot's own body in the middle, and does not show itself.
func TestOwnMirrorSeesTheLensBelow(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	r := renderer(t, s)
	omni, _, _, _ := cameras(now, 0.5)
	must.Do(t, r.Render(&render.Batch{PosesWB: s.Poses(now, nil), Views: []render.View{omni}}))
	at := func(u, v int) (r, g, b int) {
		p := omni.Color.Pix[3*(v*omni.Color.Width+u):]
		return int(p[0]), int(p[1]), int(p[2])
	}
	if r, g, b := at(160, 160); max(r, g, b) > 140 || g > r+25 {
		t.Errorf("the centre shows %d, %d, %d: want the dark lens", r, g, b)
	}
	if r, g, b := at(110, 160); g < r+20 || g < b+20 {
		t.Errorf("beside the robot is %d, %d, %d: want green carpet", r, g, b)
	}
}

// Leaving out hidden parts changes no pixel, wherever the robot is, and leaves out most parts.
func TestHiddenPartsAreNotMissed(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	r := renderer(t, s)
	for yaw := 0.0; yaw < 2*math.Pi; yaw += 1 {
		now.Robots[0].PoseWB = spatial.Planar(3+yaw, -0.5, yaw)
		omni, _, _, _ := cameras(now, 1)
		all, some := omni, omni
		all.Hidden = []render.Hidden{{Body: s.Robot(0), Part: scenery.Mirror}}
		some.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
		some.Color = render.NewImage(640, 640)
		must.Do(t, r.Render(&render.Batch{PosesWB: s.Poses(now, nil), Views: []render.View{all, some}}))
		if !bytes.Equal(all.Color.Pix, some.Color.Pix) {
			t.Errorf("yaw %v: a hidden part was seen", yaw)
		}
		hidden := map[string]bool{}
		for _, h := range some.Hidden {
			hidden[h.Part] = true
		}
		for _, name := range []string{"base", "hull", "tower", "wheel", "card", "digit", "plate"} {
			if !hidden[name] {
				t.Errorf("%s is drawn in vain", name)
			}
		}
		for _, name := range []string{"lid", "rod", "lens"} {
			if hidden[name] {
				t.Errorf("%s is left out", name)
			}
		}
	}
}

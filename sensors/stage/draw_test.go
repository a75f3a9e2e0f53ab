//go:build cgo

package stage_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/gl"
	"github.com/omnipitch/omnipitch/sensors/stage"
)

func renderer(t testing.TB, s *stage.Stage) *gl.Renderer {
	t.Helper()
	r, err := gl.New(s.Scene)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// The robot's own body is what its mirror shows in the middle, and its mirror is not.
func TestOwnMirrorSeesTheLensBelow(t *testing.T) {
	scene, now := attack()
	s := stage.New(scene, nil)
	r := renderer(t, s)
	omni, _, _, _ := cameras(now, 0.5)
	if err := r.Render(&render.Frame{PosesWB: s.Poses(now, nil), Views: []render.View{omni}}); err != nil {
		t.Fatal(err)
	}
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

package window

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/worlds/action"
)

func setSpeed(speed string) *action.SetSpeed { return &action.SetSpeed{Speed: speed} }

// exact is how far a body may be from where the ray through a pixel says, m and m/s: rounding.
const exact = 1e-6

// grabbed returns the point of a body that a pixel shows, by the rays of trigonometry.
func (s *stage) grabbed(body int, x, y float64) mgl64.Vec3 {
	s.t.Helper()
	d := s.shapes.all[body].Raycast(poseOf(s.sim.Truth(), body), eye, ray(x, y))
	if math.IsInf(d, 1) {
		s.t.Fatalf("(%v, %v) does not show %s", x, y, s.shapes.names[body])
	}
	return eye.Add(ray(x, y).Mul(d))
}

// on returns where a pixel meets a horizontal plane.
func on(z, x, y float64) mgl64.Vec3 {
	r := ray(x, y)
	return eye.Add(r.Mul((z - eye[2]) / r[2]))
}

// middle returns where the middle of a body is seen.
func (s *stage) middle(body int) (x, y float64) {
	at := poseOf(s.sim.Truth(), body).Pos
	return seen(at.Add(mgl64.Vec3{0, 0, s.shapes.all[body].Height / 2}))
}

// Dragging puts a body where the point of it that was taken hold of is under the mouse again, at rest and with its
// heading. It is an input.
func TestDraggingMovesBodies(t *testing.T) {
	var inputs []string
	s := newStage(t, omnipitch.Options{OnInput: func(in *omnipitch.Input) {
		if p, ok := in.Action.(*action.Place); ok {
			inputs = append(inputs, p.Name)
		}
	}}, nil)
	for _, c := range []struct {
		name   string
		toX    float64
		toY    float64
		moving bool // its player goes on
	}{{"cyan1", 300, 300, false}, {"crate", 700, 420, false}, {"ball", 520, 250, false}, {"magenta1", 200, 500, true}} {
		body, _ := s.shapes.index(c.name)
		x, y := s.middle(body)
		before := poseOf(s.sim.Truth(), body)
		hit := s.grabbed(body, x, y)
		s.drag(x, y, c.toX, c.toY, false)
		s.frame()
		after := poseOf(s.sim.Truth(), body)
		want := before.Pos.Add(on(hit[2], c.toX, c.toY).Sub(hit))
		if c.name == "ball" {
			want[2] = before.Pos[2]
		}
		if d := after.Pos.Sub(want).Len(); !(d < exact) && !(c.moving && d < 0.05) {
			t.Errorf("%s is at %v, want %v", c.name, after.Pos, want)
		}
		if d := math.Abs(spatial.WrapAngle(after.Heading() - before.Heading())); c.name != "ball" && !(d < exact) &&
			!(c.moving && d < 0.1) {
			t.Errorf("%s has turned by %v", c.name, d)
		}
		if !strings.HasPrefix(s.said, c.name+" placed at ") {
			t.Errorf("says %q", s.said)
		}
	}
	if got := strings.Join(inputs, " "); got != "cyan1 crate ball" && got != "cyan1 crate ball magenta1" {
		s.frame()
		t.Errorf("inputs: %s", got)
	}
	// Beyond the boards, a body comes to stand at them.
	x, y := s.middle(0)
	s.drag(x, y, x, 95, false)
	s.frame()
	f := &s.shapes.field
	if at := s.sim.Truth().Robots[0].PoseWB.Pos; !(math.Abs(at[1]-(f.Width/2+f.Border)) < exact) {
		t.Errorf("cyan1 is at %v, dragged far behind the field", at)
	}
}

// With Shift the ball is kicked at 2 m/s for each metre, 12 m/s at most, from where it is; others turn towards the
// mouse.
func TestShiftKicksAndTurns(t *testing.T) {
	s := newStage(t, omnipitch.Options{}, nil)
	ball, _ := s.shapes.index("ball")
	for _, c := range []struct{ toX, toY float64 }{{500, 330}, {380, 300}, {900, 200}} {
		if err := s.sim.Do(&action.Place{Name: "ball", X: -2, Y: -1}); err != nil {
			t.Fatal(err)
		}
		s.frame()
		x, y := s.middle(ball)
		hit, before := s.grabbed(ball, x, y), s.sim.Truth().Ball.PosW
		way := on(hit[2], c.toX, c.toY).Sub(before).Vec2()
		speed := min(2*way.Len(), 12)
		want := way.Normalize().Mul(speed)
		s.drag(x, y, c.toX, c.toY, true)
		s.frame()
		now := &s.sim.Truth().Ball
		if d := now.TwistInW.Lin.Vec2().Sub(want).Len(); !(d < exact) || !(now.PosW.Sub(before).Len() < exact) {
			t.Errorf("the ball is at %v with %v, want %v with %v", now.PosW, now.TwistInW.Lin, before, want)
		}
		if want := "ball kicked at " + strconv.FormatFloat(speed, 'f', 1, 64) + " m/s"; s.said != want {
			t.Errorf("says %q, want %q", s.said, want)
		}
	}
	for _, name := range []string{"cyan1", "crate"} {
		body, _ := s.shapes.index(name)
		x, y := s.middle(body)
		hit, before := s.grabbed(body, x, y), poseOf(s.sim.Truth(), body)
		s.drag(x, y, 300, 600, true)
		s.frame()
		after, to := poseOf(s.sim.Truth(), body), on(hit[2], 300, 600).Sub(before.Pos)
		if d := math.Abs(spatial.WrapAngle(after.Heading() - math.Atan2(to[1], to[0]))); !(d < exact) ||
			!(after.Pos.Sub(before.Pos).Len() < exact) {
			t.Errorf("%s has heading %v, want %v", name, after.Heading(), math.Atan2(to[1], to[0]))
		}
	}
}

// Through a robot's mirror, bodies are dragged as well: the point that was taken hold of is under the mouse again, by
// the camera's own model.
func TestDraggingThroughAMirror(t *testing.T) {
	s := newStage(t, omnipitch.Options{}, nil)
	s.press("C")
	s.frame()
	s.frame() // which has the camera's view
	camera, _ := s.sim.Camera("cyan1", "omni")
	model, poseWC := camera.Model(), s.sim.Truth().Robots[0].PoseWB.Mul(camera.PoseBC())
	w, h := model.Size()
	k := min(960/float64(w), 720/float64(h))
	at := func(p mgl64.Vec3) (x, y float64) {
		u, v, ok := model.Project(poseWC.Unrotate(p.Sub(poseWC.Pos)))
		if !ok {
			t.Fatalf("the mirror does not show %v", p)
		}
		return (u+0.5-float64(w)/2)*k + 479.5, (v+0.5-float64(h)/2)*k + 359.5
	}
	ball, _ := s.shapes.index("ball")
	before := s.sim.Truth().Ball.PosW
	x, y := at(before)
	// The ray to the ball's middle meets its surface a radius before.
	hit := before.Add(poseWC.Pos.Sub(before).Normalize().Mul(s.shapes.all[ball].Radius))
	toX, toY := at(mgl64.Vec3{-1, 2, hit[2]})
	s.drag(x, y, toX, toY, false)
	s.frame()
	want := mgl64.Vec3{-1, 2, before[2]}.Add(before.Sub(hit))
	want[2] = before[2]
	if got := s.sim.Truth().Ball.PosW; !(got.Sub(want).Len() < 1e-4) {
		t.Errorf("the ball is at %v, want %v", got, want)
	}
}

// playing gives a run no inputs, and takes none from outside.
type playing struct{}

func (playing) Next(int64, omnipitch.Moment) (*omnipitch.Input, error) { return nil, nil }
func (playing) Over() bool                                             { return false }

// What a recording shows, no hand changes: the window says so.
func TestARecordingIsNotChanged(t *testing.T) {
	s := newStage(t, omnipitch.Options{Inputs: playing{}}, &Replay{Now: func() (none time.Duration) { return }})
	before := s.sim.Truth().Ball.PosW
	ball, _ := s.shapes.index("ball")
	for _, act := range []func(){
		func() { x, y := s.middle(ball); s.drag(x, y, 520, 250, false) },
		func() { x, y := s.middle(ball); s.drag(x, y, 520, 250, true) },
		func() { s.events = []viewer.Event{{Kind: viewer.Key, Key: 'T'}, {Kind: viewer.Key, Key: 'W'}} },
	} {
		s.saidFor = 0
		act()
		s.frame()
		if s.said != omnipitch.ErrReplaying.Error() || s.saidFor == 0 {
			t.Errorf("says %q", s.said)
		}
	}
	if got := s.sim.Truth().Ball.PosW; got != before {
		t.Errorf("the ball is at %v, was at %v", got, before)
	}
}

// Hands in the window and in the dashboard do the same.
func TestTheDashboardHasTheSameNumbers(t *testing.T) {
	files, err := filepath.Glob("../dashboard/assets/*.js")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	number := func(name string) float64 {
		m := regexp.MustCompile(`const ` + name + ` = ([0-9.]+)`).FindStringSubmatch(all.String())
		if m == nil {
			t.Fatalf("the dashboard has no %s", name)
		}
		x, _ := strconv.ParseFloat(m[1], 64)
		return x
	}
	if number("kickPerMetre") != kickPerMetre || number("fastest") != fastestKick {
		t.Errorf("the dashboard kicks at %v m/s for each metre, %v m/s at most", number("kickPerMetre"), number("fastest"))
	}
	if want := "const speeds = ['" + strings.Join(speeds, "', '") + "']"; !strings.Contains(all.String(), want) {
		t.Errorf("the dashboard lacks %s", want)
	}
}

package soccer_test

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// The goalkeeper drives towards the path of a lob at its goal, and extends shortly before the ball arrives. It does not
// follow a lob that passes beside the goal or flies away from it.
func TestGoalkeeperMeetsLobs(t *testing.T) {
	const none = 0
	for name, c := range map[string]struct {
		in     time.Duration // until the ball lands
		y      float64       // where it lands, m
		vx     float64       // m/s
		drives float64       // sign of the velocity along y
		extend uint8
	}{
		"early, to the left":     {800 * time.Millisecond, 0.6, -5, 1, msg.ExtendIn},
		"early, to the right":    {800 * time.Millisecond, -0.6, -5, -1, msg.ExtendIn},
		"arrives on the left":    {200 * time.Millisecond, 0.4, -5, 1, msg.ExtendLeft},
		"arrives on the right":   {200 * time.Millisecond, -0.4, -5, -1, msg.ExtendRight},
		"arrives over the hull":  {200 * time.Millisecond, 0, -5, none, msg.ExtendUp},
		"beside the goal":        {200 * time.Millisecond, 2.5, -5, none, msg.ExtendIn},
		"away from the goal":     {200 * time.Millisecond, 0.6, 5, none, msg.ExtendIn},
		"has landed long before": {-time.Second, 0.6, -5, none, msg.ExtendIn},
	} {
		w := aWorld()
		w.Now = 10 * time.Second
		w.Me = world.Robot{Number: 1, Pos: pitch.Vec{-8.9, 0}}
		w.Parts = world.Parts{Extension: true}
		w.Ball.Pos = pitch.Vec{-5, 0}
		w.Fall = world.Fall{Seen: w.Now, At: w.Now + c.in, Pos: pitch.Vec{-9.6, c.y}, Vel: pitch.Vec{c.vx, 0}, Sink: 6}
		got := soccer.KeepGoal(w)
		m := got.Message(w)
		if got.Extend != c.extend || m.Extend != c.extend || !(got.Vel[1]*c.drives >= 0) ||
			c.drives != none && !(got.Vel[1]*c.drives > 0.3) {
			t.Errorf("%s: velocity %v, extension %d; want the sign %v along y, extension %d", name, got.Vel, got.Extend,
				c.drives, c.extend)
		}
	}
}

// A message asks nothing of parts that the robot lacks.
func TestMessageAsksOfPartsThatThereAre(t *testing.T) {
	w := aWorld()
	c := soccer.Command{Dribble: true, Kick: soccer.Flat, Speed: 3, Extend: msg.ExtendUp}
	if m := c.Message(w); m.Dribble || m.Kick != 0 || m.KickSpeed != 0 || m.Extend != msg.ExtendIn {
		t.Errorf("without parts: %+v", m)
	}
	w.Parts = world.Parts{Dribbler: true, Kicker: true, Extension: true}
	if m := c.Message(w); !m.Dribble || m.Kick != uint8(soccer.Flat) || m.KickSpeed != 3 || m.Extend != msg.ExtendUp {
		t.Errorf("with all parts: %+v", m)
	}
}

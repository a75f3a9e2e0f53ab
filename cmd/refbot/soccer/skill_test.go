package soccer_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

func aWorld() *world.World {
	return &world.World{Pitch: pitch.Pitch{Length: 18, Width: 12}, Known: true, Me: world.Robot{Number: 2},
		Ball: world.Ball{Known: true, Pos: pitch.Vec{3, 0}, Height: pitch.BallRadius}}
}

func place(t *rapid.T, name string) pitch.Vec {
	return pitch.Vec{rapid.Float64Range(-8, 8).Draw(t, name+".x"), rapid.Float64Range(-5, 5).Draw(t, name+".y")}
}

// A path around discs that are apart from each other and from its ends touches none of them and ends at its goal.
func TestPathsTouchNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := place(t, "from"), place(t, "to")
		var discs []soccer.Disc
		for range rapid.IntRange(0, 3).Draw(t, "discs") {
			d := soccer.Disc{Centre: place(t, "disc"), Radius: 0.7}
			apart := pitch.Distance(d.Centre, from) > 1 && pitch.Distance(d.Centre, to) > 1
			for _, o := range discs {
				apart = apart && pitch.Distance(d.Centre, o.Centre) > 2.5
			}
			if apart {
				discs = append(discs, d)
			}
		}
		way := soccer.PlanPath(nil, from, pitch.Vec{}, to, discs)
		if way[len(way)-1] != to {
			t.Fatalf("ends at %v", way[len(way)-1])
		}
		for _, p := range way {
			for _, d := range discs {
				if off, _ := pitch.FromSegment(d.Centre, from, p); !(off > d.Radius-1e-6) {
					t.Fatalf("from %v to %v the way is %.3f m from %v, of radius %.2f", from, p, off, d.Centre,
						d.Radius)
				}
			}
			from = p
		}
	})
}

// Before a robot that approaches, a robot keeps the distance that both need to stop. The speed of an approach that is
// only noise makes no difference.
func TestGoToBrakes(t *testing.T) {
	toward := func(approach float64) float64 {
		w := aWorld()
		w.Ball.Known = false
		w.Others = []world.Robot{{Pos: pitch.Vec{2, 0}, Vel: pitch.Vec{-approach, 0}}}
		return soccer.GoTo(w, soccer.DriveGoal{Pos: pitch.Vec{8, 0}}).Vel[0]
	}
	still := toward(0)
	if got := toward(1e-3); !(math.Abs(got-still) < 0.01) {
		t.Errorf("%.3f m/s before a robot that approaches at 1 mm/s, %.3f m/s before one that stands", got, still)
	}
	// 2·2 m/s² · 1.47 m = v² + (1.5 m/s)²
	if got, want := toward(1.5), math.Sqrt(2*2*1.47-1.5*1.5); !(math.Abs(got-want) < 0.02) {
		t.Errorf("%.3f m/s before a robot that approaches at 1.5 m/s, want %.3f", got, want)
	}
}

// A robot within the limits of its drive reaches every goal around two robots, touches nobody, and stops.
func TestGoToArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := aWorld()
		w.Ball.Known = false
		w.Me.Pos, w.Me.Heading = place(t, "from"), rapid.Float64Range(-3, 3).Draw(t, "heading")
		g := soccer.DriveGoal{Pos: place(t, "to"), Heading: rapid.Float64Range(-3, 3).Draw(t, "goal.heading")}
		for i := range 2 {
			o := world.Robot{Pos: pitch.Vec{rapid.Float64Range(-8, 8).Draw(t, "x"), 3 - 6*float64(i)}}
			if pitch.Distance(o.Pos, w.Me.Pos) > 1 && pitch.Distance(o.Pos, g.Pos) > 1 {
				w.Others = append(w.Others, o)
			}
		}
		if w.Pitch.InGoalArea(g.Pos, 0.3) || w.Pitch.InGoalArea(w.Me.Pos, 0.3) {
			return
		}
		const dt, accel, alpha = 1. / 30, 2.5, 7.0
		for range 15 * 30 {
			c := soccer.GoTo(w, g)
			if dv := c.Vel.Sub(w.Me.Vel); dv.Len() > accel*dt {
				w.Me.Vel = w.Me.Vel.Add(dv.Mul(accel * dt / dv.Len()))
			} else {
				w.Me.Vel = c.Vel
			}
			w.Me.Omega += max(-alpha*dt, min(alpha*dt, c.Omega-w.Me.Omega))
			w.Me.Pos = w.Me.Pos.Add(w.Me.Vel.Mul(dt))
			w.Me.Heading = pitch.Wrap(w.Me.Heading + w.Me.Omega*dt)
			for i := range w.Others {
				if d := pitch.Distance(w.Me.Pos, w.Others[i].Pos); !(d > 0.5) {
					t.Fatalf("%.2f m from another's middle at %v", d, w.Me.Pos)
				}
			}
		}
		if d := pitch.Distance(w.Me.Pos, g.Pos); !(d < 0.05) ||
			!(math.Abs(pitch.Wrap(w.Me.Heading-g.Heading)) < 0.05) || !(w.Me.Vel.Len() < 0.05) {
			t.Fatalf("%.2f m from its goal, heading %.2f for %.2f, at %.2f m/s", d, w.Me.Heading, g.Heading,
				w.Me.Vel.Len())
		}
	})
}

// A kick gives the ball, including its velocity with the robot, the requested direction and speed.
func TestKicksAllowForTheRobotsVelocity(t *testing.T) {
	w := aWorld()
	w.Me.Vel = pitch.Vec{0.5, 0.8}
	w.Me.Pos = pitch.Vec{2.7, 0}
	at := pitch.Vec{9, 0.5}
	kicked := false
	for i := range 628 { // of all headings it kicks only at the right one
		w.Me.Heading = float64(i) / 100
		c := soccer.KickTo(w, at, 8, soccer.Flat, pitch.Vec{})
		if c.Kick == soccer.NoKick {
			continue
		}
		kicked = true
		v := pitch.Direction(w.Me.Heading).Mul(c.Speed).Add(w.Me.Vel)
		if off := pitch.Wrap(pitch.Angle(v) - pitch.Angle(at.Sub(w.Ball.Pos))); !(math.Abs(off) < 0.025) ||
			!(math.Abs(v.Len()-8) < 0.1) {
			t.Errorf("heading %.2f: off by %.3f rad, %.2f m/s", w.Me.Heading, off, v.Len())
		}
	}
	if !kicked {
		t.Error("it never kicks")
	}
}

// The robot and a passing ball reach the intercept at the same time.
func TestMeeting(t *testing.T) {
	w := aWorld()
	w.Ball.Pos, w.Ball.Vel = pitch.Vec{-3, 2}, pitch.Vec{2, 0}
	at, in := soccer.Intercept(w, pitch.Vec{0, 0})
	if d := pitch.Distance(at, w.BallAt(in)); !(d < 1e-9) || !(in > 1 && in < 3) {
		t.Errorf("at %v in %.1f s, %.2f m from the ball", at, in, d)
	}
}

// The aim is beside the goalkeeper.
func TestAim(t *testing.T) {
	w := aWorld()
	w.Ball.Pos = pitch.Vec{5, 0}
	w.Others = []world.Robot{{Side: world.Opponent, Number: 1, Pos: pitch.Vec{8.5, 0.3}}}
	if at, room := soccer.Aim(w); !(at[1] < -0.3) || !(room > 0.05) {
		t.Errorf("aims at %v with room of %.3f rad", at, room)
	}
}

// A lob has to be some per cent faster than without drag.
func TestLobSpeed(t *testing.T) {
	for _, far := range []float64{3, 4, 5, 6, 7} {
		const height = 0.62
		got := soccer.LobSpeed(far, height)
		// Without drag: height = radius + far − g·far²/v², at 45°.
		vacuum := math.Sqrt(9.81 * far * far / (far + pitch.BallRadius - height))
		if slower := got / vacuum; !(slower > 1.005 && slower < 1.08) {
			t.Errorf("%.0f m: %.2f m/s, without air %.2f", far, got, vacuum)
		}
	}
}

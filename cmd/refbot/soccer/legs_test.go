package soccer

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// humanoid returns the world of a humanoid with a ball in the middle of the field.
func humanoid() *world.World {
	w := &world.World{Pitch: pitch.Pitch{Length: 9, Width: 6, League: pitch.Humanoid}, Known: true,
		Me: world.Robot{Number: 2}, Ball: world.Ball{Known: true, Height: 0.07}, Parts: world.Parts{Kicker: true}}
	w.Game.Phase = world.Playing
	return w
}

// walk moves the robot by a command for 1/15 s, as a robot that follows it within half a second.
func walk(w *world.World, c *Command) {
	const dt, follows = 1. / 15, 0.3
	w.Me.Vel = w.Me.Vel.Add(c.Vel.Sub(w.Me.Vel).Mul(dt / follows))
	w.Me.Omega += (c.Omega - w.Me.Omega) * dt / follows
	w.Me.Pos = w.Me.Pos.Add(w.Me.Vel.Mul(dt))
	w.Me.Heading = pitch.Wrap(w.Me.Heading + w.Me.Omega*dt)
	w.Now += time.Second / 15
}

// From anywhere around the ball, a robot comes to kick it, touches it only then, and kicks to where it means to.
func TestLegsKickFromBehind(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		w := humanoid()
		w.Ball.Pos = pitch.Vec{4 * (random.Float64() - 0.5), 3 * (random.Float64() - 0.5)}
		w.Me.Pos = w.Ball.Pos.Add(pitch.Direction(7 * random.Float64()).Mul(0.4 + random.Float64()))
		w.Me.Heading = 7 * random.Float64()
		begin, kicks := w.Me, false
		for w.Now < 40*time.Second && !kicks {
			to := footTarget(w, true)
			aim := to.at
			c := kickFromBehind(w, to)
			if far := pitch.Distance(w.Me.Pos, w.Ball.Pos); !(far > 0.17) {
				t.Fatalf("from %+v the robot comes as near as %.2f m", begin, far)
			}
			if kicks = c.Kick != NoKick; kicks {
				off := math.Abs(pitch.Wrap(w.Me.Heading - pitch.Angle(aim.Sub(w.Ball.Pos))))
				if !(off <= footAim) || !(c.Speed > 0 && c.Speed <= footSpeed) {
					t.Errorf("from %+v: kicks %.2f rad beside its target with %.1f m/s", begin, off, c.Speed)
				}
			}
			walk(w, &c)
		}
		if !kicks {
			t.Errorf("from %+v to the ball at %v: no kick within 40 s", begin, w.Ball.Pos)
		}
	}
}

// The head looks at a ball that it sees, within its limits, and sweeps the field without one.
func TestHeadLooksAtTheBall(t *testing.T) {
	p := NewPlayer(ByRadio)
	if _, _, ok := p.Look(); ok {
		t.Error("a robot on wheels has a head")
	}
	p.PlayOnLegs()
	w := p.model.World()
	*w = *humanoid()
	w.Now, w.Ball.Pos, w.Ball.Seen = 5*time.Second, pitch.Vec{2, 1}, 5*time.Second
	pan, tilt, ok := p.Look()
	down := math.Atan2(eyeHeight-0.07, math.Sqrt(5))
	if !ok || !(math.Abs(pan-math.Atan2(1, 2)) < 1e-9) || !(math.Abs(tilt-down) < 1e-9) {
		t.Errorf("looks at %.3f, %.3f, %v", pan, tilt, ok)
	}
	w.Ball.Pos = pitch.Vec{-2, 1} // behind
	if pan, _, _ := p.Look(); !(math.Abs(pan-panLimit) < 1e-9) {
		t.Errorf("looks at %.3f for a ball behind it", pan)
	}
	w.Now, w.Ball.Seen = 13*time.Second, 13*time.Second // within glanceFor of a multiple of glanceAll
	if pan, tilt, _ := p.Look(); !(math.Abs(pan-panLimit) > 1e-3) || tilt != farTilt {
		t.Errorf("does not look around: %.3f, %.3f", pan, tilt)
	}
	w.Now = 5 * time.Second
	w.Ball.Known = false
	least, most, near := math.Inf(1), math.Inf(-1), false
	for ; w.Now < 15*time.Second; w.Now += time.Second / 15 {
		pan, tilt, _ := p.Look()
		least, most = min(least, pan), max(most, pan)
		near = near || tilt == nearTilt
	}
	if !(least < -1.3 && most > 1.3) || !near {
		t.Errorf("sweeps from %.2f to %.2f rad, also near: %v", least, most, near)
	}
}

// A humanoid goes on to its place for a moment after the command to stand still, and then stands.
func TestLegsGoOn(t *testing.T) {
	w := humanoid()
	w.Game = world.Game{SetPiece: world.Kickoff, Since: time.Second}
	for now, want := range map[time.Duration]bool{1100 * time.Millisecond: true, 2600 * time.Millisecond: false} {
		if w.Now = now; mayGoOn(w) != want {
			t.Errorf("after %v: %v", now, !want)
		}
	}
	w.Game.SetPiece = world.NoSetPiece
	if w.Now = 1100 * time.Millisecond; mayGoOn(w) {
		t.Error("goes on while play is stopped")
	}
}

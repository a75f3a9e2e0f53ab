package soccer

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Guesses for lobs at the goal, in m. The goalkeeper meets a lob where the ball's centre is at the height chest, with
// its front. It stays between nearLine and farLine from the goal line. A ball whose centre passes the goalkeeper's
// centre higher than overHead passes over its hull.
const (
	chest    = 0.5
	nearLine = 0.08
	farLine  = 1.2
	overHead = 0.75
)

// ballFront is the distance between the centres of a robot and of a ball that touches its front, in m.
var ballFront = wheels.radius + pitch.BallRadius

// blockLob sends the goalkeeper to where a lob at the goal comes down, and extends it if the ball passes beside it or
// over it. ok is false if there is no such lob.
func blockLob(w *world.World) (c Command, ok bool) {
	f, line := &w.Fall, w.Pitch.OwnGoal()[0]
	until := (f.At - w.Now).Seconds()
	if f.At == 0 || until < -0.1 || f.Vel[0] > -blockShotSpeed {
		return c, false
	}
	// before returns how long before its landing the ball is at a distance from the goal line, and y there.
	before := func(x float64) (t, y float64) {
		t = (f.Pos[0] - x) / f.Vel[0]
		return t, f.Pos[1] - f.Vel[1]*t
	}
	if _, y := before(line); math.Abs(y) > w.Pitch.GoalWidth()/2+0.3 {
		return c, false // beside the goal
	}
	// when the ball, on its way down, is at the height chest
	down := (f.Sink - math.Sqrt(max(0, f.Sink*f.Sink-2*pitch.Gravity*(chest-pitch.BallRadius)))) / pitch.Gravity
	x := mgl64.Clamp(f.Pos[0]-f.Vel[0]*down-ballFront, line+nearLine, line+farLine)
	t, y := before(x)
	at := pitch.Vec{x, clampAbs(y, keeperReach*w.Pitch.GoalWidth()/2)}
	c = GoTo(w, DriveGoal{Pos: at, Heading: pitch.Angle(f.Vel.Mul(-1))})
	in := until - t
	hurry(w, &c, at, in)
	c.Dribble = true
	if off := y - w.Me.Pos[1] - w.Me.Vel[1]*max(0, in); in > -0.1 && in < extendBefore {
		if c.Extend = side(off); c.Extend == msg.ExtendIn && f.Height(t) > overHead {
			c.Extend = msg.ExtendUp
		}
	}
	return c, true
}

// hurry does not let the goalkeeper brake if it is too far away to stop in time at the point where the ball arrives
// after the time in, in s.
func hurry(w *world.World, c *Command, at pitch.Vec, in float64) {
	if off := at[1] - w.Me.Pos[1]; math.Abs(off) > math.Abs(c.Vel[1])*in {
		c.Vel[1] = mgl64.Clamp(off/max(in, bodyOf(w).period), -bodyOf(w).speed, bodyOf(w).speed)
	}
}

// Guesses for the extension. The goalkeeper extends extendBefore before the ball arrives, in s, to the side if the
// ball's centre passes more than beside from its own centre, in m.
const (
	extendBefore = 0.25
	beside       = 0.22
)

// side returns the extension towards a ball that passes the goalkeeper at the distance off to the left, in m.
func side(off float64) uint8 {
	switch {
	case off > beside:
		return msg.ExtendLeft
	case off < -beside:
		return msg.ExtendRight
	}
	return msg.ExtendIn
}

// plateTime is how long the goalkeeper stays extended: less than the second that the rules allow.
const plateTime = 900 * time.Millisecond

// plate keeps a goalkeeper extended to one side, because the rules make an extension that is changed useless for some
// seconds.
type plate struct {
	to    uint8
	since time.Duration
}

// hold returns the extension to ask for at the time now, if the player wants the extension want.
func (p *plate) hold(want uint8, now time.Duration) uint8 {
	if p.to == msg.ExtendIn || now < p.since || now-p.since > plateTime {
		p.to, p.since = want, now
	}
	return p.to
}

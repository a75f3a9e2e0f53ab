package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// reportInterval is the least time between two radio messages. At 30 frames per second the robot sends a message after
// every second frame.
const reportInterval = 60 * time.Millisecond

// Guesses. A kicked pass that has not arrived at the expected time counts as on its way for another passOverdue. A
// robot within takenWithin of the ball, in m, ends the pass.
const (
	passOverdue = 500 * time.Millisecond
	takenWithin = 0.5
)

// report collects what the robot tells its teammates by radio.
type report struct {
	m    world.RadioMessage
	now  time.Duration
	due  time.Duration // when the robot's pass is expected to arrive
	told time.Duration // when the robot last sent a message
}

// note updates the report after the robot with the role has decided on the command c.
func (r *report) note(w *world.World, has Role, c *Command) {
	if w.Now < r.now { // the world has restarted
		*r = report{}
	}
	r.now = w.Now
	pass := r.m.Pass
	r.m = world.RadioMessage{Number: w.Me.Number, Role: uint8(has), Holding: w.Hold.Is, Pos: w.Me.Pos, Vel: w.Me.Vel,
		Heading: w.Me.Heading, Target: c.Target,
		Reach: world.NeverReaches, Others: r.m.Others[:0]}
	if c.Target == (pitch.Vec{}) {
		r.m.Target = w.Me.Pos
	}
	if w.Ball.Known {
		r.m.Ball = world.RadioBall{Known: true, Pos: w.Ball.Pos, Vel: w.Ball.Vel, Age: w.Now - w.Ball.Seen}
		r.m.Reach = time.Duration(TimeToBall(w, &w.Me)*1e3) * time.Millisecond
	}
	w.Rivals(func(o *world.Robot) {
		if o.Seen == w.Now {
			r.m.Others = append(r.m.Others, world.RadioOther{Opponent: o.Side == world.Opponent, Number: o.Number,
				Pos: o.Pos, Vel: o.Vel})
		}
	})
	switch {
	case c.Pass.To != 0:
		in := time.Duration(c.Pass.In * float64(time.Second))
		r.m.Pass, r.due = world.RadioPass{To: c.Pass.To, At: c.Pass.At, In: in, Kicked: c.Kick != NoKick}, w.Now+in
	case pass.Kicked && w.Now < r.due+passOverdue && !ballTaken(w):
		pass.In = max(0, r.due-w.Now)
		r.m.Pass = pass
	}
}

// ballTaken reports whether a robot other than this one has the ball.
func ballTaken(w *world.World) bool {
	for i := range w.Others {
		if w.Ball.Known && pitch.Distance(w.Others[i].Pos, w.Ball.Pos) < takenWithin {
			return true
		}
	}
	return false
}

// Tell returns the radio message to send after a frame, or nil if no message is due.
func (p *Player) Tell() []byte {
	r := &p.report
	if p.strategy != ByRadio || !p.model.World().Known || r.told != 0 && r.now < r.told+reportInterval {
		return nil
	}
	r.told = r.now
	said := r.m
	said.Others = nil
	p.model.Said(&said)
	return r.m.Append(nil)
}

// Hear handles a radio message that was sent at the sim time in the argument sent. It ignores bytes that are not a
// RadioMessage, because other programs may use the radio too.
func (p *Player) Hear(sent time.Duration, data []byte) {
	if p.strategy != ByRadio {
		return
	}
	if m, err := world.DecodeRadio(data); err == nil {
		p.model.Hear(sent, m)
	}
}

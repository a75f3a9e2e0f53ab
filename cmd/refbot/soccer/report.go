package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// reportInterval is between two messages of a robot: at 30 frames a second it tells its mates something with every second one.
const reportInterval = 60 * time.Millisecond

// passOverdue is how much longer than meant a pass that was kicked may take; touched is how near to the ball somebody ends it,
// m. Guesses.
const (
	passOverdue = 500 * time.Millisecond
	takenWithin = 0.5
)

// report is what a robot tells of a frame.
type report struct {
	m    world.RadioMessage
	now  time.Duration
	due  time.Duration // when the pass is to arrive
	told time.Duration // when the robot told its mates last
}

// note puts together what there is to tell after a decision.
func (r *report) note(w *world.World, has Role, c *Command) {
	if w.Now < r.now { // the world has begun again
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

// ballTaken tells whether somebody else than this robot has the ball.
func ballTaken(w *world.World) bool {
	for i := range w.Others {
		if w.Ball.Known && pitch.Distance(w.Others[i].Pos, w.Ball.Pos) < takenWithin {
			return true
		}
	}
	return false
}

// Tell returns what the robot tells its mates after a frame, or nil if there is nothing to tell.
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

// Hear takes in what a mate has told at a time. Bytes that are no message are ignored: somebody else may use the radio.
func (p *Player) Hear(sent time.Duration, data []byte) {
	if p.strategy != ByRadio {
		return
	}
	if m, err := world.DecodeRadio(data); err == nil {
		p.model.Hear(sent, m)
	}
}

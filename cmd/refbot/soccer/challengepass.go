package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// minDribble is how far the ball has to be dribbled before it is passed, m: the rule says 1 m; what vision errs by, and
// arrived, are added.
const minDribble = 1.2

// Guesses: another point has to be better by this to be gone to instead; at a point the robot is within so far, m; a
// rememberedMate that stands is slower than this, m/s; how long it is waited for the mate to stand in sight; by how
// much the robot moves to see it, m, and how often; and how long all may take.
const (
	betterPoint   = 0.2
	arrivedWithin = 0.15
	standingSpeed = 0.3
	matePatience  = 6 * time.Second
	asideStep     = 0.5
	asideEvery    = time.Second
	attemptLimit  = 15 * time.Second
)

// passAttempt is a pass that is prepared.
type passAttempt struct {
	begun time.Duration // 0: none is
	took  pitch.Vec     // where the robot was then
	from  pitch.Vec     // where the ball was when it took it
	at    pitch.Vec     // the point from where it will pass
	ready time.Duration // since when it has been there; 0: it is not
}

// pass takes the ball to where it is passed from, and passes it.
func (p *Partner) pass(w *world.World) Command {
	a := &p.attempt
	if a.begun == 0 {
		p.begin(w)
	}
	late := w.Now-a.begun > attemptLimit
	if p.adjusts && !late {
		p.choose(w)
	}
	if a.ready == 0 && !late {
		if pitch.Distance(w.Me.Pos, a.at) > arrivedWithin {
			return Carry(w, a.at)
		}
		a.ready = w.Now
	}
	to := p.mateAt()
	if !p.ready(w) && w.Now-a.ready < matePatience && !late {
		c := Stop(w, Facing(w, to))
		c.Dribble = true
		return c
	}
	c := PassTo(w, p.mate.Number, to, EasyPass)
	if c.Kick != NoKick {
		p.kicked = w.Now
	}
	return c
}

// begin takes the best point; a robot that does not adjust stays, or goes back for as long as the ball has not been
// dribbled far enough.
func (p *Partner) begin(w *world.World) {
	a := &p.attempt
	*a = passAttempt{begun: w.Now, took: w.Me.Pos, from: w.Hold.From, at: w.Me.Pos}
	switch {
	case p.adjusts:
		a.at, _ = p.best(w.Pitch)
	case w.Carried() < minDribble:
		for a.at = bringTo; !p.dribbled(a.at) && a.at[0] > -w.Pitch.Length/2; {
			a.at[0] -= pointSpacing
		}
	}
}

// dribbled tells whether the ball has been dribbled far enough when it is passed from a point.
func (p *Partner) dribbled(at pitch.Vec) bool {
	return pitch.Distance(p.attempt.from, pitch.Toward(at, p.mateAt(), world.HoldDistance)) >= minDribble
}

// choose goes on with the chosen point, unless another one has become better, or the mate is not seen from there.
func (p *Partner) choose(w *world.World) {
	a := &p.attempt
	at, h := p.best(w.Pitch)
	if h > passingPointScore(a.at, a.took, p.mateAt(), p.obstacles)+betterPoint {
		a.at, a.ready = at, 0
	}
	if a.ready != 0 && !p.sees(w) && w.Now-a.ready > asideEvery {
		a.at, a.ready = w.Pitch.Clamp(a.at.Add(p.clear(a.at).Mul(asideStep)), offLines), 0
	}
}

// best returns the best candidate, and what it is worth.
func (p *Partner) best(field pitch.Pitch) (at pitch.Vec, h float64) {
	a := &p.attempt
	at, h = a.at, math.Inf(-1)
	for c := range passingPoints(field) {
		if !p.dribbled(c) || occupied(c, p.obstacles) {
			continue
		}
		if v := passingPointScore(c, a.took, p.mateAt(), p.obstacles); v > h {
			at, h = c, v
		}
	}
	return at, h
}

// clear returns the direction across the way to the mate in which the nearest obstacle is left behind.
func (p *Partner) clear(from pitch.Vec) pitch.Vec {
	across := pitch.Turn(pitch.Unit(p.mateAt().Sub(from)), math.Pi/2)
	side, least := 1.0, math.Inf(1)
	for _, o := range p.obstacles {
		if far := fromWay(o, from, p.mateAt()); far < least {
			least, side = far, math.Copysign(1, -o.Sub(from).Dot(across))
		}
	}
	return across.Mul(side)
}

// ready tells whether the mate stands in sight on its side.
func (p *Partner) ready(w *world.World) bool {
	return p.sees(w) && p.mate.Pos[0] > 1 && p.mate.Vel.Len() < standingSpeed
}

// mateAt is where the mate receives, as far as this robot knows.
func (p *Partner) mateAt() pitch.Vec {
	if p.mate.known && p.mate.Pos[0] > 0.5 {
		return p.mate.Pos
	}
	return receiveHome
}

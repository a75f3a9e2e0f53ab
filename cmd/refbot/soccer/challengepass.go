package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// minDribble is how far the ball has to be dribbled before a pass, m: 1 m by the rules, plus the error of vision and
// arrivedWithin.
const minDribble = 1.2

// Guesses. A new passing point must be better by betterPoint. The robot is at its point within arrivedWithin, m. A
// partner slower than standingSpeed, m/s, stands. The robot waits matePatience for the partner to stand in sight, and
// meanwhile moves by asideStep, m, every asideEvery to see it. attemptLimit bounds the whole attempt.
const (
	betterPoint   = 0.2
	arrivedWithin = 0.15
	standingSpeed = 0.3
	matePatience  = 6 * time.Second
	asideStep     = 0.5
	asideEvery    = time.Second
	attemptLimit  = 15 * time.Second
)

// passAttempt is a pass in preparation.
type passAttempt struct {
	begun time.Duration // 0 if there is no attempt
	took  pitch.Vec     // where the robot was at begun
	from  pitch.Vec     // where the ball was when the robot took it
	at    pitch.Vec     // the passing point
	ready time.Duration // when the robot reached the point; 0 before
}

// pass carries the ball to the passing point and passes it.
func (p *Partner) pass(w *world.World) Command {
	a := &p.attempt
	if a.begun == 0 {
		p.startAttempt(w)
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

// startAttempt starts an attempt. It chooses the best point if the partner adjusts. Otherwise the robot stays, or moves
// back until the ball has been dribbled far enough.
func (p *Partner) startAttempt(w *world.World) {
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

// dribbled reports whether the ball has been dribbled far enough if it is passed from a position.
func (p *Partner) dribbled(at pitch.Vec) bool {
	return pitch.Distance(p.attempt.from, pitch.Toward(at, p.mateAt(), world.HoldDistance)) >= minDribble
}

// choose switches to a better passing point, or moves aside if the robot does not see its partner.
func (p *Partner) choose(w *world.World) {
	a := &p.attempt
	at, h := p.best(w.Pitch)
	if h > passingPointScore(a.at, a.took, p.mateAt(), p.obstacles)+betterPoint {
		a.at, a.ready = at, 0
	}
	if a.ready != 0 && !p.sees(w) && w.Now-a.ready > asideEvery {
		a.at, a.ready = w.Pitch.Clamp(a.at.Add(p.awayFromObstacle(a.at).Mul(asideStep)), offLines), 0
	}
}

// best returns the best passing point and its score.
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

// awayFromObstacle returns the direction, across the path to the partner, that leads away from the nearest obstacle.
func (p *Partner) awayFromObstacle(from pitch.Vec) pitch.Vec {
	across := pitch.Turn(pitch.Unit(p.mateAt().Sub(from)), math.Pi/2)
	side, least := 1.0, math.Inf(1)
	for _, o := range p.obstacles {
		if far := fromWay(o, from, p.mateAt()); far < least {
			least, side = far, math.Copysign(1, -o.Sub(from).Dot(across))
		}
	}
	return across.Mul(side)
}

// ready reports whether the partner stands in sight in its half.
func (p *Partner) ready(w *world.World) bool {
	return p.sees(w) && p.mate.Pos[0] > 1 && p.mate.Vel.Len() < standingSpeed
}

// mateAt returns the receiver's position as far as it is known.
func (p *Partner) mateAt() pitch.Vec {
	if p.mate.known && p.mate.Pos[0] > 0.5 {
		return p.mate.Pos
	}
	return receiveHome
}

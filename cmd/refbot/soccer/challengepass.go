package soccer

import (
	"iter"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// minDribble is how far the robot has to dribble the ball before a pass, in m. The rules require 1 m; the rest covers
// the error of vision and arrivedWithin.
const minDribble = 1.2

// Guesses, in m and m/s. The robot switches to a new passing point only if the score of the new point is higher by
// betterPoint. It has arrived at a point if its distance is below arrivedWithin. The partner stands if it is slower
// than standingSpeed. The robot waits for matePatience until the partner stands in sight. If it does not see the
// partner in that time, it moves sideways by asideStep every asideEvery. attemptLimit is the longest time of a whole
// attempt.
const (
	betterPoint   = 0.2
	arrivedWithin = 0.15
	standingSpeed = 0.3
	matePatience  = 6 * time.Second
	facingWithin  = 0.25 // rad
	asideStep     = 0.5
	asideEvery    = time.Second
	attemptLimit  = 15 * time.Second
)

// passAttempt is a pass in preparation.
type passAttempt struct {
	begun time.Duration // when the attempt began; 0 if there is no attempt
	took  pitch.Vec     // where the robot was when the attempt began
	from  pitch.Vec     // where the ball was when the robot took it
	at    pitch.Vec     // the passing point
	ready time.Duration // when the robot reached the passing point; 0 before that
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
	if off := math.Abs(pitch.Wrap(Facing(w, to) - w.Me.Heading)); off > facingWithin && !p.sees(w) && !late {
		a.ready = w.Now // the front camera does not see the partner's place yet
	}
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

// startAttempt starts an attempt to pass. If p.adjusts is true, the robot goes to the best passing point. Otherwise the
// robot stays where it is, or moves back until it has dribbled the ball far enough.
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

// dribbled reports whether the robot will have dribbled the ball as far as the rules require when it passes from a
// position.
func (p *Partner) dribbled(at pitch.Vec) bool {
	return pitch.Distance(p.attempt.from, pitch.Toward(at, p.mateAt(), world.HoldDistance)) >= minDribble
}

// choose switches to a better passing point if there is one. If the robot does not see its partner, choose moves the
// passing point aside.
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

// awayFromObstacle returns a unit vector that points sideways from the path of the pass to the partner, away from the
// nearest obstacle.
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

// ready reports whether the robot sees its partner standing in the receiving half.
func (p *Partner) ready(w *world.World) bool {
	return p.sees(w) && p.mate.Pos[0] > 1 && p.mate.Vel.Len() < standingSpeed
}

// mateAt returns the partner's position if it is known and in the receiving half. Otherwise it returns the position at
// which the partner is expected.
func (p *Partner) mateAt() pitch.Vec {
	if p.mate.known && p.mate.Pos[0] > 0.5 {
		return p.mate.Pos
	}
	return receiveHome
}

// Weights of the terms in the score of a passing point. Source: Dai et al., eq. 5.
const (
	obstacleWeight = 0.5
	wayWeight      = 0.25
	mateWeight     = 0.25
)

// pointSpacing is the distance between candidate passing points, m. Source: Dai et al., section 4.2.
const pointSpacing = 0.5

// Guesses for where candidate passing points may lie: their least distances from lines and obstacles.
const (
	behindHalfway = 0.5 // m, from the halfway line
	offLines      = 0.5 // m, from the other lines
	standRoom     = 0.9 // m, from the centre of an obstacle
)

// obstacleTerm returns h_a, the term of the score for one obstacle, from 0 to 1. The distance is from the obstacle to
// the path of the pass, in m. It is +Inf if the obstacle is not between the robots. Source: Dai et al., eq. 2.
func obstacleTerm(distance float64) float64 { return min(1, max(0, (distance-0.5)/1.5)) }

// wayTerm returns h_b, the term of the score for how far the robot drives with the ball. The distance is from the
// passing point to where the robot took the ball, in m. Source: Dai et al., eq. 3.
func wayTerm(distance float64) float64 {
	if !(distance >= 1 && distance <= 3) {
		return 0
	}
	return (3 - distance) / 2
}

// mateTerm returns h_c, the term of the score for the length of the pass. The distance is from the passing point to the
// receiver, in m. The term is 0 outside of 1 m to 4 m, the range in which colour cards are recognised. Source: Dai et
// al., eq. 4.
func mateTerm(distance float64) float64 {
	if !(distance >= 1 && distance <= 4) {
		return 0
	}
	return (4 - distance) / 3
}

// fromWay returns the distance of an obstacle from the path of a pass, in m, or +Inf if the obstacle is not between the
// ends of the path.
func fromWay(obstacle, from, to pitch.Vec) float64 {
	way := to.Sub(from)
	long := way.Len()
	if along := obstacle.Sub(from).Dot(way) / max(long, 1e-9); !(along > 0 && along < long) {
		return math.Inf(1)
	}
	off, _ := pitch.FromSegment(obstacle, from, to)
	return off
}

// passingPointScore returns the score h of a passing point; higher is better. Robot and ball met at the position took.
// mate is the receiver's position. Source: Dai et al., eq. 5.
func passingPointScore(point, took, mate pitch.Vec, obstacles []pitch.Vec) float64 {
	h := wayWeight*wayTerm(pitch.Distance(point, took)) + mateWeight*mateTerm(pitch.Distance(point, mate))
	for _, o := range obstacles {
		h += obstacleWeight * obstacleTerm(fromWay(o, point, mate))
	}
	return h
}

// passingPoints yields the candidate passing points in the passer's half. The points closest to the halfway line come
// first.
func passingPoints(field pitch.Pitch) iter.Seq[pitch.Vec] {
	return func(yield func(pitch.Vec) bool) {
		rows := math.Floor((field.Width/2 - offLines) / pointSpacing)
		for x := -behindHalfway; x >= offLines-field.Length/2; x -= pointSpacing {
			for k := -rows; k <= rows; k++ {
				if !yield(pitch.Vec{x, k * pointSpacing}) {
					return
				}
			}
		}
	}
}

// occupied reports whether an obstacle is so close to a position that a robot cannot stand there.
func occupied(at pitch.Vec, obstacles []pitch.Vec) bool {
	for _, o := range obstacles {
		if pitch.Distance(at, o) < standRoom {
			return true
		}
	}
	return false
}

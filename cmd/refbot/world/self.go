package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// self is where the robot is now: counted on by its wheels from frame to frame, and corrected by what each frame says
// of the time when it was captured.
type self struct {
	pos     pitch.Vec
	heading float64
	known   bool
	past    [8]moment // the last is the newest
}

// moment is where the robot believed to be at a time.
type moment struct {
	at      time.Duration
	pos     pitch.Vec
	heading float64
}

// selfTime is the time constant with which frames correct the wheels, s. Guess: frames err by some cm each, wheels by
// some per cent of the way.
const selfTime = 0.15

// lostBy is an error after which the robot begins anew where the frame has it, m: somebody has moved it.
const lostBy = 0.6

// update takes a frame in that was captured at stamp, dt seconds after the one before, and comes late by a latency.
func (s *self) update(p *msg.Perception, stamp, latency time.Duration, dt float64) view {
	measured := moment{stamp, pitch.Vec{p.X, p.Y}, p.Heading}
	if p.SelfKnown && !s.known {
		s.known = true
		s.begin(p, measured, latency)
	}
	s.step(p, dt)
	then := s.then(stamp)
	if p.SelfKnown {
		off, turned := measured.pos.Sub(then.pos), pitch.Wrap(measured.heading-then.heading)
		if off.Len() > lostBy {
			s.begin(p, measured, latency)
			then, off, turned = measured, pitch.Vec{}, 0
		}
		k := gain(dt, selfTime)
		s.shift(off.Mul(k), turned*k)
		then.pos, then.heading = then.pos.Add(off.Mul(k)), then.heading+turned*k
	}
	copy(s.past[:], s.past[1:])
	s.past[len(s.past)-1] = moment{stamp + latency, s.pos, s.heading}
	return view{from: measured.pos, fromHeading: measured.heading, to: then.pos, toHeading: then.heading}
}

// begin believes a frame, and counts on until now.
func (s *self) begin(p *msg.Perception, m moment, latency time.Duration) {
	s.pos, s.heading = m.pos, m.heading
	for i := range s.past {
		s.past[i] = m
	}
	s.step(p, latency.Seconds())
}

// step counts on by what the wheels say, along an arc.
func (s *self) step(p *msg.Perception, dt float64) {
	s.pos = s.pos.Add(pitch.Turn(pitch.Vec{p.VX, p.VY}, s.heading+p.Omega*dt/2).Mul(dt))
	s.heading = pitch.Wrap(s.heading + p.Omega*dt)
}

// then returns where the robot believed to be at a time, between the two moments around it.
func (s *self) then(at time.Duration) moment {
	for i := len(s.past) - 1; i > 0; i-- {
		a, b := s.past[i-1], s.past[i]
		if a.at <= at && at <= b.at && b.at > a.at {
			k := float64(at-a.at) / float64(b.at-a.at)
			return moment{at, a.pos.Add(b.pos.Sub(a.pos).Mul(k)), lerpAngle(a.heading, b.heading, k)}
		}
	}
	return s.past[len(s.past)-1]
}

// shift moves what is believed of now and of the past.
func (s *self) shift(by pitch.Vec, turn float64) {
	s.pos, s.heading = s.pos.Add(by), pitch.Wrap(s.heading+turn)
	for i := range s.past {
		s.past[i].pos, s.past[i].heading = s.past[i].pos.Add(by), s.past[i].heading+turn
	}
}

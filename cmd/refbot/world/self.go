package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// self estimates the robot's present pose. It integrates odometry from frame to frame. Each frame also contains a pose,
// which is that at the frame's capture time. self compares the frame's pose with its own estimate for that time, and
// corrects the estimate.
type self struct {
	pos     pitch.Vec
	heading float64
	known   bool
	past    [8]pastPose // oldest first
}

// pastPose is the robot's estimated pose at a time.
type pastPose struct {
	at      time.Duration
	pos     pitch.Vec
	heading float64
}

// selfTime is the time constant of the correction by frames, in s. 0.15 is a guess: the pose in a frame has an error of
// a few centimetres, and odometry has an error of a few per cent of the distance.
const selfTime = 0.15

// lostBy is an error of the estimated position, in m. If the error is larger, somebody has moved the robot, and the
// model takes over the pose of the frame.
const lostBy = 0.6

// update processes a frame that was captured at the time stamp, dt seconds after the last frame, and that arrived after
// a latency. It returns the view that corrects positions in this frame.
func (s *self) update(p *msg.Perception, stamp, latency time.Duration, dt float64) view {
	measured := pastPose{stamp, pitch.Vec{p.X, p.Y}, p.Heading}
	if p.SelfKnown && !s.known {
		s.known = true
		s.reset(p, measured, latency)
	}
	s.step(p, dt)
	then := s.poseAt(stamp)
	if p.SelfKnown {
		off, turned := measured.pos.Sub(then.pos), pitch.Wrap(measured.heading-then.heading)
		if off.Len() > lostBy {
			s.reset(p, measured, latency)
			then, off, turned = measured, pitch.Vec{}, 0
		}
		k := gain(dt, selfTime)
		s.shift(off.Mul(k), turned*k)
		then.pos, then.heading = then.pos.Add(off.Mul(k)), then.heading+turned*k
	}
	copy(s.past[:], s.past[1:])
	s.past[len(s.past)-1] = pastPose{stamp + latency, s.pos, s.heading}
	return view{from: measured.pos, fromHeading: measured.heading, to: then.pos, toHeading: then.heading}
}

// reset takes over the pose m of a frame, and predicts from it the robot's present pose.
func (s *self) reset(p *msg.Perception, m pastPose, latency time.Duration) {
	s.pos, s.heading = m.pos, m.heading
	for i := range s.past {
		s.past[i] = m
	}
	s.step(p, latency.Seconds())
}

// step adds the motion over dt seconds to the pose, along an arc, by the velocity from odometry.
func (s *self) step(p *msg.Perception, dt float64) {
	s.pos = s.pos.Add(pitch.Turn(pitch.Vec{p.VX, p.VY}, s.heading+p.Omega*dt/2).Mul(dt))
	s.heading = pitch.Wrap(s.heading + p.Omega*dt)
}

// poseAt returns the estimated pose at a past time, interpolated between the stored poses.
func (s *self) poseAt(at time.Duration) pastPose {
	for i := len(s.past) - 1; i > 0; i-- {
		a, b := s.past[i-1], s.past[i]
		if a.at <= at && at <= b.at && b.at > a.at {
			k := float64(at-a.at) / float64(b.at-a.at)
			return pastPose{at, a.pos.Add(b.pos.Sub(a.pos).Mul(k)), lerpAngle(a.heading, b.heading, k)}
		}
	}
	return s.past[len(s.past)-1]
}

// shift moves the present pose and all stored past poses, and turns their headings, in rad.
func (s *self) shift(by pitch.Vec, turn float64) {
	s.pos, s.heading = s.pos.Add(by), pitch.Wrap(s.heading+turn)
	for i := range s.past {
		s.past[i].pos, s.past[i].heading = s.past[i].pos.Add(by), s.past[i].heading+turn
	}
}

package world

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Guesses for the tracks of other robots. A sighting belongs to a track if it is within sameRobot of the position that
// the track predicts. A track without sightings for trackMemory is dropped.
const (
	sameRobot   = 0.8 // m
	trackTime   = 0.08
	trackMemory = 1500 * time.Millisecond
	coastTime   = 0.3 // s for which an unseen robot is predicted at constant velocity
)

// track predicts the tracks of other robots over dt seconds and corrects the tracks by the sightings of a frame.
func (w *World) track(p *msg.Perception, v view, stamp time.Duration, dt float64) {
	for i := range w.Others {
		o := &w.Others[i]
		if (w.Now - o.Seen).Seconds() < coastTime {
			o.Pos = o.Pos.Add(o.Vel.Mul(dt))
		}
	}
	for i := range p.Others {
		s := &p.Others[i]
		vel := v.turn(s.VX, s.VY)
		pos := v.place(s.X, s.Y).Add(vel.Mul(w.latency))
		if pitch.Distance(pos, w.Me.Pos) < 0.3 {
			continue // no robot can be there
		}
		o := w.find(s, pos, p.Team)
		if o.Seen == 0 {
			o.Pos, o.Vel = pos, vel
		}
		o.Seen = w.Now
		if s.Team != msg.TeamUnknown {
			o.Side, o.Number = side(s.Team, p.Team), s.Number
		}
		k := gain(dt, trackTime)
		o.Pos, o.Vel = o.Pos.Add(pos.Sub(o.Pos).Mul(k)), o.Vel.Add(vel.Sub(o.Vel).Mul(k))
	}
	w.Others = slices.DeleteFunc(w.Others, func(o Robot) bool {
		return w.Now-o.Seen > trackMemory ||
			!w.nearField(o.Pos)
	})
}

// nearField reports whether a position is on the field or at most 1 m outside. Robots farther outside do not play.
func (w *World) nearField(at pitch.Vec) bool { return w.Pitch.Inside(at, -1) }

// find returns the track to which a sighting belongs, or a new track if there is none. The sighting of an identified
// robot belongs to the track with that robot's number. Any other sighting belongs to the closest track that has no
// sighting in this frame yet.
func (w *World) find(s *msg.Sighting, pos pitch.Vec, own uint8) *Robot {
	best, near := -1, sameRobot
	for i := range w.Others {
		o := &w.Others[i]
		if o.Seen == w.Now {
			continue
		}
		known := s.Team != msg.TeamUnknown && o.Side != Unknown
		if known && (o.Side != side(s.Team, own) || o.Number != s.Number) {
			continue
		}
		far := pitch.Distance(o.Pos, pos)
		if known {
			far = min(far, near-1e-3) // the same number: the track matches at any distance
		}
		if far < near {
			best, near = i, far
		}
	}
	if best < 0 {
		w.Others = append(w.Others, Robot{})
		best = len(w.Others) - 1
	}
	return &w.Others[best]
}

func side(team, own uint8) Side {
	if team == own {
		return Mate
	}
	return Opponent
}

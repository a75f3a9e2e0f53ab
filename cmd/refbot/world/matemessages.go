package world

import (
	"cmp"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// newerBy is by how much a teammate's observation must be newer than the own one to count, because it includes the
// error of the teammate's pose. 60 ms is a guess.
const newerBy = 60 * time.Millisecond

// MateMessage is the last radio message of a teammate.
type MateMessage struct {
	Sent time.Duration // sim time
	*RadioMessage
}

// mateMessages is the newest message of each teammate, ordered by number.
type mateMessages []MateMessage

// Hear handles a radio message of a teammate. sent is the sim time at which it was sent. Hear drops a message that is
// older than the teammate's last message.
func (m *Model) Hear(sent time.Duration, told *RadioMessage) {
	i, found := slices.BinarySearchFunc(m.heard, told.Number,
		func(h MateMessage, number uint8) int { return cmp.Compare(h.Number, number) })
	switch {
	case !found:
		m.heard = slices.Insert(m.heard, i, MateMessage{sent, told})
	case sent > m.heard[i].Sent:
		m.heard[i] = MateMessage{sent, told}
	}
}

// Said records the message that the robot has sent.
func (m *Model) Said(told *RadioMessage) { m.world.Said = told }

// update updates World.Heard, moves teammates to the poses that they sent, and adds the robots that the teammates see.
func (all mateMessages) update(w *World) {
	w.Heard = w.Heard[:0]
	for i := range all {
		if h := &all[i]; h.Number != w.Me.Number && w.Now-h.Sent <= w.Times().silent {
			w.Heard = append(w.Heard, *h)
		}
	}
	for i := range w.Heard {
		w.placeMate(&w.Heard[i])
	}
	for i := range w.Heard {
		w.addOthers(&w.Heard[i])
	}
}

// Attacking reports whether a teammate with radio, or the robot itself, has the ball or has passed it.
func (w *World) Attacking() bool {
	for i := range w.Heard {
		if h := &w.Heard[i]; h.Holding || h.Pass.Kicked {
			return true
		}
	}
	return w.Hold.Is && len(w.Heard) > 0
}

// MessageFrom returns the last message of a teammate, or nil if the teammate is silent.
func (w *World) MessageFrom(number uint8) *MateMessage {
	for i := range w.Heard {
		if w.Heard[i].Number == number {
			return &w.Heard[i]
		}
	}
	return nil
}

// since returns the age of the message, in s.
func (h *MateMessage) since(w *World) float64 { return (w.Now - h.Sent).Seconds() }

// placeMate moves a teammate to the pose that it sent, predicted to the present. A robot of unknown team close to this
// pose is the teammate itself, so placeMate removes the unknown robot from World.Others.
func (w *World) placeMate(h *MateMessage) {
	told := Robot{Side: Mate, Number: h.Number, Pos: h.Pos.Add(h.Vel.Mul(h.since(w))), Vel: h.Vel, Heading: h.Heading,
		Seen: w.Now}
	w.Others = slices.DeleteFunc(w.Others, func(o Robot) bool {
		return o.Side == Unknown &&
			pitch.Distance(o.Pos, told.Pos) < sameRobot/2
	})
	if at := w.numbered(Mate, h.Number); at >= 0 {
		w.Others[at] = told
	} else {
		w.Others = append(w.Others, told)
	}
}

// numbered returns the index in World.Others of the robot with the given side and number, or −1 if there is none.
func (w *World) numbered(side Side, number uint8) int {
	return slices.IndexFunc(w.Others, func(o Robot) bool { return o.Side == side && o.Number == number })
}

// addOthers adds the robots that a teammate sees and this robot does not see. If both see a robot but only the teammate
// has identified the robot, addOthers copies its team and number.
func (w *World) addOthers(h *MateMessage) {
	if w.Now-h.Sent > w.Times().others {
		return
	}
	for i := range h.Others {
		told := &h.Others[i]
		pos := told.Pos.Add(told.Vel.Mul(h.since(w)))
		if pitch.Distance(pos, w.Me.Pos) < sameRobot ||
			w.nearestOther(pos, func(o *Robot) bool { return o.Side == Mate }) >= 0 || !w.nearField(pos) {
			continue // an own robot that the teammate has not identified
		}
		r := Robot{Side: Unknown, Number: told.Number, Pos: pos, Vel: told.Vel, Seen: h.Sent}
		if told.Opponent {
			r.Side = Opponent
		}
		at := -1
		if told.Opponent && told.Number != 0 {
			at = w.numbered(Opponent, told.Number)
		}
		if at < 0 {
			at = w.nearestOther(pos, func(*Robot) bool { return true })
		}
		if at < 0 {
			w.Others = append(w.Others, r)
			continue
		}
		o := &w.Others[at]
		if o.Side == Unknown {
			o.Side, o.Number = r.Side, r.Number
		}
		if h.Sent-o.Seen > newerBy {
			o.Pos, o.Vel, o.Seen = r.Pos, r.Vel, r.Seen
		}
	}
}

// nearestOther returns the index in World.Others of the robot closest to a position. It considers only robots that are
// within sameRobot of the position and for which the function wanted returns true. If there is none, it returns −1.
func (w *World) nearestOther(pos pitch.Vec, wanted func(*Robot) bool) int {
	best, near := -1, sameRobot
	for i := range w.Others {
		if o := &w.Others[i]; wanted(o) && pitch.Distance(o.Pos, pos) < near {
			best, near = i, pitch.Distance(o.Pos, pos)
		}
	}
	return best
}

// takeNewer replaces the ball's state by a teammate's observation if this observation is newer than the robot's own
// observation.
func (b *ball) takeNewer(w *World, stamp time.Duration) {
	for i := range w.Heard {
		h := &w.Heard[i]
		seen := h.Sent - h.Ball.Age
		if !h.Ball.Known || b.known && seen <= b.seen+newerBy || stamp-seen > w.Times().ball {
			continue
		}
		*b = ball{pos: h.Ball.Pos, vel: h.Ball.Vel, known: true, at: h.Sent, seen: seen}
		b.roll((stamp - h.Sent).Seconds())
		b.at = stamp
	}
}

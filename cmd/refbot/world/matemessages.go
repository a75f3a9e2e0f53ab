package world

import (
	"cmp"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses of how long what mates tell counts: who has not been heard for so long is silent, and treated by what is seen
// of it; a robot that a mate saw longer ago is not believed to be there still; and by how much newer a mate's ball has
// to be than the own, since it errs by where the mate believes to be.
const (
	silentAfter  = 500 * time.Millisecond
	othersMaxAge = 300 * time.Millisecond
	newerBy      = 60 * time.Millisecond
)

// MateMessage is what a mate has told last.
type MateMessage struct {
	Sent time.Duration // sim time
	*RadioMessage
}

// mateMessages is the newest message of each mate, by number.
type mateMessages []MateMessage

// Hear takes in what a mate sent at a time. What comes after a newer message of the same mate is old, and dropped.
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

// Said notes what the robot has told its mates.
func (m *Model) Said(told *RadioMessage) { m.world.Said = told }

// listen lists in the world who is heard, and moves mates to where they say to be, and adds what they see.
func (all mateMessages) listen(w *World) {
	w.Heard = w.Heard[:0]
	for i := range all {
		if h := &all[i]; h.Number != w.Me.Number && w.Now-h.Sent <= silentAfter {
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

// Attacking tells whether the robot knows that its team has the ball, since a mate that it hears has it, or has passed
// it.
func (w *World) Attacking() bool {
	for i := range w.Heard {
		if h := &w.Heard[i]; h.Holding || h.Pass.Kicked {
			return true
		}
	}
	return w.Hold.Is && len(w.Heard) > 0
}

// Told returns what a mate has told, or nil for one that is silent.
func (w *World) Told(number uint8) *MateMessage {
	for i := range w.Heard {
		if w.Heard[i].Number == number {
			return &w.Heard[i]
		}
	}
	return nil
}

// since returns how long ago something was sent, s.
func (h *MateMessage) since(w *World) float64 { return (w.Now - h.Sent).Seconds() }

// placeMate puts a mate where it says to be. A robot without a colour that is seen there is the mate.
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

// numbered returns which of the other robots has a number of a side; −1 if none has.
func (w *World) numbered(side Side, number uint8) int {
	return slices.IndexFunc(w.Others, func(o Robot) bool { return o.Side == side && o.Number == number })
}

// addOthers adds robots that a mate sees and this one does not, and gives those that it sees without a colour the one
// that the mate has seen.
func (w *World) addOthers(h *MateMessage) {
	if w.Now-h.Sent > othersMaxAge {
		return
	}
	for i := range h.Others {
		told := &h.Others[i]
		pos := told.Pos.Add(told.Vel.Mul(h.since(w)))
		if pitch.Distance(pos, w.Me.Pos) < sameRobot ||
			w.nearestOther(pos, func(o *Robot) bool { return o.Side == Mate }) >= 0 || !w.nearField(pos) {
			continue // one of the team, whose colour the mate has not seen
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

// nearestOther returns which of the other robots that are wanted is nearest to a place, of those so near that they are
// the same; −1 if there is none.
func (w *World) nearestOther(pos pitch.Vec, wanted func(*Robot) bool) int {
	best, near := -1, sameRobot
	for i := range w.Others {
		if o := &w.Others[i]; wanted(o) && pitch.Distance(o.Pos, pos) < near {
			best, near = i, pitch.Distance(o.Pos, pos)
		}
	}
	return best
}

// hear believes the ball of the mate that has seen it last, if that is newer than the own.
func (b *ball) hear(w *World, stamp time.Duration) {
	for i := range w.Heard {
		h := &w.Heard[i]
		seen := h.Sent - h.Ball.Age
		if !h.Ball.Known || b.known && seen <= b.seen+newerBy || stamp-seen > ballMemory {
			continue
		}
		*b = ball{pos: h.Ball.Pos, vel: h.Ball.Vel, known: true, at: h.Sent, seen: seen}
		b.roll((stamp - h.Sent).Seconds())
		b.at = stamp
	}
}

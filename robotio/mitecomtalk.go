package robotio

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/mitecom"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// mitecomPeriod is the sim time between messages of a robot. Source: the example in fumanoids/mitecom.
const mitecomPeriod = 100 * time.Millisecond

// mitecomTeller holds the newest message of Mitecom that a robot has received from a teammate.
type mitecomTeller struct {
	message mitecom.Message
	sent    time.Duration // sim time at which the teammate's radio accepted it
	some    bool
}

// take replaces the message by a newer one: messages may overtake each other.
func (h *mitecomTeller) take(newer mitecomTeller) {
	if !h.some || newer.sent >= h.sent {
		*h = newer
	}
}

// told returns what the message tells. A teammate whose newest message is too old, or from a later time than now, is
// inactive.
func (h *mitecomTeller) told(w *worlds.World, robot int, now time.Duration) quantity.Told {
	if age := now - h.sent; !h.some || age < 0 || age > beliefOld {
		return quantity.Told{Robot: robot}
	}
	return quantity.Hear(w, robot, &h.message)
}

// talkMitecom lets robots take part in the Mixed Team Communication: those without a program of their own send what
// they know if speaks is true, and all receive. Of two bridges of a simulation, only one may speak.
func (t *teamTalk) talkMitecom(b *Bridge, speaks bool) error {
	w := b.sim.World()
	for i := range w.Robots {
		r := &w.Robots[i]
		if r.Radio == nil || r.Radio.Mitecom == nil {
			continue
		}
		if speaks && r.Radio.Mitecom.BasePort == 0 {
			t.speakers = append(t.speakers, quantity.NewContext(w, i))
		}
		if err := t.hearMitecom(b, i); err != nil {
			return err
		}
	}
	if t.heard == nil {
		return nil
	}
	b.sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Step == 0 { // the world starts or restarts
			t.forgetMitecom()
		}
	})
	if t.speakers == nil {
		return nil
	}
	b.sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Time%mitecomPeriod < w.Time.Step {
			t.sayMitecom(truth)
		}
	})
	return t.begin(b)
}

// forgetMitecom drops all messages.
func (t *teamTalk) forgetMitecom() {
	for _, h := range t.heard {
		*h = mitecomTeller{}
	}
	t.mu.Lock()
	clear(t.newest)
	t.mu.Unlock()
}

// hearMitecom keeps the messages that a robot receives from its teammates.
func (t *teamTalk) hearMitecom(b *Bridge, to int) error {
	w := b.sim.World()
	r := &w.Robots[to]
	if t.heard == nil {
		t.heard, t.newest = map[[2]int]*mitecomTeller{}, map[string]mitecomTeller{}
	}
	by := map[string]*mitecomTeller{}
	for i := range w.Robots {
		if mate := &w.Robots[i]; i != to && mate.Team == r.Team && mate.Radio != nil && mate.Radio.Mitecom != nil {
			by[mate.Name] = new(mitecomTeller)
			t.heard[[2]int{to, i}] = by[mate.Name]
		}
	}
	return b.sim.Match().OnRadio(r.Name, func(from string, m *radio.Message) {
		h := by[from]
		if h == nil || m.Topic != radio.MitecomTopic || !b.sim.Match().Wired(r.Name) {
			return
		}
		message, err := mitecom.Parse(m.Data)
		if err == nil && int(message.Team) == r.Radio.Mitecom.Team {
			newer := mitecomTeller{message, m.Sent, true}
			h.take(newer)
			t.mu.Lock()
			newest := t.newest[from]
			newest.take(newer)
			t.newest[from] = newest
			t.mu.Unlock()
		}
	})
}

// sayMitecom sends what robots know.
func (t *teamTalk) sayMitecom(truth *physics.Snapshot) {
	b := t.bridge
	believed := t.refresh()
	for i := range t.speakers {
		c := &t.speakers[i]
		c.Truth = truth
		if !b.sim.Match().Wired(c.Robot.Name) || c.Absent(c.Robot.Name) {
			continue
		}
		told := t.know(c.Index(), believed)
		message := told.Mitecom(c)
		if err := b.sim.Match().Send(c.Robot.Name, radio.MitecomTopic, message.Append(nil)); err != nil &&
			!errors.Is(err, omnipitch.ErrClosed) && !errors.Is(err, omnipitch.ErrReplaying) {
			b.refused(err)
		}
	}
}

// Told returns what robots have told their teammates by Mitecom, in the order of the robots in the world: messages that
// have reached a teammate, and are not too old. Any goroutine may call it.
func (b *Bridge) Told() (all []belief.Robot) {
	w, now := b.sim.World(), b.sim.Clock().Time()
	b.team.mu.Lock()
	defer b.team.mu.Unlock()
	for i := range w.Robots {
		h := b.team.newest[w.Robots[i].Name]
		if told := h.told(w, i, now); told.Active {
			all = append(all, told.Belief(w, h.sent))
		}
	}
	return all
}

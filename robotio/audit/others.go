package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// done notes what a program has done at the end of a step.
func (m *Match) done(step int64, a action.Action) {
	switch a := a.(type) {
	case *action.GameCommand:
		m.order(step, a)
	case *action.Place:
		m.unknown = m.unknown || m.find(a.Name) != nobody
	case *action.SendOff:
		m.unknown = true
	}
}

// events notes what the events of the world may do. Of one that just happens at a time it is known when; a recording
// tells of no other.
func (m *Match) events() {
	for i := range m.world.Events {
		e := &m.world.Events[i]
		if e.Place != nil && m.find(e.Place.Name) != nobody || e.SendOff != nil {
			m.unknown = true
		}
		c := e.GameCommand
		if c == nil {
			continue
		}
		if !c.Command.ForRobot() {
			m.AnyoneMayCommand()
		}
		if !c.Command.ForRobot() && c.Command != game.Reset {
			continue
		}
		if e.Every > 0 || e.When != nil || e.After != "" {
			m.unknown = true
			continue
		}
		m.order(m.at(e.At), c)
	}
}

// at returns the first step of a time; one after the last if it has not come.
func (m *Match) at(t time.Duration) int64 {
	n, _ := slices.BinarySearchFunc(m.states, t, func(s state, t time.Duration) int { return cmp.Compare(s.time, t) })
	return int64(n)
}

// order adds a command for robots, by its step.
func (m *Match) order(step int64, c *action.GameCommand) {
	if !c.Command.ForRobot() && c.Command != game.Reset {
		return
	}
	i, _ := slices.BinarySearchFunc(m.orders, step+1, func(o order, step int64) int {
		return cmp.Compare(o.step,
			step)
	})
	m.orders = slices.Insert(m.orders, i, order{step, c.Command, c.Team, c.Number})
}

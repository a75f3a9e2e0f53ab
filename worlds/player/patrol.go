package player

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Patrol is the behaviour of a robot that drives from way point to way point without end. After the last way point it
// goes on to the first, or it drives back and forth.
type Patrol struct {
	Way
	BackAndForth bool `toml:"back_and_forth" doc:"returns the same way; otherwise it goes from the last way point to the first"`
}

func (*Patrol) Validate(string, World) error { return nil }

func (p *Patrol) Start(m *physics.Model, robot int) Player {
	t := &patroller{}
	next := func(at, points int) int { return (at + 1) % points }
	if p.BackAndForth {
		next = t.backAndForth
	}
	t.route = newRoute(m, robot, &p.Way, next)
	return t
}

type patroller struct {
	route
	from int // index of the previous way point
}

// Command drives along the way.
func (t *patroller) Command(now *physics.Snapshot, c *physics.Command) bool {
	if at := t.at; t.follow(now, c) && t.at != at {
		t.from = at
	}
	return true
}

// backAndForth returns the index of the way point after the one with index at. It is the following way point, or the
// preceding one if the robot came from the following one or the way ends.
func (t *patroller) backAndForth(at, points int) int {
	onwards := at >= t.from
	switch {
	case points == 1:
		return 0
	case at == points-1 || !onwards && at > 0:
		return at - 1
	}
	return at + 1
}

func (t *patroller) Exchange(c *keyframe.Codec) {
	t.route.Exchange(c)
	c.Index(&t.from, 0, len(t.Points))
}

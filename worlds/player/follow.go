package player

import "github.com/omnipitch/omnipitch/physics"

// Follow is the behaviour of a robot that drives along way points once, and stops at the last of them.
type Follow struct{ Way }

func (*Follow) Validate(string, World) error { return nil }

// Start returns a player that ends at the last way point.
func (f *Follow) Start(m *physics.Model, robot int) Player {
	r := newRoute(m, robot, &f.Way, func(at, points int) int {
		if at == points-1 {
			return -1
		}
		return at + 1
	})
	return &follower{r}
}

type follower struct{ route }

func (f *follower) Command(now *physics.Snapshot, c *physics.Command) bool {
	before := *c
	if f.follow(now, c) {
		return true
	}
	*c = before
	return false
}

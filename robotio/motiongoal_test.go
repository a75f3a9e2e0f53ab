package robotio

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A motion ends with its state. It fails by a fall, or if it does not begin in time.
func TestMotionGoals(t *testing.T) {
	const free, walks, falls, lies, rises = physics.Controllable, physics.Walking, physics.Falling, physics.Fallen,
		physics.GettingUp
	plays := physics.Animating
	for name, c := range map[string]struct {
		states []physics.MotionState // one a second; the last one ends the goal
		want   error
	}{
		"at once":          {[]physics.MotionState{plays, plays, free}, nil},
		"after a walk":     {[]physics.MotionState{walks, walks, plays, walks}, nil},
		"after getting up": {[]physics.MotionState{rises, rises, free, plays, free}, nil},
		"a fall":           {[]physics.MotionState{plays, falls}, errFell},
		"a fall before":    {[]physics.MotionState{walks, falls}, errFell},
		"on the floor":     {[]physics.MotionState{lies}, errFell},
		"a missed fall":    {[]physics.MotionState{plays, rises}, errFell},
		"never":            {append(make([]physics.MotionState, 20), free), errNever},
	} {
		g := motionGoal{state: plays, until: 19500 * time.Millisecond}
		for i, state := range c.states {
			now := &physics.Snapshot{Time: time.Duration(i) * time.Second}
			now.Robots = []physics.RobotState{{Motion: state}}
			err, over := g.over(now)
			must.Equal(t, over, i == len(c.states)-1, "%s: over after state %d", name, i)
			if over {
				must.Equal(t, err, c.want, "%s", name)
			}
		}
	}
}

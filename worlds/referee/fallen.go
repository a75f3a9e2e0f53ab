package referee

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// fallen is the rule that sends off for repair a robot that lies on the floor, or leans too far to drive on.
type fallen struct{ tilted []span }

// span measures for how long a condition has held without a break.
type span struct {
	holds bool
	since time.Duration
}

// lasts records whether the condition holds at the time now. It returns for how long the condition has held.
func (s *span) lasts(holds bool, now time.Duration) time.Duration {
	if !s.holds {
		s.since = now
	}
	if s.holds = holds; !holds {
		return 0
	}
	return now - s.since
}

func (s *span) exchange(c *keyframe.Codec) {
	c.Bool(&s.holds)
	c.Duration(&s.since)
}

func (f *fallen) judge(m *match, robot int, d *Decision) bool {
	rot := m.now.Robots[robot].PoseWB.Rot
	// angle between the robot's own z axis and the vertical, rad
	tilt := math.Acos(min(max(1-2*(rot.V[0]*rot.V[0]+rot.V[1]*rot.V[1]), -1), 1))
	lain := f.tilted[robot].lasts(tilt > m.rules.FallenBy, m.now.Time)
	if !f.tilted[robot].holds || lain < m.rules.FallenFor {
		return false
	}
	d.Reason = fmt.Sprintf("%s has fallen", m.name(robot))
	d.addBasis("tilt", tilt*180/math.Pi, "deg", m.rules.FallenBy*180/math.Pi)
	d.addBasis("time", lain.Seconds(), "s", m.rules.FallenFor.Seconds())
	return true
}

func (f *fallen) forget(robot int) { f.tilted[robot] = span{} }

func (f *fallen) Exchange(c *keyframe.Codec) {
	for i := range f.tilted {
		f.tilted[i].exchange(c)
	}
}

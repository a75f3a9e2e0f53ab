package referee

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// ballCovered is the rule against a robot that holds the ball and covers too much of it, seen from above. Source: the
// rule book, recalled.
type ballCovered struct {
	robots int // number of robots in the model
	robot  int // index of the robot that covers the ball, or nobody
	since  time.Duration
}

func (b *ballCovered) judge(m *match, d *Decision) bool {
	by, share := m.now.Ball.HeldBy, 0.0
	if by >= 0 {
		share = m.covered(by)
	}
	if !(share > m.rules.CoverShare) {
		b.robot = nobody
		return false
	}
	if by != b.robot {
		b.robot, b.since = by, m.now.Time
	}
	held := m.now.Time - b.since
	if held < m.rules.CoverFor {
		return false
	}
	m.foul(d, by)
	d.Reason = fmt.Sprintf("%s covers the ball", m.name(by))
	d.addBasis("share of the ball's diameter", share, "", m.rules.CoverShare)
	d.addBasis("time", held.Seconds(), "s", m.rules.CoverFor.Seconds())
	return true
}

// covered returns the fraction of the ball's diameter that is within a robot's hull, seen from above, 0 to 1. It is
// measured at right angles to the part of the hull's edge that is closest to the ball's centre.
func (m *match) covered(robot int) float64 {
	body, pose, ball := &m.model.Robots[robot].Body, &m.now.Robots[robot].PoseWB, m.ball()
	at := m.robotPos(robot)
	sin, cos := math.Sincos(pose.Heading())
	dx, dy := ball[0]-at[0], ball[1]-at[1]
	// distance of the ball's centre from the edge; negative if the centre is inside the hull
	outside := math.Hypot(dx, dy) - body.Radius
	if body.Boxed() {
		x, y := math.Abs(cos*dx+sin*dy)-body.Length/2, math.Abs(cos*dy-sin*dx)-body.Width/2
		outside = math.Hypot(max(x, 0), max(y, 0)) + min(max(x, y), 0)
	}
	r := m.model.Ball.Radius
	return min(max((r-outside)/(2*r), 0), 1)
}

func (b *ballCovered) reset() { b.robot = nobody }

func (b *ballCovered) Exchange(c *keyframe.Codec) {
	c.Index(&b.robot, nobody, b.robots)
	c.Duration(&b.since)
}

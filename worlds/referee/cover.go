package referee

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// ballCovered is a robot that holds the ball so that, seen from above, too much of it is under the robot. Source: the
// rule book, recalled.
type ballCovered struct {
	robots int // of the model
	robot  int // that covers it, or nobody
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
	d.rest("share of the ball's diameter", share, "", m.rules.CoverShare)
	d.rest("time", held.Seconds(), "s", m.rules.CoverFor.Seconds())
	return true
}

// covered returns how much of the ball's diameter is within a robot's hull, seen from above: from none, 0, to all, 1.
// It is measured across the part of the hull's edge that is nearest to the ball's centre.
func (m *match) covered(robot int) float64 {
	body, pose, ball := &m.model.Robots[robot].Body, &m.now.Robots[robot].PoseWB, m.ball()
	at := m.at(robot)
	sin, cos := math.Sincos(pose.Heading())
	dx, dy := ball[0]-at[0], ball[1]-at[1]
	outside := math.Hypot(dx, dy) - body.Radius // of the centre from the edge; inside it is negative
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

package referee

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// foul records in the decision that a robot is at fault. The opponents of the robot get a free kick.
func (m *match) foul(d *Decision, robot int) {
	d.Against, d.Robots = m.team(robot), append(d.Robots, m.name(robot))
	d.Command, d.Team = game.FreeKick, d.Against.Rival()
	d.BallW = m.freeKick(m.ball())
}

// carried reports whether a robot holds the ball now. A loose ball, as after a shot, is not carried, even if the robot
// may get hold of it again.
func (m *match) carried() bool { return m.now.Ball.HeldBy >= 0 }

// dribbleDistance is the rule that limits how far a robot may carry the ball from the place where it took the ball.
// Source: simatch, auto_referee, R1.
func dribbleDistance(m *match, d *Decision) bool {
	if !m.carried() {
		return false
	}
	far := distance(m.ball(), m.heldFromW)
	if far <= m.rules.Dribble {
		return false
	}
	m.foul(d, m.holder)
	d.Reason = fmt.Sprintf("%s has carried the ball too far", m.name(m.holder))
	d.addBasis("from where it took the ball", far, "m", m.rules.Dribble)
	return true
}

// dribbleHalfway is the rule that forbids a robot to carry the ball wholly across the halfway line. A setting can allow
// it. Source: simatch, auto_referee, R2, which is switched off there.
func dribbleHalfway(m *match, d *Decision) bool {
	if !m.carried() || m.rules.Across {
		return false
	}
	r, across := m.model.Ball.Radius, m.ball()[0]
	switch from := m.heldFromW[0]; {
	case from > r:
		across = -across
	case from >= -r: // the ball was on the halfway line, as at a kick-off
		return false
	}
	if across <= r {
		return false
	}
	m.foul(d, m.holder)
	d.Reason = fmt.Sprintf("%s has carried the ball across the halfway line", m.name(m.holder))
	d.addBasis("centre of the ball behind the line", across, "m", r)
	return true
}

// ballCovered is the rule against a robot that covers too much of the ball, seen from above, for too long. Source for
// robots with a dribbler: the rule book, from memory; for humanoids: the referee of the Humanoid League's simulated
// games.
type ballCovered struct {
	by      func(*match) int // the robot that may cover it, or nobody
	keepers bool             // a goalkeeper in its own penalty area may cover it for longer
	robots  int              // number of robots in the model
	robot   int              // index of the robot that covers the ball, or nobody
	since   time.Duration
}

func (b *ballCovered) judge(m *match, d *Decision) bool {
	by, share := b.by(m), 0.0
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
	held, allowed := m.now.Time-b.since, m.rules.CoverFor
	if b.keepers && m.keeper(by) && m.inPenaltyArea(by, m.team(by)) {
		allowed = m.rules.KeeperFor
	}
	if held < allowed {
		return false
	}
	m.foul(d, by)
	d.Reason = fmt.Sprintf("%s covers the ball", m.name(by))
	d.addBasis("share of the ball's diameter", share, "", m.rules.CoverShare)
	d.addBasis("time", held.Seconds(), "s", allowed.Seconds())
	return true
}

// dribbler returns the robot that holds the ball with its dribbler, or nobody.
func (m *match) dribbler() int { return m.now.Ball.HeldBy }

// coverer returns the robot that covers most of the ball, or nobody.
func (m *match) coverer() int {
	robot, most := nobody, 0.0
	for i := range m.now.Robots {
		if share := m.covered(i); share > most && !m.offField(i) {
			robot, most = i, share
		}
	}
	return robot
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

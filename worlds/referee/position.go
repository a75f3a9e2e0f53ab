package referee

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// leftField is the rule against a robot that stays off the carpet. Source: the referee of the Humanoid League's
// simulated games.
type leftField struct{ off []span }

func (l *leftField) judge(m *match, robot int, d *Decision) bool {
	x, y := m.model.Field.Half()
	at := m.robotPos(robot)
	beyond := max(math.Abs(at[0])-x, math.Abs(at[1])-y) // the edge of the carpet
	stayed := l.off[robot].lasts(beyond > 0, m.now.Time)
	if !l.off[robot].holds || stayed < m.rules.Left {
		return false
	}
	d.Against = m.team(robot)
	d.Reason = m.name(robot) + " has left the field"
	d.addBasis("beyond the carpet", beyond, "m", 0)
	d.addBasis("time", stayed.Seconds(), "s", m.rules.Left.Seconds())
	return true
}

func (l *leftField) forget(robot int) { l.off[robot] = span{} }

func (l *leftField) Exchange(c *keyframe.Codec) {
	for i := range l.off {
		l.off[i].exchange(c)
	}
}

// setMotion is the rule against a robot that moves while all must stand still before a start.
type setMotion struct{ robots []stand }

// stand is where a robot must stand.
type stand struct {
	span
	fromW [2]float64 // its position in W when it had to stand, m
}

// setReaction is the time after the command set in which robots may still move: packets of a GameController come twice
// a second, and robots stop with another step. It is a guess.
const setReaction = 2 * time.Second

func (s *setMotion) judge(m *match, robot int, d *Decision) bool {
	x, at := &s.robots[robot], m.robotPos(robot)
	if stood := x.lasts(m.inSet, m.now.Time); !m.inSet || stood <= setReaction {
		x.fromW = at
		return false
	}
	moved := distance(at, x.fromW)
	if moved <= m.rules.SetMotion {
		return false
	}
	d.Against = m.team(robot)
	d.Reason = m.name(robot) + " moves before the start"
	d.addBasis("moved", moved, "m", m.rules.SetMotion)
	return true
}

func (s *setMotion) forget(robot int) { s.robots[robot] = stand{} }

func (s *setMotion) Exchange(c *keyframe.Codec) {
	for i := range s.robots {
		s.robots[i].exchange(c)
		c.Floats(s.robots[i].fromW[:])
	}
}

// illegalPosition is the rule against a robot of the other team that is too close to the ball while a set piece is
// being taken, or in the circle or the wrong half at a kick-off.
type illegalPosition struct{}

func (illegalPosition) judge(m *match, robot int, d *Decision) bool {
	if !m.taking || m.forTeam == "" || m.team(robot) == m.forTeam ||
		m.keepsDistance(robot, m.piece, m.forTeam, m.placeW) {
		return false
	}
	d.Against = m.team(robot)
	d.Reason = m.name(robot) + " does not keep its place at the " + string(m.piece)
	d.addBasis("from the ball's place", distance(m.robotPos(robot), m.placeW), "m", m.room(robot, m.piece, m.forTeam))
	return true
}

func (illegalPosition) forget(int)               {}
func (illegalPosition) Exchange(*keyframe.Codec) {}

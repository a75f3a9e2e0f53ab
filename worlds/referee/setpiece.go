package referee

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// setPieceTouch is the rule against a robot of the other team that touches the ball before the ball is in play. The set
// piece is then taken again.
type setPieceTouch struct{ memoryless }

func (setPieceTouch) judge(m *match, d *Decision) bool {
	if !m.taking || m.forTeam == "" || m.touching == nobody || m.team(m.touching) == m.forTeam {
		return false
	}
	d.Against, d.Robots = m.team(m.touching), append(d.Robots, m.name(m.touching))
	d.Command, d.Team, d.BallW = m.piece, m.forTeam, m.placeW
	d.Reason = fmt.Sprintf("%s has touched the ball before the %s was taken", m.name(m.touching), m.piece)
	d.addBasis("ball moved", distance(m.ball(), m.placeW), "m", m.rules.InPlay)
	return true
}

// doubleTouch is the rule against the taker of a set piece that touches the ball again before another robot has touched
// it.
type doubleTouch struct{ memoryless }

func (doubleTouch) judge(m *match, d *Decision) bool {
	if m.piece == "" || m.piece == game.DropBall || m.others || !m.left || m.taker == nobody || m.touching != m.taker {
		return false
	}
	m.foul(d, m.taker)
	d.Reason = fmt.Sprintf("%s has touched the ball again, and no other robot since the %s", m.name(m.taker), m.piece)
	d.addBasis("robots that touched it", 1, "", 2)
	return true
}

// tooNear appends to the slice into the indices of the robots that do not keep their distance from the ball at a set
// piece of a team. The taker is the robot of that team that is closest to the ball. Source: simatch, auto_referee, R5.
func (m *match) tooNear(piece game.Command, team physics.Team, placeW [2]float64, into []int) []int {
	taker := m.nearest(team, placeW)
	for i := range m.now.Robots {
		if i != taker && !m.offField(i) && !m.keepsDistance(i, piece, team, placeW) {
			into = append(into, i)
		}
	}
	return into
}

// keepsDistance reports whether a robot that is not the taker keeps its distance from the ball.
func (m *match) keepsDistance(robot int, piece game.Command, team physics.Team, placeW [2]float64) bool {
	own, far := m.team(robot), distance(m.robotPos(robot), placeW)
	room := m.rules.Others
	if own == team {
		room = m.rules.Mates
	}
	switch piece {
	case game.DropBall:
		return far >= m.rules.Dropped || m.inPenaltyArea(robot, own)
	case game.Kickoff:
		return far >= room && own.Attacks(&m.model.Field).Side*m.robotPos(robot)[0] <= 0
	case game.Penalty:
		areas := m.inPenaltyArea(robot, physics.Cyan) || m.inPenaltyArea(robot, physics.Magenta)
		return m.keeper(robot) || far >= m.rules.Others && !areas
	}
	return far >= room || own != team && m.inPenaltyArea(robot, own)
}

// nearest returns the index of the robot of a team that is closest to a place.
func (m *match) nearest(team physics.Team, placeW [2]float64) int {
	best, near := nobody, 0.0
	for i := range m.now.Robots {
		if far := distance(m.robotPos(i), placeW); m.team(i) == team && !m.offField(i) &&
			(best == nobody || far < near) {
			best, near = i, far
		}
	}
	return best
}

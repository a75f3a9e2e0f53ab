package referee

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// setPieceTouch is the rule against a robot of the other team that touches the ball before the ball is in play. The set
// piece is then taken again.
func setPieceTouch(m *match, d *Decision) bool {
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
func doubleTouch(m *match, d *Decision) bool {
	if m.piece == "" || m.piece == game.DropBall || m.others || !m.left || m.taker == nobody || m.touching != m.taker {
		return false
	}
	m.foul(d, m.taker)
	d.Reason = fmt.Sprintf("%s has touched the ball again, and no other robot since the %s", m.name(m.taker), m.piece)
	d.addBasis("robots that touched it", 1, "", 2)
	return true
}

// tooNear appends to dst the indices of the robots that are too close to the ball at a set piece of a team. The taker
// is left out: it is the robot of that team that is closest to the ball. Source: simatch, auto_referee, R5.
func (m *match) tooNear(piece game.Command, team physics.Team, placeW [2]float64, dst []int) []int {
	taker := m.nearest(team, placeW)
	for i := range m.now.Robots {
		if i != taker && !m.offField(i) && !m.keepsDistance(i, piece, team, placeW) {
			dst = append(dst, i)
		}
	}
	return dst
}

// keepsDistance reports whether a robot that is not the taker keeps its distance from the ball.
func (m *match) keepsDistance(robot int, piece game.Command, team physics.Team, placeW [2]float64) bool {
	own, far := m.team(robot), distance(m.robotPos(robot), placeW)
	room := m.room(robot, piece, team)
	inOwnHalf := own.Attacks(&m.model.Field).Side*m.robotPos(robot)[0] <= 0
	switch piece {
	case game.DropBall:
		if m.book.centre {
			return far >= room && inOwnHalf
		}
		return far >= room || m.inPenaltyArea(robot, own)
	case game.Kickoff:
		return far >= room && inOwnHalf
	case game.Penalty:
		areas := m.inPenaltyArea(robot, physics.Cyan) || m.inPenaltyArea(robot, physics.Magenta)
		return m.keeper(robot) || far >= room && !areas
	}
	return far >= room || own != team && m.inPenaltyArea(robot, own)
}

// room returns the distance in m that a robot must keep from the ball at a set piece of a team.
func (m *match) room(robot int, piece game.Command, team physics.Team) float64 {
	own := m.team(robot) == team
	switch {
	case piece == game.DropBall && m.book.centre, piece == game.Kickoff && m.book.circle && !own:
		return max(m.rules.Others, m.model.Field.CentreCircle)
	case piece == game.DropBall:
		return m.rules.Dropped
	case own && piece != game.Penalty:
		return m.rules.Mates
	}
	return m.rules.Others
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

// Constants of restart points. If the place of a free kick, a goal kick or a dropped ball is in a penalty area, the
// place moves to a restart point. A restart point is outside the penalty area, and at least as far from the goal line
// as the penalty mark. Its distance from the centre line of the field is a fraction, restartShare, of the field's
// width. The points are a guess: simatch has such points too.
const (
	restartShare = 0.25
	restartGap   = 0.5 // m: smallest distance of a restart point from the area
)

// restartPoint returns the restart point that is closest to a place, on one half of the field. The argument
// side is the sign of x in this half.
func (m *match) restartPoint(side float64, place [2]float64) [2]float64 {
	f := &m.model.Field
	out := max(f.PenaltyMark, f.PenaltyAreaDepth+restartGap)
	return [2]float64{side * max(0, f.Length/2-out), math.Copysign(restartShare*f.Width, place[1])}
}

// goalKick returns the place of a team's goal kick: a restart point, or the front corner of the goal area on the side
// where the ball went out.
func (m *match) goalKick(team physics.Team) [2]float64 {
	if f := &m.model.Field; !m.book.areas {
		return [2]float64{-team.Attacks(f).Side * (f.Length/2 - f.GoalAreaDepth),
			math.Copysign(f.GoalAreaWidth/2, m.ball()[1])}
	}
	return m.restartPoint(-team.Attacks(&m.model.Field).Side, m.ball())
}

// penaltyMark returns the penalty mark in front of the goal that a team defends.
func (m *match) penaltyMark(of physics.Team) [2]float64 {
	f := &m.model.Field
	return [2]float64{-of.Attacks(f).Side * (f.Length/2 - f.PenaltyMark), 0}
}

// freeKick returns the place at which play continues if the ball was at a given place when play stopped. The result is
// the same place, unless that is off the field or, in some books, in a penalty area.
func (m *match) freeKick(place [2]float64) [2]float64 {
	f := &m.model.Field
	for _, g := range f.Goals() {
		if m.book.areas && m.inArea(place, g.Side, f.PenaltyAreaDepth, f.PenaltyAreaWidth) {
			return m.restartPoint(g.Side, place)
		}
	}
	x, y := f.Length/2-m.rules.Inset, f.Width/2-m.rules.Inset
	return [2]float64{min(max(place[0], -x), x), min(max(place[1], -y), y)}
}

// inArea reports whether a place is in the penalty area or goal area at a side of the field. depth and width are the
// size of the area, in m.
func (m *match) inArea(place [2]float64, side, depth, width float64) bool {
	in := m.model.Field.Length/2 - side*place[0]
	return in >= 0 && in <= depth && math.Abs(place[1]) <= width/2
}

// inPenaltyArea reports whether a robot is in the penalty area that a team defends.
func (m *match) inPenaltyArea(robot int, of physics.Team) bool {
	f := &m.model.Field
	return m.inArea(m.robotPos(robot), -of.Attacks(f).Side, f.PenaltyAreaDepth, f.PenaltyAreaWidth)
}

// inGoalArea reports whether a robot is in the goal area that a team defends.
func (m *match) inGoalArea(robot int, of physics.Team) bool {
	f := &m.model.Field
	return m.inArea(m.robotPos(robot), -of.Attacks(f).Side, f.GoalAreaDepth, f.GoalAreaWidth)
}

// besideGap is the gap in m between a robot and a ball that is placed next to the robot. The value is a guess.
const besideGap = 0.05

// clear returns the nearest place, in the direction of the field's centre, where no robot stands.
func (m *match) clear(place [2]float64) [2]float64 {
	dir := [2]float64{-place[0], -place[1]}
	if n := math.Hypot(dir[0], dir[1]); n > 0 {
		dir = [2]float64{dir[0] / n, dir[1] / n}
	} else {
		dir = [2]float64{0, 1}
	}
	for range m.now.Robots { // each robot moves the place at most once, because the place only moves in one direction
		moved := false
		for i := range m.now.Robots {
			room := m.model.Robots[i].Body.Radius + m.model.Ball.Radius + besideGap
			at := m.robotPos(i)
			rel := [2]float64{place[0] - at[0], place[1] - at[1]}
			along := rel[0]*dir[0] + rel[1]*dir[1]
			off := rel[0]*rel[0] + rel[1]*rel[1]
			if off >= room*room*(1-1e-9) {
				continue
			}
			on := -along + math.Sqrt(along*along-off+room*room)
			place = [2]float64{place[0] + on*dir[0], place[1] + on*dir[1]}
			moved = true
		}
		if !moved {
			break
		}
	}
	return place
}

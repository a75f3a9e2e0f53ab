package referee

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// If the place of a free kick, a goal kick or a dropped ball is in a penalty area, it moves to a restart point. A
// restart point is as far from the goal line as the penalty mark, or farther, so that it is outside the area. It is to
// the side by a fraction of the field's width. The points are a guess: simatch has such points too.
const (
	restartShare = 0.25
	restartGap   = 0.5 // m: smallest distance of a restart point from the area
)

// restartPoint returns the restart point that is closest to a place, on the half of the field that side gives.
func (m *match) restartPoint(side float64, place [2]float64) [2]float64 {
	f := &m.model.Field
	out := max(f.PenaltyMark, f.PenaltyAreaDepth+restartGap)
	return [2]float64{side * max(0, f.Length/2-out), math.Copysign(restartShare*f.Width, place[1])}
}

// goalKick returns the place of a team's goal kick.
func (m *match) goalKick(team physics.Team) [2]float64 {
	return m.restartPoint(-team.Attacks(&m.model.Field).Side, m.ball())
}

// penaltyMark returns the penalty mark in front of the goal that a team defends.
func (m *match) penaltyMark(of physics.Team) [2]float64 {
	f := &m.model.Field
	return [2]float64{-of.Attacks(f).Side * (f.Length/2 - f.PenaltyMark), 0}
}

// freeKick returns the place at which play continues if the ball was at a given place when play stopped. The result is
// the same place, unless that is off the field or in a penalty area.
func (m *match) freeKick(place [2]float64) [2]float64 {
	f := &m.model.Field
	for _, g := range f.Goals() {
		if m.inArea(place, g.Side, f.PenaltyAreaDepth, f.PenaltyAreaWidth) {
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

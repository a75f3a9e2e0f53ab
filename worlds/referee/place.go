package referee

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// A free kick, a goal kick or a dropped ball in a penalty area moves to a restart point. It is level with the penalty
// mark and outside of the area, at a share of the field's width. Guess: simatch has such points too.
const (
	restartShare = 0.25
	restartGap   = 0.5 // m: smallest distance from the area
)

// restartPoint returns the restart point of a side and a half of the field that is closest to a place.
func (m *match) restartPoint(side float64, place [2]float64) [2]float64 {
	f := &m.model.Field
	out := max(f.PenaltyMark, f.PenaltyAreaDepth+restartGap)
	return [2]float64{side * max(0, f.Length/2-out), math.Copysign(restartShare*f.Width, place[1])}
}

// goalKick returns the place of a team's goal kick.
func (m *match) goalKick(team physics.Team) [2]float64 {
	return m.restartPoint(-team.Attacks(&m.model.Field).Side, m.ball())
}

// penaltyMark returns the mark in front of the goal that a team defends.
func (m *match) penaltyMark(of physics.Team) [2]float64 {
	f := &m.model.Field
	return [2]float64{-of.Attacks(f).Side * (f.Length/2 - f.PenaltyMark), 0}
}

// freeKick returns the place at which play continues after a stop with the ball at a place: the same place, but on the
// field and in no penalty area.
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

// inArea reports whether a place is in the penalty or goal area at a side of the field. The area has this depth and
// width.
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

// besideGap is the gap between a robot and a ball that is placed next to it, metres. Guess.
const besideGap = 0.05

// clear returns the nearest place, towards the centre of the field, where no robot stands.
func (m *match) clear(place [2]float64) [2]float64 {
	dir := [2]float64{-place[0], -place[1]}
	if n := math.Hypot(dir[0], dir[1]); n > 0 {
		dir = [2]float64{dir[0] / n, dir[1] / n}
	} else {
		dir = [2]float64{0, 1}
	}
	for range m.now.Robots { // each robot moves the place at most once, because it only moves on
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

package audit

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// goalKick returns the restart point of a team's half that is nearest to where the ball was.
func (m *Match) goalKick(team physics.Team, ball [2]float64) [2]float64 {
	return m.restartPoint(-attack(team), ball[1])
}

// restartPoint returns the restart point on one side of the field: level with the penalty mark, or half a metre before
// the penalty area where the mark is within, and a quarter of the width off the middle.
func (m *Match) restartPoint(side, y float64) [2]float64 {
	f := &m.model.Field
	x := f.Length/2 - f.PenaltyMark
	if before := f.Length/2 - f.PenaltyAreaDepth - 0.5; before < x {
		x = before
	}
	return [2]float64{side * math.Max(0, x), math.Copysign(f.Width/4, y)}
}

// freeKick returns where a free kick is taken when the ball was at a place.
func (m *Match) freeKick(ball [2]float64) [2]float64 {
	f := &m.model.Field
	if side := math.Copysign(1, ball[0]); m.within(ball, side, f.PenaltyAreaDepth, f.PenaltyAreaWidth) {
		return m.restartPoint(side, ball[1])
	}
	x, y := f.Length/2-m.world.Rules.Inset, f.Width/2-m.world.Rules.Inset
	return [2]float64{math.Max(-x, math.Min(x, ball[0])), math.Max(-y, math.Min(y, ball[1]))}
}

// within tells whether a place is in the area before the goal on a side of the field: so deep, so wide, lines included.
func (m *Match) within(place [2]float64, side, depth, width float64) bool {
	goalLine := m.model.Field.Length / 2
	x := side * place[0]
	return x <= goalLine && !m.beyond(goalLine-depth, x) && !m.beyond(math.Abs(place[1]), width/2)
}

// beside returns where a ball that is to be at a place is put in a step: there, or in the first gap between robots on
// the way to the middle of the field and beyond, with 5 cm to each robot.
func (m *Match) beside(place [2]float64, step int64) [2]float64 {
	dir := [2]float64{0, 1}
	if d := far(place, [2]float64{}); d > 0 {
		dir = [2]float64{-place[0] / d, -place[1] / d}
	}
	type blocked struct{ from, to float64 } // metres of the way
	var all []blocked
	for i, robot := range m.states[step].robots {
		room := m.model.Robots[i].Body.Radius + m.model.Ball.Radius + 0.05
		rel := [2]float64{robot[0] - place[0], robot[1] - place[1]}
		along, off := rel[0]*dir[0]+rel[1]*dir[1], rel[0]*dir[1]-rel[1]*dir[0]
		if math.Abs(off) < room {
			half := math.Sqrt(room*room - off*off)
			all = append(all, blocked{along - half, along + half})
		}
	}
	slices.SortFunc(all, func(a, b blocked) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	way := 0.0
	for _, b := range all {
		if b.from < way-rounding && way < b.to-rounding {
			way = b.to
		}
	}
	return [2]float64{place[0] + way*dir[0], place[1] + way*dir[1]}
}

// tooNear returns who does not keep its place at a set piece in a step.
func (m *Match) tooNear(piece game.Command, team physics.Team, place [2]float64, step int64) (robots []int,
	rooms []float64) {
	at, rules := m.states[step].robots, &m.world.Rules
	taker := nobody
	for i := range at {
		if m.team(i) == team && !m.isOff(i, step) && (taker == nobody || far(at[i], place) < far(at[taker], place)) {
			taker = i
		}
	}
	f := &m.model.Field
	for i := range at {
		own := m.team(i)
		home := m.within(at[i], -attack(own), f.PenaltyAreaDepth, f.PenaltyAreaWidth)
		away := m.within(at[i], attack(own), f.PenaltyAreaDepth, f.PenaltyAreaWidth)
		room, fault := rules.Others, false
		if own == team && piece != game.Penalty {
			room = rules.Mates
		}
		if piece == game.DropBall {
			room = rules.Dropped
		}
		close := m.beyond(room, far(at[i], place))
		switch piece {
		case game.DropBall:
			fault = close && !home
		case game.Kickoff:
			fault = close || m.beyond(attack(own)*at[i][0], 0)
		case game.Penalty:
			fault = m.model.Robots[i].Number != 1 && (close || home || away)
		default:
			fault = close && (own == team || !home)
		}
		if i != taker && fault && !m.isOff(i, step) {
			robots, rooms = append(robots, i), append(rooms, room)
		}
	}
	return robots, rooms
}

package referee

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// ballOut decides when the ball is wholly over a line, on the floor or in the air, and in no goal. The team that did
// not touch it last gets a throw-in, a goal kick or a corner. If no robot has touched the ball, it is dropped in the
// middle.
type ballOut struct{ memoryless }

func (ballOut) judge(m *match, d *Decision) bool {
	f, ball, r := &m.model.Field, m.ball(), m.model.Ball.Radius
	overSide, overEnd := math.Abs(ball[1])-r-f.Width/2, math.Abs(ball[0])-r-f.Length/2
	if overSide <= 0 && overEnd <= 0 || m.inGoal != "" {
		return false
	}
	line := "touch line"
	if overEnd > overSide { // over both, as near a corner: the line that it crossed first counts
		line = "goal line"
	}
	d.addBasis("behind the "+line, max(overSide, overEnd), "m", 0)
	if m.last == nobody {
		d.Command = game.DropBall
		d.Reason = fmt.Sprintf("the ball is over the %s, and no robot has touched it", line)
		return true
	}
	d.Against, d.Robots = m.team(m.last), append(d.Robots, m.name(m.last))
	d.Team = other(d.Against)
	d.Reason = fmt.Sprintf("the ball is over the %s, last touched by %s", line, m.name(m.last))
	d.Command, d.BallW = m.afterOut(d.Team, overEnd > overSide)
	return true
}

// afterOut returns the set piece of a team, and its place, after the ball went out over a goal line or a touch line.
func (m *match) afterOut(team physics.Team, goalLine bool) (game.Command, [2]float64) {
	f, ball := &m.model.Field, m.ball()
	x, y := f.Length/2-m.rules.Inset, f.Width/2-m.rules.Inset
	switch attacked := math.Signbit(ball[0]) == math.Signbit(team.Attacks(f).X); {
	case !goalLine:
		return game.ThrowIn, [2]float64{min(max(ball[0], -x), x), math.Copysign(y, ball[1])}
	case attacked:
		return game.Corner, [2]float64{math.Copysign(x, ball[0]), math.Copysign(y, ball[1])}
	}
	return game.GoalKick, m.goalKick(team)
}

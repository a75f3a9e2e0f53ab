package referee

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// ballOut is the rule for a ball that is wholly over a line, on the floor or in the air, and in no goal. The team whose
// robot did not touch the ball last gets a throw-in, a goal kick or a corner. If no robot has touched the ball, the
// ball is dropped in the centre of the field.
type ballOut struct{ memoryless }

func (ballOut) judge(m *match, d *Decision) bool {
	f, ball, r := &m.model.Field, m.ball(), m.model.Ball.Radius
	overSide, overEnd := math.Abs(ball[1])-r-f.Width/2, math.Abs(ball[0])-r-f.Length/2
	if overSide <= 0 && overEnd <= 0 || m.inGoal != "" {
		return false
	}
	line := "touch line"
	if overEnd > overSide { // over both lines near a corner: the line that the ball crossed first counts
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

// afterOut returns the set piece that a team gets, and the place of the set piece, after the ball went out over a goal
// line or a touch line.
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

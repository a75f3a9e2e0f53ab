package referee

import "github.com/omnipitch/omnipitch/worlds/game"

// stuckBall is the rule for a ball that makes no progress, no matter which robot has it. The ball is dropped where it
// is.
type stuckBall struct{ memoryless }

func (stuckBall) judge(m *match, d *Decision) bool {
	still := m.now.Time - m.restAt
	if m.taking || still < m.rules.StuckFor {
		return false
	}
	d.Command, d.BallW = game.DropBall, m.freeKick(m.ball())
	d.Reason = "the ball does not get on"
	d.addBasis("without progress", still.Seconds(), "s", m.rules.StuckFor.Seconds())
	d.addBasis("way of the ball in that time", distance(m.ball(), m.restW), "m", m.rules.StuckBy)
	return true
}

package referee

import (
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// endHalf ends a half whose time has passed. It returns true if it ended the half. The teams do not change sides.
func (r *Referee) endHalf() bool {
	m := &r.match
	if !r.halfRuns || m.now.Time-r.halfFrom < r.rules.Half || r.stage == leaving || !r.rules.inForce(half) {
		return false
	}
	r.clear()
	d := &r.one
	d.Command = game.HalfTime
	next := pausing
	if r.known.Half == game.Half(game.SecondHalf) {
		d.Command, next = game.EndGame, ended
	}
	d.Reason = fmt.Sprintf("the %s is over", strings.ReplaceAll(string(r.known.Half), "_", " "))
	d.addBasis("time", (m.now.Time - r.halfFrom).Seconds(), "s", r.rules.Half.Seconds())
	r.order(r.decide(half).Command, "")
	r.halfRuns = false
	r.enter(next)
	return true
}

// kicksOff returns the team that kicks off the first half. If the first half has no kick-off, it returns cyan, so that
// magenta kicks off the second half.
func (r *Rules) kicksOff() physics.Team {
	if r.KickOff == string(physics.Magenta) {
		return physics.Magenta
	}
	return physics.Cyan
}

package referee

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// stop stops play. The argument next is the set piece with which play will continue.
func (r *Referee) stop(next setPiece) {
	r.order(game.Stop, "")
	r.stopped, r.next = r.match.now.Time, next
	r.enter(stopping)
}

// announce orders that the ball is placed for the set piece, and announces the set piece.
func (r *Referee) announce() {
	r.next.placeW = r.match.clear(r.next.placeW)
	r.putBall()
	r.order(r.next.piece, r.next.team)
	r.enter(placing)
}

func (r *Referee) putBall() { r.orders = append(r.orders, Order{BallPosW: r.next.placeW}) }

// awaitPlaces orders the start when all robots keep their distance from the ball, or have had enough time.
func (r *Referee) awaitPlaces(waited time.Duration) {
	m := &r.match
	if waited < r.rules.PlaceMin {
		return
	}
	r.near = m.tooNear(r.next.piece, r.next.team, r.next.placeW, r.near[:0])
	if len(r.near) > 0 {
		if waited < r.rules.PlaceFor(r.next.piece) {
			return
		}
		if r.rules.inForce(encroachment) {
			r.encroached(waited)
		}
	}
	if r.rules.Set > 0 && Ready(r.next.piece) {
		r.order(game.Set, "")
		r.enter(setting)
		return
	}
	r.start()
}

// start orders the start. A ball that was moved is put back.
func (r *Referee) start() {
	if distance(r.match.ball(), r.next.placeW) > r.rules.PutBack {
		r.putBall()
	}
	r.order(game.Start, "")
	r.started()
}

// encroached records a decision about the robots that do not keep their distance from the ball. Play continues
// nevertheless.
func (r *Referee) encroached(waited time.Duration) {
	m := &r.match
	r.clear()
	d := &r.one
	for _, robot := range r.near {
		d.Robots = append(d.Robots, m.name(robot))
	}
	d.Against = m.team(r.near[0])
	if slices.ContainsFunc(r.near,
		// the robots belong to both teams, so neither team is at fault
		func(robot int) bool { return m.team(robot) != d.Against }) {
		d.Against = ""
	}
	d.Reason = fmt.Sprintf("%d robots do not keep their places at the %s", len(r.near), r.next.piece)
	if len(r.near) == 1 {
		d.Reason = fmt.Sprintf("%s does not keep its place at the %s", d.Robots[0], r.next.piece)
	}
	d.addBasis("time that robots had", waited.Seconds(), "s", r.rules.PlaceFor(r.next.piece).Seconds())
	for _, robot := range r.near {
		d.addBasis(m.name(robot)+" from the ball", distance(m.robotPos(robot), r.next.placeW), "m",
			m.room(robot, r.next.piece, r.next.team))
	}
	r.decide(encroachment)
}

// started begins the stage in which the team of the set piece takes it.
func (r *Referee) started() {
	if !r.halfRuns {
		r.halfRuns, r.halfFrom = true, r.match.now.Time
	}
	r.play(r.known.SetPiece, r.known.Team)
	r.match.placeW = r.next.placeW
	r.match.restW = r.next.placeW
	r.enter(taking)
}

// awaitBall waits until the ball is in play, or until all robots are allowed to play the ball.
func (r *Referee) awaitBall(waited time.Duration) {
	m := &r.match
	moved, take := distance(m.ball(), m.placeW), r.rules.TakeFor(m.piece)
	switch {
	case moved >= r.rules.InPlay:
	case waited >= take && r.rules.inForce(lapse):
		r.clear()
		r.one.Against = m.forTeam
		r.one.Reason = fmt.Sprintf("no robot has taken the %s: all may play the ball", m.piece)
		r.one.addBasis("time since the start", waited.Seconds(), "s", take.Seconds())
		r.one.addBasis("ball moved", moved, "m", r.rules.InPlay)
		r.decide(lapse)
		m.piece = ""
	default:
		return
	}
	m.taking = false
	m.restAt = m.now.Time
	r.tally.restarted(m.now.Time - r.stopped)
	r.enter(playing)
}

// adopt makes the referee follow a command that somebody else has given. The argument known is the state of the game
// after the command.
func (r *Referee) adopt(known game.State) {
	m := &r.match
	if known.Half != r.known.Half {
		r.halfRuns = false
	}
	switch {
	case known.Phase != game.Playing:
		if r.stage != leaving {
			r.stopped = m.now.Time
		}
		r.enter(leaving)
	case r.known.Phase != game.Playing:
		r.known = known
		r.next = setPiece{known.SetPiece, known.Team, m.ball()}
		r.started()
		if known.SetPiece == "" {
			r.match.taking = false
			r.enter(playing)
		}
	}
}

// endGame ends a game in which a team leads by too many goals. It returns true if it ended the game.
func (r *Referee) endGame() bool {
	lead := r.known.Score.Cyan - r.known.Score.Magenta
	ahead := physics.Cyan
	if lead < 0 {
		lead, ahead = -lead, physics.Magenta
	}
	if lead < r.rules.Mercy || r.stage == leaving || r.stage == ended || !r.rules.inForce(mercy) {
		return false
	}
	r.clear()
	d := &r.one
	d.Command = game.EndGame
	d.Reason = fmt.Sprintf("%s leads by so much that the game is over", ahead)
	d.addBasis("difference", float64(lead), "goals", float64(r.rules.Mercy))
	r.order(r.decide(mercy).Command, "")
	r.halfRuns = false
	r.enter(ended)
	return true
}

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

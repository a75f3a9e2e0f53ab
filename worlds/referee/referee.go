package referee

import (
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Referee is the referee of one game.
type Referee struct {
	rules     Rules
	match     match
	list      []named
	robotList []namedRobotRule
	fouls     []int // fouls of each robot since its last card

	known    game.State // state of the game after all orders
	stage    stage
	since    time.Duration // when the stage began
	stopped  time.Duration // when play last stopped
	next     setPiece      // set piece with which play continues
	halfRuns bool
	halfFrom time.Duration // start of the half, if it runs

	tally     Tally
	decisions []Decision
	orders    []Order
	near      []int // scratch memory
	one       Decision
}

// stage is what the referee waits for.
type stage uint8

const (
	unbegun  stage = iota
	leaving        // others command the game, until it is played
	stopping       // the ball is to be placed
	placing        // robots take their places, until the start
	taking         // the ball is to come into play
	playing        // the ball is in play, until a rule decides
	pausing        // break between the halves
	ended          // the game is over
)

// setPiece is a way in which play starts.
type setPiece struct {
	piece  game.Command
	team   physics.Team // team that takes it; empty for both
	placeW [2]float64   // where the ball is placed, metres
}

// New returns the referee of a model's robots. Number 1 of each team is the goalkeeper.
func New(rules Rules, model *physics.Model) *Referee {
	r := &Referee{rules: rules, near: make([]int, 0, len(model.Robots))}
	r.match = newMatch(&r.rules, model)
	for _, rule := range theRules(len(model.Robots)) {
		if r.rules.inForce(rule.name) {
			r.list = append(r.list, rule)
		}
	}
	for _, rule := range theRobotRules(len(model.Robots)) {
		if r.rules.inForce(rule.name) {
			r.robotList = append(r.robotList, rule)
		}
	}
	r.fouls = make([]int, len(model.Robots))
	r.tally.Rules = make([]int, len(ruleNames))
	return r
}

// Observe judges the state at time 0, and the state after each step. known is the referee box's state of the game, and
// standings that of each robot, in the model's order. The caller must carry out the returned orders before the next
// step. The decisions and orders are valid until the next call.
func (r *Referee) Observe(now *physics.Snapshot, known game.State, standings []game.Standing) ([]Decision, []Order) {
	r.decisions, r.orders = r.decisions[:0], r.orders[:0]
	m := &r.match
	m.standings = standings
	m.update(now)
	switch {
	case r.stage == unbegun:
		r.known = known
		r.startGame()
		return r.decisions, r.orders
	case known.Phase != r.known.Phase || known.Half != r.known.Half || known.SetPiece != r.known.SetPiece ||
		known.Team != r.known.Team:
		r.adopt(known)
	}
	r.known = known
	r.tally.add(r.stage, m.model.Step)
	if !r.endHalf() {
		r.advance()
	}
	r.inspect()
	return r.decisions, r.orders
}

// BallPlaced reports that somebody has placed the ball: in a goal it then does not score.
func (r *Referee) BallPlaced(ballW [3]float64) { r.match.inGoal = r.match.goalAt(ballW) }

// startGame starts the game.
func (r *Referee) startGame() {
	m := &r.match
	if r.rules.KickOff == "none" {
		r.halfFrom, r.halfRuns = m.now.Time, true
		r.play("", "")
		r.enter(playing)
		return
	}
	r.order(game.FirstHalf, "")
	r.stop(setPiece{piece: game.Kickoff, team: r.rules.kicksOff()})
}

// advance acts by the present stage.
func (r *Referee) advance() {
	waited := r.match.now.Time - r.since
	switch r.stage {
	case stopping:
		if waited >= r.rules.Stop {
			r.announce()
		}
	case placing:
		r.awaitPlaces(waited)
	case taking, playing:
		if !r.judge() && r.stage == taking {
			r.awaitBall(waited)
		}
	case pausing:
		if waited >= r.rules.Break {
			r.order(game.SecondHalf, "")
			r.stop(setPiece{piece: game.Kickoff, team: other(r.rules.kicksOff())})
		}
	}
}

// judge asks the rules in order, and reports whether one has decided.
func (r *Referee) judge() bool {
	m := &r.match
	for i := range r.list {
		r.clear()
		if !r.list[i].judge(m, &r.one) {
			continue
		}
		d := r.decide(r.list[i].name)
		r.order(game.Stop, "")
		if d.Goal != "" {
			r.order(game.Goal, d.Goal)
		}
		r.enter(stopping)
		r.stopped, r.next = m.now.Time, setPiece{d.Command, d.Team, d.BallW}
		r.recordFoul()
		return true
	}
	return false
}

// clear empties the decision that a rule may fill.
func (r *Referee) clear() {
	robots, basis := r.one.Robots[:0], r.one.Basis[:0]
	r.one = Decision{Robots: robots, Basis: basis}
}

// decide appends the decision that a rule has made.
func (r *Referee) decide(rule string) *Decision {
	m := &r.match
	d := r.one
	d.Rule, d.Step, d.Time, d.PlaceW = rule, m.now.Step, m.now.Time, m.ball()
	r.one = Decision{} // the appended decision owns its lists now
	r.decisions = append(r.decisions, d)
	r.tally.count(rule)
	return &r.decisions[len(r.decisions)-1]
}

func (r *Referee) order(c game.Command, team physics.Team) {
	r.orders = append(r.orders, Order{Command: c, Team: team})
	r.known = r.known.After(c, team)
}

func (r *Referee) enter(s stage) { r.stage, r.since = s, r.match.now.Time }

// play starts play, and clears the memory of the rules.
func (r *Referee) play(piece game.Command, team physics.Team) {
	r.match.startPlay(piece, team)
	for i := range r.list {
		r.list[i].reset()
	}
}

// Exchange saves or restores the referee's state.
func (r *Referee) Exchange(c *keyframe.Codec) {
	r.match.Exchange(c)
	for i := range r.list {
		r.list[i].Exchange(c)
	}
	for i := range r.robotList {
		r.robotList[i].Exchange(c)
	}
	for i := range r.fouls {
		c.Int(&r.fouls[i])
	}
	c.Value(&r.known)
	c.Value(&r.stage)
	c.Check(r.stage <= ended, "its stage is %d, which must be at most %d", r.stage, ended)
	for _, t := range [...]*time.Duration{&r.since, &r.stopped, &r.halfFrom} {
		c.Duration(t)
	}
	c.Bool(&r.halfRuns)
	keyframe.Text(c, &r.next.piece)
	keyframe.Text(c, &r.next.team)
	c.Floats(r.next.placeW[:])
	r.tally.Exchange(c)
}

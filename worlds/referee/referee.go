package referee

import (
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Referee is the automatic referee of one game.
type Referee struct {
	rules     Rules
	match     match
	list      []named
	robotList []namedRobotRule
	fouls     []int // number of fouls of each robot since its last card

	known    game.State // state of the game once all orders have been carried out
	stage    stage
	since    time.Duration // sim time at which the stage began
	stopped  time.Duration // sim time at which play last stopped
	next     setPiece      // set piece with which play will continue
	removals [2]int        // number of robots of cyan and magenta that were penalised for an offence against others
	halfRuns bool
	halfFrom time.Duration // sim time at which the half started, if a half is being played

	tally     Tally
	decisions []Decision
	orders    []Order
	near      []int // scratch memory
	one       Decision
}

// stage is a stage of the game for the referee. Each stage waits for something.
type stage uint8

const (
	unbegun  stage = iota
	leaving        // somebody else commands the game; the stage ends when play goes on
	stopping       // play has stopped, and the ball is to be placed
	placing        // robots take their places; the stage ends with the command start
	taking         // the set piece has started, and the ball is not yet in play
	playing        // the ball is in play; the stage ends when a rule decides something
	pausing        // break between the halves
	ended          // the game is over
	setting        // robots stand still before a start
)

// setPiece is a way in which play starts or continues.
type setPiece struct {
	piece  game.Command
	team   physics.Team // team that takes the set piece; empty if both teams do
	placeW [2]float64   // where the ball is placed, in W, m
}

// New returns the referee for a model's robots. The robot with number 1 of each team is the goalkeeper.
func New(rules Rules, model *physics.Model) *Referee {
	r := &Referee{rules: rules, near: make([]int, 0, len(model.Robots))}
	r.match = newMatch(&r.rules, model)
	for _, name := range r.match.book.play {
		if rules.inForce(name) {
			r.list = append(r.list, named{name, playRules[name](len(model.Robots))})
		}
	}
	for _, name := range r.match.book.robots {
		if rules.inForce(name) {
			r.robotList = append(r.robotList, namedRobotRule{name, robotRules[name](len(model.Robots))})
		}
	}
	r.fouls = make([]int, len(model.Robots))
	r.tally.Rules = make([]int, len(ruleNames))
	return r
}

// Observe judges a state. The caller passes the state at time 0, and the state after each step. The argument known is
// the state of the game according to the referee box, and standings are the standings of the robots, in the model's
// order. The caller must carry out the returned orders before the next step. The decisions and orders are valid until
// the next call.
func (r *Referee) Observe(now *physics.Snapshot, known game.State, standings []game.Standing) ([]Decision, []Order) {
	r.decisions, r.orders = r.decisions[:0], r.orders[:0]
	m := &r.match
	m.standings = standings
	clear(m.removed)
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
	if !r.endGame() && !r.endHalf() {
		r.advance()
	}
	m.inSet, m.inPlay = r.stage == setting, r.stage == playing
	m.taking = m.taking && r.stage == taking
	r.inspect()
	return r.decisions, r.orders
}

// BallPlaced tells the referee that somebody has placed the ball. A ball that is placed in a goal does not score.
func (r *Referee) BallPlaced(ballW [3]float64) { r.match.inGoal = r.match.goalAt(ballW) }

// RobotPlaced restarts the measured distances of the pushes in which the robot, an index, takes part. The Snapshot of
// the last Observe must already contain the robot's new pose: the Referee keeps its pointer.
func (r *Referee) RobotPlaced(robot int) {
	for _, n := range r.list {
		if p, ok := n.rule.(*pushing); ok {
			p.placed(&r.match, robot)
		}
	}
}

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

// advance does what the present stage requires.
func (r *Referee) advance() {
	waited := r.match.now.Time - r.since
	switch r.stage {
	case stopping:
		if waited >= r.rules.Stop {
			r.announce()
		}
	case placing:
		r.awaitPlaces(waited)
	case setting:
		if waited >= r.rules.Set {
			r.start()
		}
	case taking, playing:
		if !r.judge() && r.stage == taking {
			r.awaitBall(waited)
		}
	case pausing:
		if waited >= r.rules.Break {
			r.order(game.SecondHalf, "")
			r.stop(setPiece{piece: game.Kickoff, team: r.rules.kicksOff().Rival()})
		}
	}
}

// judge calls the rules in order. It returns true if one of them has made a decision.
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
		if d.Removal.Offence != "" {
			r.remove(d, m.find(d.Robots[0]))
		}
		r.recordFoul()
		return true
	}
	return false
}

// clear empties the decision that the next rule may fill in.
func (r *Referee) clear() {
	robots, basis := r.one.Robots[:0], r.one.Basis[:0]
	r.one = Decision{Robots: robots, Basis: basis}
}

// decide appends the decision that a rule has made, and returns it.
func (r *Referee) decide(rule string) *Decision {
	m := &r.match
	d := r.one
	d.Rule, d.Step, d.Time, d.PlaceW = rule, m.now.Step, m.now.Time, m.ball()
	r.setRemoval(&d)
	r.one = Decision{} // so that the next decision gets lists of its own
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

// StageLeft returns the time after which the present stage of the game ends at the latest. The stages are the stop
// before a set piece, the placing of the robots, the set piece until the ball is in play, and the break between the
// halves. For other stages it returns 0.
func (r *Referee) StageLeft() time.Duration {
	var longest time.Duration
	switch r.stage {
	case stopping:
		longest = r.rules.Stop
	case placing:
		longest = r.rules.PlaceFor(r.next.piece)
	case setting:
		longest = r.rules.Set
	case taking:
		longest = r.rules.TakeFor(r.match.piece)
	case pausing:
		longest = r.rules.Break
	default:
		return 0
	}
	return max(0, longest-(r.match.now.Time-r.since))
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
	for i := range r.removals {
		c.Int(&r.removals[i])
	}
	c.Value(&r.known)
	c.Value(&r.stage)
	c.Check(r.stage <= setting, "its stage is %d, which must be at most %d", r.stage, setting)
	for _, t := range [...]*time.Duration{&r.since, &r.stopped, &r.halfFrom} {
		c.Duration(t)
	}
	c.Bool(&r.halfRuns)
	keyframe.Text(c, &r.next.piece)
	keyframe.Text(c, &r.next.team)
	c.Floats(r.next.placeW[:])
	r.tally.Exchange(c)
}

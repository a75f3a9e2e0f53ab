package referee

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// nobody is the index that stands for no robot.
const nobody = -1

// match is the present state of the game and its history, as far as rules need them.
type match struct {
	rules *Rules
	book  *book
	model *physics.Model
	now   *physics.Snapshot

	standings []game.Standing // standings of the robots
	removed   []bool          // robots that the referee has penalised in this step
	inSet     bool            // whether robots must stand still before a start
	inPlay    bool            // whether the ball is in play, and no set piece is being taken

	inGoal   physics.Team // team that attacks the goal in which the ball is; empty if the ball is in no goal
	cameIn   bool         // whether the ball was in no goal in the previous state
	touching int          // index of the robot that touches the ball in this step, or nobody
	kicks    []int        // number of kicks of each robot so far

	last      int        // index of the robot that last touched the ball since the ball was placed, or nobody
	lastW     [2]float64 // position of the ball at that touch, in W, m
	holder    int        // index of the robot that carries the ball, or has just lost it, or nobody
	heldFromW [2]float64 // position of the robot holder when it took the ball, in W, m
	heldAt    time.Duration
	restW     [2]float64 // position near which the ball has stayed since restAt, in W, m
	restAt    time.Duration

	piece   game.Command // set piece with which play started; empty if there was none, or if it no longer matters
	forTeam physics.Team // team that took the set piece
	placeW  [2]float64   // position of the ball at the set piece, in W, m
	taking  bool         // whether the set piece has started and the ball is not yet in play
	taker   int          // index of the robot that first touched the ball after the set piece started, or nobody
	others  bool         // whether another robot has touched the ball since the taker did
	left    bool         // whether the ball has been away from the taker since the taker touched it
}

func newMatch(rules *Rules, model *physics.Model) match {
	m := match{rules: rules, book: books[rules.Book], model: model,
		touching: nobody, kicks: make([]int, len(model.Robots)),
		removed: make([]bool, len(model.Robots))}
	m.clearHistory()
	return m
}

// clearHistory clears the history of the ball. It is called when the ball is placed.
func (m *match) clearHistory() {
	m.last, m.holder, m.taker, m.others, m.left = nobody, nobody, nobody, false, false
}

// startPlay puts the ball into play at its present position. Play starts with a set piece, or with none if piece is
// empty.
func (m *match) startPlay(piece game.Command, team physics.Team) {
	m.clearHistory()
	m.piece, m.forTeam, m.taking, m.placeW = piece, team, piece != "", m.ball()
	m.restW, m.restAt = m.ball(), m.now.Time
}

// update reads a new state.
func (m *match) update(now *physics.Snapshot) {
	m.now = now
	in := m.goalAt(now.Ball.PosW)
	m.cameIn, m.inGoal = in != "" && m.inGoal == "", in
	m.findToucher()
	m.updateHolder()
	if ball := m.ball(); distance(ball, m.restW) > m.rules.StuckBy {
		m.restW, m.restAt = ball, now.Time
	}
}

// goalAt returns the team that attacks the goal in which a ball at the given place is. It returns an empty team if that
// place is in no goal.
func (m *match) goalAt(ballW [3]float64) physics.Team {
	for _, team := range [...]physics.Team{physics.Cyan, physics.Magenta} {
		if m.model.Field.InGoal(team.Attacks(&m.model.Field), ballW, m.model.Ball.Radius) {
			return team
		}
	}
	return ""
}

// findToucher finds the robot that touches the ball: the robot that holds it. If no robot does, it is the robot that
// kicks the ball. If no robot does that either, it is the robot that presses hardest against the ball.
func (m *match) findToucher() {
	m.touching = nobody
	most := 0.0
	for i := range m.now.Touches {
		if t := &m.now.Touches[i]; t.B == m.model.BallID() && int(t.A) < len(m.kicks) && t.A >= 0 &&
			(m.touching == nobody || t.Impulse > most) {
			m.touching, most = int(t.A), t.Impulse
		}
	}
	for i := range m.kicks {
		if n := m.now.Robots[i].Kicks; n != m.kicks[i] {
			m.kicks[i], m.touching = n, i
		}
	}
	if m.now.Ball.HeldBy >= 0 {
		m.touching = m.now.Ball.HeldBy
	}
	if m.touching == nobody {
		m.left = m.left || m.taker != nobody && distance(m.ball(), m.robotPos(m.taker)) > m.rules.DoubleTouch
		return
	}
	m.last, m.lastW = m.touching, m.ball()
	if m.taker == nobody {
		m.taker = m.touching
	}
	m.others = m.others || m.touching != m.taker
}

// updateHolder records where a robot that carries the ball took it.
func (m *match) updateHolder() {
	by := m.now.Ball.HeldBy
	switch released := m.now.Time-m.heldAt > m.rules.Release || m.touching != nobody && m.touching != m.holder; {
	case by < 0 && released:
		m.holder = nobody
	case by < 0:
		return
	case by != m.holder || released:
		m.holder, m.heldFromW = by, m.ball()
	}
	m.heldAt = m.now.Time
}

// ball returns the ball's position over the floor, in W, m.
func (m *match) ball() [2]float64 { return [2]float64{m.now.Ball.PosW[0], m.now.Ball.PosW[1]} }

// robotPos returns a robot's position on the floor, in W, m.
func (m *match) robotPos(robot int) [2]float64 {
	p := &m.now.Robots[robot].PoseWB.Pos
	return [2]float64{p[0], p[1]}
}

func (m *match) team(robot int) physics.Team { return m.model.Robots[robot].Team }
func (m *match) name(robot int) string       { return m.model.Robots[robot].Name }

// find returns the index of the robot that has a name.
func (m *match) find(name string) int {
	return slices.IndexFunc(m.model.Robots, func(x physics.Robot) bool { return x.Name == name })
}

// offField reports whether a robot is off the field. The rules ignore a robot that is.
func (m *match) offField(robot int) bool {
	return m.standings[robot].Out != "" || m.removed[robot] || m.now.Robots[robot].PoseWB.Absent()
}

// keeper reports whether a robot is its team's goalkeeper.
func (m *match) keeper(robot int) bool { return m.model.Robots[robot].Number == 1 }

func distance(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// Exchange saves or restores the history of the game.
func (m *match) Exchange(c *keyframe.Codec) {
	robots := len(m.kicks)
	keyframe.Text(c, &m.inGoal)
	for i := range m.kicks {
		c.Int(&m.kicks[i])
	}
	for _, robot := range [...]*int{&m.last, &m.holder, &m.taker} {
		c.Index(robot, nobody, robots)
	}
	for _, place := range [...]*[2]float64{&m.lastW, &m.heldFromW, &m.restW, &m.placeW} {
		c.Floats(place[:])
	}
	c.Duration(&m.heldAt)
	c.Duration(&m.restAt)
	keyframe.Text(c, &m.piece)
	keyframe.Text(c, &m.forTeam)
	c.Bools(&m.taking, &m.others, &m.left)
}

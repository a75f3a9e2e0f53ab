package referee

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// nobody is the index of no robot.
const nobody = -1

// match is what rules judge: the present state, and what has led to it.
type match struct {
	rules *Rules
	model *physics.Model
	now   *physics.Snapshot

	standings []game.Standing // of the robots

	inGoal   physics.Team // who attacks the goal in which the ball is; empty: in none
	cameIn   bool         // it was in none in the state before
	touching int          // the robot that touches the ball in this step
	kicks    []int        // of each robot, up to now

	last      int        // the robot that touched the ball last since it was placed
	lastW     [2]float64 // where the ball was then
	holder    int        // the robot that carries the ball, or has lost it just now
	heldFromW [2]float64 // where it took the ball
	heldAt    time.Duration
	restW     [2]float64 // where the ball has been since restAt, or near there
	restAt    time.Duration

	piece   game.Command // by which play began; empty: by none, or that does not matter any more
	forTeam physics.Team // whose it was
	placeW  [2]float64   // where the ball was for it
	taking  bool         // it has begun, and the ball is not in play yet
	taker   int          // who touched the ball first then
	others  bool         // another robot has touched it since
	left    bool         // the ball has been away from the taker since
}

func newMatch(rules *Rules, model *physics.Model) match {
	m := match{rules: rules, model: model, touching: nobody, kicks: make([]int, len(model.Robots))}
	m.placed()
	return m
}

// placed forgets what led to where the ball is.
func (m *match) placed() {
	m.last, m.holder, m.taker, m.others, m.left = nobody, nobody, nobody, false, false
}

// begin has the ball be in play by a set piece, or by none, from where it is.
func (m *match) begin(piece game.Command, team physics.Team) {
	m.placed()
	m.piece, m.forTeam, m.taking, m.placeW = piece, team, piece != "", m.ball()
	m.restW, m.restAt = m.ball(), m.now.Time
}

// look takes a new state over.
func (m *match) look(now *physics.Snapshot) {
	m.now = now
	in := m.goalAt(now.Ball.PosW)
	m.cameIn, m.inGoal = in != "" && m.inGoal == "", in
	m.touches()
	m.holds()
	if ball := m.ball(); distance(ball, m.restW) > m.rules.StuckBy {
		m.restW, m.restAt = ball, now.Time
	}
}

// goalAt returns who attacks the goal in which a ball at a place would be; empty: in none.
func (m *match) goalAt(ballW [3]float64) physics.Team {
	for _, team := range [...]physics.Team{physics.Cyan, physics.Magenta} {
		if m.model.Field.InGoal(team.Attacks(&m.model.Field), ballW, m.model.Ball.Radius) {
			return team
		}
	}
	return ""
}

// touches finds who touches the ball: who holds it, or else kicks it, or else presses most against it.
func (m *match) touches() {
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
		m.left = m.left || m.taker != nobody && distance(m.ball(), m.at(m.taker)) > m.rules.DoubleTouch
		return
	}
	m.last, m.lastW = m.touching, m.ball()
	if m.taker == nobody {
		m.taker = m.touching
	}
	m.others = m.others || m.touching != m.taker
}

// holds notes where a robot took the ball that it carries.
func (m *match) holds() {
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

// ball returns where the ball is over the floor.
func (m *match) ball() [2]float64 { return [2]float64{m.now.Ball.PosW[0], m.now.Ball.PosW[1]} }

// at returns where a robot is.
func (m *match) at(robot int) [2]float64 {
	p := &m.now.Robots[robot].PoseWB.Pos
	return [2]float64{p[0], p[1]}
}

func (m *match) team(robot int) physics.Team { return m.model.Robots[robot].Team }
func (m *match) name(robot int) string       { return m.model.Robots[robot].Name }

// off tells whether a robot is off the field: it counts in no rule.
func (m *match) off(robot int) bool { return m.standings[robot].Out != "" }

// keeper tells whether a robot is its team's goalkeeper.
func (m *match) keeper(robot int) bool { return m.model.Robots[robot].Number == 1 }

func distance(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// other returns the opponents of a team.
func other(team physics.Team) physics.Team {
	if team == physics.Cyan {
		return physics.Magenta
	}
	return physics.Cyan
}

// Exchange passes what is remembered to a codec.
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

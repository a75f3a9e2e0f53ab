package audit

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Match is what happened from a beginning of the world to its end, and what was decided. Everything is added in the
// order of its steps.
type Match struct {
	world     *worlds.World
	model     *physics.Model
	states    []state // of steps 0, 1, …
	kicks     []int   // of each robot, up to the last state
	games     []gameAt
	decisions []msg.Decision
	others    map[int64]bool // steps in which somebody else may have commanded the game; nil: all
	orders    []order        // of others for robots
	unknown   bool           // who is on the field, and who has a card, the recording does not tell
	was       []spatial.Pose // of each robot in the last state
	slack     float64        // by which thresholds are farther away
}

// state is what rules look at.
type state struct {
	time      time.Duration
	ball      [3]float64 // W, metres
	left      [3]float64 // the same at the end of the step: another place if it was put there
	holder    int        // robot, or nobody
	toucher   int        // robot, or nobody
	robots    [][2]float64
	pushes    []push // that began or ended
	obstacles [][2]float64
	seen
}

// push is two robots that have begun to press against each other, or have ended that, as package physics has it.
type push struct {
	a, b  int
	began bool
}

// gameAt is what the referee box knew from the end of a step on.
type gameAt struct {
	step int64
	game.State
}

const nobody = -1

// maxSteps bounds what is read into memory: four hours at 200 Hz, 1.3 GB for ten robots.
const maxSteps = 3_000_000

// NewMatch returns a match of a world, as yet without any state.
func NewMatch(world *worlds.World, model *physics.Model) *Match {
	return &Match{world: world, model: model, kicks: make([]int, len(model.Robots)), was: make([]spatial.Pose,
		len(model.Robots)), others: map[int64]bool{}}
}

// State adds the state of the next step, as the engine has left it, and the one at the end of the step, when bodies may
// have been placed.
func (m *Match) State(now, left *physics.Snapshot) error {
	switch n := int64(len(m.states)); {
	case now.Step != n:
		return fmt.Errorf("state of step %d: that of step %d must come first", now.Step, n)
	case n == maxSteps:
		return fmt.Errorf("has more than %d steps", maxSteps)
	case len(now.Robots) != len(m.model.Robots):
		return fmt.Errorf("state of step %d: has %d robots: its world has %d", n, len(now.Robots), len(m.model.Robots))
	}
	s := state{time: now.Time, ball: now.Ball.PosW, left: left.Ball.PosW, holder: now.Ball.HeldBy,
		toucher: m.toucher(now), robots: make([][2]float64, len(now.Robots))}
	for i := range now.Robots {
		p := &now.Robots[i].PoseWB.Pos
		s.robots[i] = [2]float64{p[0], p[1]}
		m.kicks[i] = now.Robots[i].Kicks
	}
	for _, e := range now.Events {
		if e.A >= 0 && e.B >= 0 && int(max(e.A, e.B)) < len(now.Robots) && (e.Kind == physics.PushBegan ||
			e.Kind == physics.PushEnded) {
			s.pushes = append(s.pushes, push{int(e.A), int(e.B), e.Kind == physics.PushBegan})
		}
	}
	m.look(&s, now, left)
	m.states = append(m.states, s)
	return nil
}

// toucher returns who touches the ball: its holder, else the last robot in the model's order that has kicked it, else
// the one that presses most.
func (m *Match) toucher(now *physics.Snapshot) int {
	if now.Ball.HeldBy >= 0 {
		return now.Ball.HeldBy
	}
	for i := len(m.kicks) - 1; i >= 0; i-- {
		if now.Robots[i].Kicks > m.kicks[i] || now.Robots[i].Kicks < m.kicks[i] {
			return i
		}
	}
	best, most := nobody, math.Inf(-1)
	for _, t := range now.Touches {
		if t.B == now.BallID() && t.A >= 0 && int(t.A) < len(now.Robots) && t.Impulse > most {
			best, most = int(t.A), t.Impulse
		}
	}
	return best
}

// Game adds what the referee box knew from the end of a step on.
func (m *Match) Game(step int64, s game.State) { m.games = append(m.games, gameAt{step, s}) }

// Decision adds a decision of the referee.
func (m *Match) Decision(d msg.Decision) { m.decisions = append(m.decisions, d) }

// Commanded notes that a program has commanded the game in a step, or right before it.
func (m *Match) Commanded(step int64) {
	if m.others != nil {
		m.others[step], m.others[step-1] = true, true
	}
}

// AnyoneMayCommand notes that the game may have been commanded in any step, as by an event of the world.
func (m *Match) AnyoneMayCommand() { m.others = nil }

// last is the last step.
func (m *Match) last() int64 { return int64(len(m.states)) - 1 }

// known returns what the referee box knew at the end of a step.
func (m *Match) known(step int64) (s game.State) {
	if i := sort.Search(len(m.games), func(i int) bool { return m.games[i].step > step }); i > 0 {
		s = m.games[i-1].State
	}
	return s
}

// since returns the first step after another in which so much time has gone by since it; one after the last if there is
// none.
func (m *Match) since(step int64, d time.Duration) int64 {
	after := m.states[step+1:]
	return step + 1 + int64(sort.Search(len(after), func(i int) bool { return after[i].time-m.states[step].time >= d }))
}

func (m *Match) elapsed(from, to int64) time.Duration { return m.states[to].time - m.states[from].time }

// beyond tells whether a value is over a limit.
func (m *Match) beyond(value, limit float64) bool { return value > limit+m.slack }

// reaches tells whether a value is at a limit or over it.
func (m *Match) reaches(value, limit float64) bool { return value >= limit+m.slack }

func (m *Match) on(rule string) bool {
	for _, off := range m.world.Rules.Off {
		if off == rule {
			return false
		}
	}
	return true
}

func (m *Match) team(robot int) physics.Team { return m.model.Robots[robot].Team }
func (m *Match) name(robot int) string       { return m.model.Robots[robot].Name }

// ball returns where the ball is over the floor.
func (s *state) floor() [2]float64 { return [2]float64{s.ball[0], s.ball[1]} }

func far(a, b [2]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]))
}

// against returns the opponents of a team.
func against(team physics.Team) physics.Team {
	if team == physics.Cyan {
		return physics.Magenta
	}
	return physics.Cyan
}

// attack is the sign of x towards the goal that a team attacks.
func attack(team physics.Team) float64 {
	if team == physics.Magenta {
		return -1
	}
	return 1
}

package referee_test

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// The oracle derives the referee's decisions again from the exact states of all steps and the rules of docs/match.md.
// It shares no code with package referee, and works the other way round: it has the whole play before it. So it looks
// for the first step of a play in which any rule decides, for the last touch from there back, and for what became of a
// ball that its robot had lost. It judges the rules that stop play and those about single robots; not encroachment, the
// end of a half and cards.

// match is what happened in a run, step by step.
type match struct {
	world  *worlds.World
	model  *physics.Model
	states []state // of steps 0, 1, …
	kicks  []int   // of each robot, up to the last state
	out    func(robot int) bool
	slack  float64 // added to all thresholds
}

// state is what rules use of a step.
type state struct {
	time    time.Duration
	ball    [3]float64 // position in W when the engine has stepped, metres
	left    [3]float64 // the same at the end of the step: somewhere else if the ball was placed
	holder  int        // robot, or nobody
	toucher int        // robot, or nobody
	robots  [][2]float64
	off     []bool    // the robot stands beside the field, or is out
	out     []bool    // the robot is off the field by the record of the game
	tilt    []float64 // angle between the robot's and the world's z axis, rad
	stuck   []bool    // the robot does not move although it is commanded to
	pushes  []push    // that began or ended
	touches [][2]int  // opponents that touch each other
	cover   []float64 // share of the ball's diameter that each robot covers
	game    game.State
}

// push is two robots that began or ceased to press against each other.
type push struct {
	a, b  int
	began bool
}

const nobody = -1

// add adds the state of the next step as the engine has left it.
func (m *match) add(now *physics.Snapshot) {
	s := state{time: now.Time, ball: now.Ball.PosW, left: now.Ball.PosW, holder: now.Ball.HeldBy,
		toucher: m.toucher(now)}
	for i := range now.Robots {
		r := &now.Robots[i]
		s.robots = append(s.robots, [2]float64{r.PoseWB.Pos[0], r.PoseWB.Pos[1]})
		s.out = append(s.out, m.out != nil && m.out(i))
		s.off = append(s.off, s.out[i] || m.parked(i, r.PoseWB))
		up := r.PoseWB.Rotate([3]float64{0, 0, 1})
		s.tilt = append(s.tilt, math.Atan2(math.Hypot(up[0], up[1]), up[2]))
		s.stuck = append(s.stuck, r.Stuck)
		s.cover = append(s.cover, m.covered(i, r.PoseWB, s.floor()))
		m.kicks[i] = r.Kicks
	}
	for _, e := range now.Events {
		if e.A >= 0 && e.B >= 0 && int(max(e.A, e.B)) < len(now.Robots) &&
			(e.Kind == physics.PushBegan || e.Kind == physics.PushEnded) {
			s.pushes = append(s.pushes, push{int(e.A), int(e.B), e.Kind == physics.PushBegan})
		}
	}
	for _, t := range now.Touches {
		if t.A >= 0 && t.B >= 0 && int(max(t.A, t.B)) < len(now.Robots) && m.team(int(t.A)) != m.team(int(t.B)) {
			s.touches = append(s.touches, [2]int{int(t.A), int(t.B)})
		}
	}
	m.states = append(m.states, s)
}

// toucher returns the robot that touches the ball: its holder, else the last robot of the model that has kicked it,
// else the one that presses most.
func (m *match) toucher(now *physics.Snapshot) int {
	if now.Ball.HeldBy >= 0 {
		return now.Ball.HeldBy
	}
	for i := len(m.kicks) - 1; i >= 0; i-- {
		if now.Robots[i].Kicks != m.kicks[i] {
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

// parked reports whether a robot that the referee has taken off the field stands at a pose: beyond the boards, along
// the right touch line of cyan's half for cyan, mirrored for magenta, and facing the field.
func (m *match) parked(robot int, poseWB spatial.Pose) bool {
	f := &m.model.Field
	return poseWB.Pos[1] < -f.Width/2-f.Border-physics.BoardThickness && attack(m.team(robot))*poseWB.Pos[0] < 0 &&
		math.Abs(poseWB.Heading()-math.Pi/2) < 0.1
}

// covered returns the share of the ball's diameter that is under a robot's hull, seen from above.
func (m *match) covered(robot int, poseWB spatial.Pose, ball [2]float64) float64 {
	body, r := &m.model.Robots[robot].Body, m.model.Ball.Radius
	x, y := ball[0]-poseWB.Pos[0], ball[1]-poseWB.Pos[1]
	edge := math.Sqrt(x*x+y*y) - body.Radius // from the hull to the ball's centre
	if body.Length > 0 {
		sin, cos := math.Sincos(poseWB.Heading())
		ahead, aside := math.Abs(x*cos+y*sin)-body.Length/2, math.Abs(y*cos-x*sin)-body.Width/2
		edge = math.Hypot(max(0, ahead), max(0, aside)) + min(0, max(ahead, aside))
	}
	return max(0, min(1, (r-edge)/(2*r)))
}

// last is the last step.
func (m *match) last() int64 { return int64(len(m.states)) - 1 }

func (m *match) elapsed(from, to int64) time.Duration { return m.states[to].time - m.states[from].time }

// exceeds reports whether a value is over a limit.
func (m *match) exceeds(value, limit float64) bool { return value > limit+m.slack }

func (m *match) enabled(rule string) bool    { return !slices.Contains(m.world.Rules.Off, rule) }
func (m *match) team(robot int) physics.Team { return m.model.Robots[robot].Team }

// floor returns the ball's position over the floor.
func (s *state) floor() [2]float64 { return [2]float64{s.ball[0], s.ball[1]} }

func distance(a, b [2]float64) float64 {
	return math.Hypot(a[0]-b[0], a[1]-b[1])
}

func opponents(team physics.Team) physics.Team {
	if team == physics.Cyan {
		return physics.Magenta
	}
	return physics.Cyan
}

// attack is the sign of x towards the goal that a team attacks.
func attack(team physics.Team) float64 {
	return team.Attacks(&physics.Field{HasGoals: true, HasLines: true, HasBoards: true}).Side
}

// restartPoint returns the restart point on one side of the field: level with the penalty mark, or half a metre before
// the penalty area if the mark is inside, and a quarter of the width off the middle.
func (m *match) restartPoint(side, y float64) [2]float64 {
	f := &m.model.Field
	x := min(f.Length/2-f.PenaltyMark, f.Length/2-f.PenaltyAreaDepth-0.5)
	return [2]float64{side * max(0, x), math.Copysign(f.Width/4, y)}
}

// humanoid reports whether the rules are those of humanoids.
func (m *match) humanoid() bool { return m.world.Rules.Book == referee.Humanoid }

// freeKick returns the place of a free kick for a ball at a place.
func (m *match) freeKick(ball [2]float64) [2]float64 {
	f := &m.model.Field
	if side := math.Copysign(1, ball[0]); m.humanoid() {
		return [2]float64{max(-f.Length/2, min(f.Length/2, ball[0])), max(-f.Width/2, min(f.Width/2, ball[1]))}
	} else if m.within(ball, side, f.PenaltyAreaDepth, f.PenaltyAreaWidth) {
		return m.restartPoint(side, ball[1])
	}
	x, y := f.Length/2-m.world.Rules.Inset, f.Width/2-m.world.Rules.Inset
	return [2]float64{max(-x, min(x, ball[0])), max(-y, min(y, ball[1]))}
}

// within reports whether a place is in an area before the goal on a side of the field, lines included.
func (m *match) within(place [2]float64, side, depth, width float64) bool {
	goalLine, x := m.model.Field.Length/2, side*place[0]
	return x <= goalLine && !m.exceeds(goalLine-depth, x) && !m.exceeds(math.Abs(place[1]), width/2)
}

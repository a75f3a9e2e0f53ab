package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

const radius = 0.11

// staged is a game without physics, judged by the referee: bodies are where the test puts them.
type staged struct {
	rand   *rand.Rand
	world  *worlds.World
	model  *physics.Model
	r      *referee.Referee
	g      *game.Game
	now    *physics.Snapshot
	was    game.State
	match  *Match
	roster *game.Roster

	vel       [2]float64 // of the ball, m/s
	dribbler  int
	reach     float64 // of the dribbler to the ball, metres
	dribbles  int     // steps yet
	gap       int     // steps for which the dribbler has lost the ball
	flying    int     // steps of a shot that nobody touches
	scattered bool
}

func stagedModel() *physics.Model {
	m := &physics.Model{
		Step: 10 * time.Millisecond, Ball: physics.Ball{Radius: radius},
		Field: physics.Field{Length: 18, Width: 12, PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5,
			GoalAreaDepth: 0.75, PenaltyMark: 3,
			GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5, Border: 1},
	}
	for n := range 3 { // of both teams in turn
		for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
			m.Robots = append(m.Robots, physics.Robot{Name: fmt.Sprintf("%s%d", team, n+1), Team: team, Number: n + 1,
				Body: physics.Body{Radius: 0.25}})
		}
	}
	return m
}

// playStaged plays a game of so many steps, in which everything happens that a rule is about, at random.
func playStaged(seed uint64, steps int) *staged {
	x := &staged{rand: rand.New(rand.NewPCG(seed, 22)), model: stagedModel(), dribbler: nobody}
	s := func(from, to float64) time.Duration {
		return time.Duration((from + (to-from)*x.rand.Float64()) * float64(time.Second))
	}
	rules := referee.DefaultRules()
	rules.Half, rules.Break, rules.Stop, rules.PlaceMin, rules.Take = s(20, 60), s(0, 2), s(0, .5), s(0, .3), s(.5, 2)
	rules.PlaceMax = rules.PlaceMin + s(0, .6)
	rules.Dribble, rules.Across, rules.Release = .5+5*x.rand.Float64(), x.rand.IntN(2) == 0, s(0, .2)
	rules.Attackers, rules.Defenders, rules.AreaFor, rules.StuckFor = x.rand.IntN(3), x.rand.IntN(3), s(0, 1), s(.5, 3)
	rules.Push = .3 + .7*x.rand.Float64()
	rules.KickOff = []string{"cyan", "magenta", "none"}[x.rand.IntN(3)]
	rules.CoverShare, rules.CoverFor, rules.FoulsForYellow = .2+.2*x.rand.Float64(), s(0, .8), 1+x.rand.IntN(2)
	rules.FallenBy, rules.FallenFor, rules.StuckRobotFor, rules.StuckRobotBy = .3+x.rand.Float64(), s(0, 1), s(.2, 2),
		.05+.3*x.rand.Float64()
	rules.Repair, rules.DoubleYellow = s(.5, 4), s(.5, 8)
	for _, name := range referee.RuleNames() {
		if x.rand.IntN(12) == 0 {
			rules.Off = append(rules.Off, name)
		}
	}
	x.world = &worlds.World{Rules: rules, Referee: worlds.RefereeAuto}
	x.begin()
	for range steps {
		x.move()
		x.observe()
	}
	return x
}

// begin is time 0.
func (x *staged) begin() {
	x.r, x.g, x.now = referee.New(x.world.Rules, x.model), game.New(&x.model.Field, radius), x.model.Start()
	x.match, x.roster = NewMatch(x.world, x.model), game.NewRoster(x.model, x.world.Rules.Repair,
		x.world.Rules.DoubleYellow)
	x.now.Ball.PosW = [3]float64{0, 0, radius}
	x.scatter()
	x.observe()
}

func (x *staged) scatter() {
	x.scattered = x.rand.IntN(2) == 0
	for i := range x.now.Robots {
		if x.off(i) {
			continue
		}
		if x.scattered { // keeps its place wherever the ball is not near
			x.robot(i, -attack(x.model.Robots[i].Team)*(3+5*x.rand.Float64()), (x.rand.Float64()-.5)*11)
		} else {
			x.robot(i, (x.rand.Float64()-.5)*17.9, (x.rand.Float64()-.5)*9)
		}
	}
}

func (x *staged) robot(i int, px, py float64) { x.now.Robots[i].PoseWB = spatial.Planar(px, py, 0) }

// off tells whether a robot is off the field.
func (x *staged) off(i int) bool { return x.roster.Standings()[i].Out != "" }

// someone is a robot on the field, or nobody.
func (x *staged) someone() int {
	if i := x.rand.IntN(len(x.now.Robots)); !x.off(i) {
		return i
	}
	return nobody
}

// order carries out what the referee wants of a robot.
func (x *staged) order(o *referee.Order) {
	robot, err := x.roster.Find(o.Team, o.Number)
	if err != nil {
		panic(err)
	}
	if !x.roster.Command(o.Command, robot, x.now.Time) {
		return
	}
	x.now.Robots[robot].PoseWB = x.roster.Beside(robot)
	if x.dribbler == robot {
		x.now.Ball.HeldBy, x.dribbler = nobody, nobody
	}
}

// observe has a state judged.
func (x *staged) observe() {
	decisions, orders := x.r.Observe(x.now, x.g.State(), x.roster.Standings())
	judged := x.now.Clone()
	for _, o := range orders {
		if o.Number > 0 {
			x.order(&o)
			continue
		}
		if o.Command != "" {
			x.g.Command(o.Command, o.Team)
			continue
		}
		x.now.Ball.PosW = [3]float64{o.BallPosW[0], o.BallPosW[1], radius}
		x.r.BallPlaced(x.now.Ball.PosW)
		x.vel, x.dribbler = [2]float64{}, nobody
	}
	if robot, poseWB, ok := x.roster.Back(x.now, x.g.State().Phase); ok {
		x.now.Robots[robot].PoseWB = poseWB
	}
	if err := x.match.State(judged, x.now); err != nil {
		panic(err)
	}
	for i := range decisions {
		x.match.Decision(mapping.DecisionMessage(&decisions[i]))
	}
	if is := x.g.State(); is != x.was || x.now.Step == 0 {
		x.was = is
		x.match.Game(x.now.Step, is)
	}
	x.now.Step++
	x.now.Time += x.model.Step
	x.now.Touches, x.now.Events = nil, nil
}

// move sets the next state.
func (x *staged) move() {
	ball := &x.now.Ball
	for i := range x.now.Robots {
		if x.off(i) {
			continue
		}
		x.fail(&x.now.Robots[i])
		if p := &x.now.Robots[i].PoseWB.Pos; x.rand.IntN(300) == 0 {
			p[0], p[1] = (x.rand.Float64()-.5)*17.9, (x.rand.Float64()-.5)*11
		} else {
			p[0], p[1] = p[0]+.01*x.rand.NormFloat64(), p[1]+.01*x.rand.NormFloat64()
		}
	}
	if x.rand.IntN(200) == 0 {
		x.scatter()
	}
	if x.rand.IntN(100) == 0 {
		a := x.rand.IntN(len(x.now.Robots) - 1)
		b := a + 1 + x.rand.IntN(len(x.now.Robots)-1-a)
		x.now.Events = append(x.now.Events, physics.Event{Kind: []physics.EventKind{physics.PushBegan,
			physics.PushEnded}[x.rand.IntN(2)], Touch: physics.Touch{A: physics.BodyID(a), B: physics.BodyID(b)}})
	}
	if x.flying > 0 {
		x.flying--
		x.roll()
		return
	}
	if x.rand.IntN(150) == 0 {
		x.shoot()
		return
	}
	if x.dribbler == nobody && x.rand.IntN(60) == 0 {
		x.dribbler, x.dribbles, x.gap, x.reach = x.someone(), x.rand.IntN(150), 0, .25+.1*x.rand.Float64()
		a := 2 * math.Pi * x.rand.Float64()
		x.vel = [2]float64{3 * math.Cos(a), 3 * math.Sin(a)}
	}
	ball.HeldBy = nobody
	if x.dribbler != nobody {
		x.dribble()
	}
	if x.rand.IntN(80) == 0 {
		for range 1 + x.rand.IntN(2) {
			if by := x.someone(); by != nobody {
				x.now.Touches = append(x.now.Touches, physics.Touch{A: physics.BodyID(by), B: x.now.BallID(),
					Impulse: x.rand.Float64()})
			}
		}
	}
	if x.rand.IntN(150) == 0 {
		x.vel = [2]float64{8 * (x.rand.Float64() - .5), 8 * (x.rand.Float64() - .5)}
	}
	if x.rand.IntN(100) == 0 {
		x.vel = [2]float64{}
	}
	x.roll()
}

// fail has a robot fall, get up, get stuck, or get on.
func (x *staged) fail(r *physics.RobotState) {
	if x.rand.IntN(3000) == 0 {
		r.PoseWB = spatial.RPY(r.PoseWB.Pos, 0, 2*x.rand.Float64(), 6*x.rand.Float64())
	}
	if x.rand.IntN(150) == 0 {
		r.PoseWB = spatial.Planar(r.PoseWB.Pos[0], r.PoseWB.Pos[1], 0)
	}
	if x.rand.IntN(2000) == 0 || r.Stuck && x.rand.IntN(80) == 0 {
		r.Stuck = !r.Stuck
	}
}

// roll moves the ball, not far beyond the lines.
func (x *staged) roll() {
	ball, dt := &x.now.Ball, x.model.Step.Seconds()
	if math.Abs(ball.PosW[0]) < 9.4 {
		ball.PosW[0] += x.vel[0] * dt
	}
	if math.Abs(ball.PosW[1]) < 6.5 {
		ball.PosW[1] += x.vel[1] * dt
	}
}

// shoot has any robot shoot at a goal.
func (x *staged) shoot() {
	by := x.someone()
	if by == nobody {
		return
	}
	x.now.Ball.HeldBy, x.dribbler, x.flying = nobody, nobody, 150
	x.now.Ball.PosW[1] = x.rand.Float64() - .5
	x.now.Robots[by].Kicks++
	x.vel = [2]float64{math.Copysign(12, x.rand.Float64()-.2) * attack(x.model.Robots[by].Team), 0}
}

// dribble has the dribbler hold the ball, lose it for a moment, take it again, or shoot it.
func (x *staged) dribble() {
	ball := &x.now.Ball
	x.robot(x.dribbler, ball.PosW[0]-x.reach, ball.PosW[1])
	switch {
	case x.gap > 0:
		x.gap--
		if x.rand.IntN(20) == 0 {
			x.now.Touches = append(x.now.Touches, physics.Touch{A: physics.BodyID(x.dribbler), B: x.now.BallID(),
				Impulse: 1})
		}
	case x.rand.IntN(25) == 0:
		x.gap = x.rand.IntN(25)
	default:
		ball.HeldBy = x.dribbler
	}
	if x.dribbles--; x.dribbles < 0 {
		if x.rand.IntN(2) == 0 {
			x.now.Robots[x.dribbler].Kicks++
			x.vel = [2]float64{20 * (x.rand.Float64() - .5), 20 * (x.rand.Float64() - .5)}
		}
		ball.HeldBy, x.dribbler = nobody, nobody
	}
}

// Random games in which everything happens are judged alike, to the step.
func TestStagedGames(t *testing.T) {
	const games = 50
	all := Report{}
	for seed := range uint64(games) {
		x := playStaged(seed, 6000)
		var r Report
		r.Judge(x.match, 0)
		for _, f := range r.Findings[:min(5, len(r.Findings))] {
			t.Errorf("seed %d: %v (rules %+v)", seed, f, x.world.Rules)
		}
		all.Decisions += r.Decisions
		all.Restarts += r.Restarts
		if all.Agreed == nil {
			all.Agreed = map[string]int{}
		}
		for rule, n := range r.Agreed {
			all.Agreed[rule] += n
		}
	}
	t.Logf("%d decisions, %d restarts: %v", all.Decisions, all.Restarts, all.Agreed)
	for _, rule := range referee.RuleNames() {
		if all.Agreed[rule] < 5 {
			t.Errorf("only %d decisions by %s", all.Agreed[rule], rule)
		}
	}
}

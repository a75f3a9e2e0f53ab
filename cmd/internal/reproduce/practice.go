package reproduce

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

var practice = &Experiment{
	Name:   "practice",
	Title:  "One robot chases, dribbles and kicks the ball, and begins anew",
	Source: "Xiao et al. 2017, section 5.2 and figures 17 and 18",
	World:  "practice",
	Setup: "The paper's robot goes through four states: CHASE_BALL, DRIBBLE_BALL (MOVE_BALL, then ROTATE_BALL), " +
		"KICK_BALL and RESET. Here a scripted player does; its states are told by what happens to the ball: " +
		"nobody has it, the robot has it and drives or turns, it flies off, it is put elsewhere. The world says how " +
		"long that goes on, and where robot and ball begin; several seeds draw these.",
	run: runPractice,
}

// stage is a state of the paper's robot.
type stage int

const (
	chaseBall stage = iota
	moveBall
	rotateBall
	kickBall
	resetBall
	stages
)

var stageNames = [stages]string{"CHASE_BALL", "MOVE_BALL", "ROTATE_BALL", "KICK_BALL", "RESET"}

// When a robot with the ball rotates, how far the ball goes at once when it is put elsewhere, and from which speed on
// it has been kicked.
const (
	practiceTurn = 45 * spatial.Degree // a second
	practiceJump = 0.5                 // m
	practiceKick = 3.0                 // m/s
)

// stager tells the stages of rounds, each of which begins with the chase.
type stager struct {
	now     stage
	ball    mgl64.Vec3
	seconds [stages]float64 // in each
	seen    []rounds        // of each round
	kicks   []float64       // m/s
}

// rounds are the stages that a round has had.
type rounds [stages]bool

// look takes the state after a step of dt seconds, for the robot of an index.
func (s *stager) look(state *physics.Snapshot, robot int, dt float64) {
	r, b := &state.Robots[robot], &state.Ball
	jumped := b.PosW.Sub(s.ball).Len() > practiceJump
	s.ball = b.PosW
	next := s.now
	switch held, fast := b.HeldBy == robot, b.TwistInW.Lin.Len() > practiceKick; {
	case jumped:
		next = resetBall
	case held && math.Abs(r.TwistWBInW.Ang[2]) > practiceTurn:
		next = rotateBall
	case held:
		next = moveBall
	case fast && s.now != chaseBall && s.now != resetBall:
		next = kickBall
	case s.now != kickBall:
		next = chaseBall
	}
	if len(s.seen) == 0 || next == chaseBall && s.now == resetBall {
		s.seen = append(s.seen, rounds{})
	}
	if next == kickBall && s.now != kickBall {
		s.kicks = append(s.kicks, b.TwistInW.Lin.Len())
	}
	s.now = next
	s.seen[len(s.seen)-1][next] = true
	s.seconds[next] += dt
}

// with counts the rounds that have had a stage.
func (s *stager) with(one stage) (n int) {
	for _, r := range s.seen {
		if r[one] {
			n++
		}
	}
	return n
}

func runPractice(ctx context.Context, t *Trial) error {
	draws := 8
	switch {
	case t.brief:
		draws = 1
	case t.Quick:
		draws = 2
	}
	var all stager
	goals := 0
	over := experiment.Plot{Name: "states", Title: "States, first seed", XLabel: "time, s",
		YLabel: "0 CHASE, 1 MOVE, 2 ROTATE, 3 KICK, 4 RESET"}
	speed := experiment.Plot{Name: "speed", Title: "Speeds, first seed", XLabel: "time, s", YLabel: "speed, m/s"}
	for draw := range draws {
		sim, err := t.begin(draw)
		if err != nil {
			return err
		}
		robot := -1
		for i := range sim.World().Robots {
			if sim.World().Robots[i].Player != nil && robot < 0 {
				robot = i
			}
		}
		if robot < 0 {
			sim.Close()
			return t.unfit("has no robot with a player, which would go for the ball")
		}
		s := stager{ball: sim.Truth().Ball.PosW}
		states := experiment.Curve{Name: sim.World().Robots[robot].Name, Steps: true}
		ofRobot, ofBall := experiment.Curve{Name: states.Name}, experiment.Curve{Name: "ball"}
		dt := sim.World().Time.Step.Seconds()
		err = steps(ctx, sim, sim.World().Test.For, nil, func() {
			state := sim.Truth()
			s.look(state, robot, dt)
			now := state.Time.Seconds()
			states.X, states.Y = append(states.X, now), append(states.Y, float64(s.now))
			ofRobot.X, ofRobot.Y = append(ofRobot.X, now), append(ofRobot.Y, state.Robots[robot].TwistWBInW.Lin.Len())
			ofBall.X, ofBall.Y = append(ofBall.X, now), append(ofBall.Y, state.Ball.TwistInW.Lin.Len())
		})
		score := sim.Game().Score
		sim.Close()
		if err != nil {
			return err
		}
		if draw == 0 {
			over.Curves = append(over.Curves, states)
			speed.Curves = append(speed.Curves, ofRobot, ofBall)
		}
		for i := range stages {
			all.seconds[i] += s.seconds[i]
		}
		all.kicks, all.seen, goals = append(all.kicks, s.kicks...), append(all.seen, s.seen...),
			goals+score.Cyan+score.Magenta
		t.Progress(float64(draw+1) / float64(draws))
	}
	n := float64(len(all.seen))
	for _, one := range []stage{chaseBall, moveBall, rotateBall, kickBall} {
		had, rule, least := float64(all.with(one)), "all", n
		if one == rotateBall {
			rule, least = "90 %: a robot that has the goal ahead need not turn", 0.9*n
		}
		t.Add(Trend("rounds with "+stageNames[one], 100*had/n, "%", "goes through its states", rule, had >= least))
	}
	t.Add(Aside("rounds, of all seeds", n, ""))
	t.Add(Aside("goals, of all seeds", float64(goals), ""))
	for one := range kickBall { // what comes after the last kick has no end
		t.Add(Aside("time a round in "+stageNames[one], all.seconds[one]/n, "s"))
	}
	mean := 0.0
	for _, v := range all.kicks {
		mean += v / float64(len(all.kicks))
	}
	t.Add(Aside("mean speed of kicks", mean, "m/s"))
	t.Plot(over)
	t.Plot(speed)
	return nil
}

package engine_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func (k kit) heldBallStaysBeforeTheRobot(t *testing.T) {
	for _, level := range k.levels {
		r := k.start(t, enginetest.WithBall(level, 0, 0, 0))
		r.Commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1.5, VY: 0.5, Omega: 1.5}, Dribble: true}
		r.Run(2, func() {
			robot := &r.S.Robots[0]
			want := robot.PoseWB.Apply(mgl64.Vec3{0.36, 0, 0.11})
			want[2] = 0.11
			// At rollers the robot leans by up to a few 1e-4 rad, and the ball stays on the floor.
			if r.S.Ball.HeldBy != 0 || !(r.S.Ball.PosW.Sub(want).Len() <= 5e-4) {
				t.Fatalf("%s: ball at %v, held by %d; want %v", level, r.S.Ball.PosW, r.S.Ball.HeldBy, want)
			}
			if slip := r.S.Ball.TwistInW.PointVelocity(mgl64.Vec3{0, 0, -0.11}); !(slip.Len() <= 1e-9) {
				t.Fatalf("%s: the held ball slides at %v", level, slip)
			}
		})
		// The ball does not push its own robot.
		must.Near(t, string(level)+" speed", math.Hypot(r.S.Robots[0].TwistWBInW.Lin[0],
			r.S.Robots[0].TwistWBInW.Lin[1]),
			math.Hypot(1.5, 0.5), 0.02)
		r.Commands[0] = physics.Command{}
		r.Step()
		if r.S.Ball.HeldBy != -1 {
			t.Errorf("%s: still held", level)
		}
		r.Run(0.5)
		if gap := r.S.Ball.PosW.Sub(r.S.Robots[0].PoseWB.Pos).Len(); !(gap >= 0.4) {
			t.Errorf("%s: a ball let go at 1.5 m/s is only %v m away", level, gap)
		}
	}
}

func (k kit) heldBallStopsTheRobotAtAWall(t *testing.T) {
	for _, level := range k.levels {
		r := k.start(t, enginetest.WithBall(level, 8.5, 4, 0))
		r.Commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1}, Dribble: true}
		r.Run(4, func() {
			if x := r.S.Ball.PosW[0]; !(x <= 10.5-0.11+0.03) {
				t.Fatalf("%s: ball in the wall: x = %v", level, x)
			}
		})
		must.Near(t, string(level)+" tilt", r.Tilt(0), 0, 0.05)
		must.Near(t, string(level)+" ball", r.S.Ball.PosW[0], 10.5-0.11, 0.01)
		must.Near(t, string(level)+" robot", r.S.Robots[0].PoseWB.Pos[0], 10.5-0.11-0.36, 0.01)
		if r.S.Ball.HeldBy != 0 || !r.S.Robots[0].Stuck {
			t.Errorf("%s: held by %d, stuck %v", level, r.S.Ball.HeldBy, r.S.Robots[0].Stuck)
		}
	}
}

// A held ball that is wedged in deeply is lost. Here the wall is next to the hold point from the start.
func (k kit) blockedBallIsLost(t *testing.T) {
	model := enginetest.WithBall(k.levels[0], 0, 0, 0)
	model.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(0, 3, 0), SizeX: 1, SizeY: 0.4, Height: 0.5, Mass: 50}}
	r := k.start(t, model)
	r.Commands[0].Dribble = true
	r.Run(0.1)
	must.Do(t, r.PlaceObstacle(0, spatial.Planar(0.36, 0.25, 0), spatial.Twist{}))
	r.Step()
	if r.S.Ball.HeldBy != -1 {
		t.Errorf("held by %d, 6 cm deep in an obstacle", r.S.Ball.HeldBy)
	}
}

func (k kit) levelKickLeavesAlongTheHeading(t *testing.T) {
	for _, level := range k.levels {
		heading := 0.6
		r := k.start(t, enginetest.WithBall(level, 0, 0, heading))
		r.Commands[0].Kick = physics.Kick{Mode: physics.FlatKick, Speed: 8}
		r.Step()
		if r.S.Robots[0].Kicks != 0 {
			t.Fatalf("%s: kicked a ball that it does not hold", level)
		}
		r.Commands[0] = physics.Command{Dribble: true}
		r.Run(0.1)
		r.Commands[0].Kick = physics.Kick{Mode: physics.FlatKick, Speed: 30}
		r.Step()
		v := r.S.Ball.TwistInW.Lin
		must.Near(t, string(level)+" speed", v.Len(), 12, 0.1) // a step of sliding takes 0.5·g·dt
		must.Near(t, string(level)+" direction", math.Atan2(v[1], v[0]), heading, 1e-6)
		r.Run(0.5, func() {
			if r.S.Ball.HeldBy != -1 {
				t.Fatalf("%s: took the ball that it had kicked", level)
			}
		})
		must.Equal(t, r.S.Robots[0].Kicks, 1, "%s: kicks", level)
	}
}

// The engine's flight is the one for which the aim was computed.
func (k kit) aimedLobEntersTheGoal(t *testing.T) {
	for _, level := range k.levels {
		for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
			side := team.Attacks(&physics.Field{HasGoals: true, HasLines: true, HasBoards: true, Length: 18}).Side
			x, y := 3*side, 0.5
			model := enginetest.WithBall(level, x, y, math.Atan2(-y, 6*side))
			model.Robots[0].Team = team
			r := k.start(t, model)
			r.Commands[0].Dribble = true
			r.Run(0.05)
			r.Commands[0].Kick = physics.Kick{Mode: physics.LobKick}
			crossed := mgl64.Vec3{}
			before := r.S.Ball
			r.Run(1.5, func() {
				if goal := side * 9; crossed == (mgl64.Vec3{}) && side*r.S.Ball.PosW[0] >= 9 {
					k := (goal - before.PosW[0]) / (r.S.Ball.PosW[0] - before.PosW[0])
					crossed = before.PosW.Add(r.S.Ball.PosW.Sub(before.PosW).Mul(k))
				}
				before = r.S.Ball
			})
			must.Near(t, string(level)+" height on the line", crossed[2], 1-0.22, 1e-3)
			must.Near(t, string(level)+" y on the line", crossed[1], 0, 1e-3)
			if !model.Field.InGoal(team.Attacks(&model.Field), r.S.Ball.PosW, model.Ball.Radius) {
				t.Errorf("%s: the ball is not in the goal but at %v", level, r.S.Ball.PosW)
			}
		}
	}
}

// The robot fetches the ball, turns with it to the goal, and shoots.
func (k kit) dribbleTurnKickScores(t *testing.T) {
	for _, level := range k.levels {
		for _, mode := range []physics.KickMode{physics.FlatKick, physics.LobKick} {
			model := enginetest.Alone(level, 2, -1, math.Pi)
			model.Ball.X, model.Ball.Y = 1, -1
			r := k.start(t, model)
			goal := model.Field.Goals()[1]
			c := &r.Commands[0]
			c.Dribble = true
			r.Run(6, func() {
				robot := &r.S.Robots[0]
				aim := math.Atan2(-robot.PoseWB.Pos[1], goal.X-robot.PoseWB.Pos[0])
				off := spatial.WrapAngle(aim - robot.PoseWB.Heading())
				c.TwistB, c.Kick = physics.PlanarTwist{}, physics.Kick{}
				switch {
				case robot.Kicks > 0:
				case r.S.Ball.HeldBy < 0:
					c.TwistB.VX = 0.8
				case math.Abs(off) > 0.01 || math.Abs(robot.TwistWBInW.Ang[2]) > 0.02:
					c.TwistB.Omega = mgl64.Clamp(4*off, -2, 2)
				case mode == physics.FlatKick:
					c.Kick = physics.Kick{Mode: mode, Speed: 10}
				default:
					c.Kick = physics.Kick{Mode: mode}
				}
			})
			if !model.Field.InGoal(goal, r.S.Ball.PosW, model.Ball.Radius) {
				t.Errorf("%s, mode %d: the ball is at %v", level, mode, r.S.Ball.PosW)
			}
		}
	}
}

// The hold point may be inside the round hull. The ball is then in the hull's mouth, which does not push it out.
func (k kit) mouth(t *testing.T) {
	model := enginetest.Alone(k.levels[0], 0, 0, 0)
	model.Robots[0].Dribbler.Hold = 0.3
	model.Ball.X, model.Ball.Y = 0.4, 0
	r := k.start(t, model)
	r.Commands[0].Dribble = true
	r.Run(0.1)
	r.Commands[0].Dribble = false
	r.Run(1)
	must.Near(t, "distance", r.S.Ball.PosW[0]-r.S.Robots[0].PoseWB.Pos[0], 0.3, 1e-3)
	r.Commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1}}
	r.Run(1)
	if ahead := r.S.Ball.PosW[0] - r.S.Robots[0].PoseWB.Pos[0]; !(ahead >= 0.29) {
		t.Errorf("the ball is %v m ahead: the hull ran over it", ahead)
	}
}

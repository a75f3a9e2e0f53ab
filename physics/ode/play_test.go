package ode

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// The ball right before the only robot.
func withBall(level physics.DriveLevel, x, y, heading float64) *physics.Scene {
	s := alone(level, x, y, heading)
	s.Ball.X, s.Ball.Y = x+0.37*math.Cos(heading), y+0.37*math.Sin(heading)
	return s
}

func TestHeldBallStaysBeforeTheRobot(t *testing.T) {
	for _, level := range levels {
		r := start(t, withBall(level, 0, 0, 0))
		r.commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1.5, VY: 0.5, Omega: 1.5}, Dribble: true}
		r.run(2, func() {
			robot := &r.s.Robots[0]
			want := robot.PoseWB.Apply(mgl64.Vec3{0.36, 0, 0.11})
			want[2] = 0.11
			// The robot leans by up to a few 1e-5 rad; the ball stays on the floor.
			if r.s.Ball.HeldBy != 0 || r.s.Ball.PosW.Sub(want).Len() > 1e-5 {
				t.Fatalf("%s: ball at %v, held by %d; want %v", level, r.s.Ball.PosW, r.s.Ball.HeldBy, want)
			}
			if slip := r.s.Ball.TwistInW.PointVelocity(mgl64.Vec3{0, 0, -0.11}); slip.Len() > 1e-9 {
				t.Fatalf("%s: the held ball slides at %v", level, slip)
			}
		})
		// It does not push its own robot.
		near(t, string(level)+" speed", math.Hypot(r.s.Robots[0].TwistWBInW.Lin[0], r.s.Robots[0].TwistWBInW.Lin[1]), math.Hypot(1.5, 0.5), 0.02)
		r.commands[0] = physics.Command{}
		r.step()
		if r.s.Ball.HeldBy != -1 {
			t.Errorf("%s: still held", level)
		}
		r.run(0.5)
		if gap := r.s.Ball.PosW.Sub(r.s.Robots[0].PoseWB.Pos).Len(); gap < 0.4 {
			t.Errorf("%s: a ball let go at 1.5 m/s is only %v m away", level, gap)
		}
	}
}

func TestHeldBallStopsTheRobotAtAWall(t *testing.T) {
	for _, level := range levels {
		r := start(t, withBall(level, 8.5, 4, 0))
		r.commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1}, Dribble: true}
		r.run(4, func() {
			if x := r.s.Ball.PosW[0]; x > 10.5-0.11+blockedDepth {
				t.Fatalf("%s: ball in the wall: x = %v", level, x)
			}
		})
		near(t, string(level)+" tilt", r.tilt(0), 0, 0.05)
		near(t, string(level)+" ball", r.s.Ball.PosW[0], 10.5-0.11, 0.01)
		near(t, string(level)+" robot", r.s.Robots[0].PoseWB.Pos[0], 10.5-0.11-0.36, 0.01)
		if r.s.Ball.HeldBy != 0 || !r.s.Robots[0].Stuck {
			t.Errorf("%s: held by %d, stuck %v", level, r.s.Ball.HeldBy, r.s.Robots[0].Stuck)
		}
	}
}

// A held ball that gets wedged in deep is lost: here the wall is at the side of the hold point from the start.
func TestBlockedBallIsLost(t *testing.T) {
	scene := withBall(physics.WheelsDrive, 0, 0, 0)
	scene.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(0, 3, 0), SizeX: 1, SizeY: 0.4, Height: 0.5, Mass: 50}}
	r := start(t, scene)
	r.commands[0].Dribble = true
	r.run(0.1)
	r.PlaceObstacle(0, spatial.Planar(0.36, 0.25, 0))
	r.step()
	if r.s.Ball.HeldBy != -1 {
		t.Errorf("held by %d, 6 cm deep in an obstacle", r.s.Ball.HeldBy)
	}
}

func TestLevelKickLeavesAlongTheHeading(t *testing.T) {
	for _, level := range levels {
		heading := 0.6
		r := start(t, withBall(level, 0, 0, heading))
		r.commands[0].Kick = physics.Kick{Mode: physics.FlatKick, Speed: 8}
		r.step()
		if r.s.Robots[0].Kicks != 0 {
			t.Fatalf("%s: kicked a ball that it does not hold", level)
		}
		r.commands[0] = physics.Command{Dribble: true}
		r.run(0.1)
		r.commands[0].Kick = physics.Kick{Mode: physics.FlatKick, Speed: 30}
		r.step()
		v := r.s.Ball.TwistInW.Lin
		near(t, string(level)+" speed", v.Len(), 12, 0.1) // a step of sliding takes 0.5·g·dt
		near(t, string(level)+" direction", math.Atan2(v[1], v[0]), heading, 1e-6)
		r.run(0.5, func() {
			if r.s.Ball.HeldBy != -1 {
				t.Fatalf("%s: took the ball that it had kicked", level)
			}
		})
		if r.s.Robots[0].Kicks != 1 {
			t.Errorf("%s: %d kicks", level, r.s.Robots[0].Kicks)
		}
	}
}

// The engine's flight follows the parabola that the aim was computed with.
func TestAimedLobEntersTheGoal(t *testing.T) {
	for _, level := range levels {
		for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
			side := team.Attacks(&physics.Field{Length: 18}).Side
			x, y := 3*side, 0.5
			scene := withBall(level, x, y, math.Atan2(-y, 6*side))
			scene.Robots[0].Team = team
			r := start(t, scene)
			r.commands[0].Dribble = true
			r.run(0.05)
			r.commands[0].Kick = physics.Kick{Mode: physics.LobKick}
			crossed := mgl64.Vec3{}
			before := r.s.Ball
			r.run(1.5, func() {
				if goal := side * 9; crossed == (mgl64.Vec3{}) && side*r.s.Ball.PosW[0] >= 9 {
					k := (goal - before.PosW[0]) / (r.s.Ball.PosW[0] - before.PosW[0])
					crossed = before.PosW.Add(r.s.Ball.PosW.Sub(before.PosW).Mul(k))
				}
				before = r.s.Ball
			})
			near(t, string(level)+" height on the line", crossed[2], 1-0.22, 1e-3)
			near(t, string(level)+" y on the line", crossed[1], 0, 1e-3)
			if !scene.Field.InGoal(team.Attacks(&scene.Field), r.s.Ball.PosW, scene.Ball.Radius) {
				t.Errorf("%s: the ball is not in the goal but at %v", level, r.s.Ball.PosW)
			}
		}
	}
}

// Fetch the ball, turn with it to the goal, shoot.
func TestDribbleTurnKickScores(t *testing.T) {
	for _, level := range levels {
		for _, mode := range []physics.KickMode{physics.FlatKick, physics.LobKick} {
			scene := alone(level, 2, -1, math.Pi)
			scene.Ball.X, scene.Ball.Y = 1, -1
			r := start(t, scene)
			goal := scene.Field.Goals()[1]
			c := &r.commands[0]
			c.Dribble = true
			r.run(6, func() {
				robot := &r.s.Robots[0]
				aim := math.Atan2(-robot.PoseWB.Pos[1], goal.X-robot.PoseWB.Pos[0])
				off := spatial.WrapAngle(aim - robot.PoseWB.Heading())
				c.TwistB, c.Kick = physics.PlanarTwist{}, physics.Kick{}
				switch {
				case robot.Kicks > 0:
				case r.s.Ball.HeldBy < 0:
					c.TwistB.VX = 0.8
				case math.Abs(off) > 0.01 || math.Abs(robot.TwistWBInW.Ang[2]) > 0.02:
					c.TwistB.Omega = math.Max(-2, math.Min(2, 4*off))
				case mode == physics.FlatKick:
					c.Kick = physics.Kick{Mode: mode, Speed: 10}
				default:
					c.Kick = physics.Kick{Mode: mode}
				}
			})
			if !scene.Field.InGoal(goal, r.s.Ball.PosW, scene.Ball.Radius) {
				t.Errorf("%s, mode %d: the ball is at %v", level, mode, r.s.Ball.PosW)
			}
		}
	}
}

// Hold may lie inside the round hull: the ball sits in the hull's mouth, and is not pushed out of it.
func TestMouth(t *testing.T) {
	scene := alone(physics.WheelsDrive, 0, 0, 0)
	scene.Robots[0].Dribbler.Hold = 0.3
	scene.Ball.X, scene.Ball.Y = 0.4, 0
	r := start(t, scene)
	r.commands[0].Dribble = true
	r.run(0.1)
	r.commands[0].Dribble = false
	r.run(1)
	near(t, "distance", r.s.Ball.PosW[0]-r.s.Robots[0].PoseWB.Pos[0], 0.3, 1e-3)
	r.commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1}}
	r.run(1)
	if ahead := r.s.Ball.PosW[0] - r.s.Robots[0].PoseWB.Pos[0]; ahead < 0.29 {
		t.Errorf("the ball is %v m ahead: the hull ran over it", ahead)
	}
}

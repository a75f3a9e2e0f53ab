package ode

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

func TestHeadOnCollisionKeepsBothUpright(t *testing.T) {
	for _, a := range levels {
		for _, b := range levels {
			scene := testScene()
			scene.Robots = []physics.Robot{testRobot(a, -1.5, 0.05, 0), testRobot(b, 1.5, 0, math.Pi)}
			r := start(t, scene)
			tilt, nearest, fastest := 0.0, math.Inf(1), 0.0
			r.commands[0].TwistB.VX, r.commands[1].TwistB.VX = 3, 3
			r.run(3, func() {
				tilt = math.Max(tilt, math.Max(r.tilt(0), r.tilt(1)))
				d := r.s.Robots[0].PoseWB.Pos.Sub(r.s.Robots[1].PoseWB.Pos)
				nearest = math.Min(nearest, d.Len())
				fastest = math.Max(fastest, r.s.Robots[0].TwistWBInW.Lin[0])
			})
			what := string(a) + " against " + string(b)
			near(t, what+": tilt", tilt, 0, 0.05)
			near(t, what+": speed before", fastest, 3, 0.2)
			// Two robots that meet at 6 m/s are noticed when 3 cm deep.
			near(t, what+": least distance", nearest, 0.5, 0.04)
		}
	}
}

func TestRobotPushesAnObstacle(t *testing.T) {
	for _, level := range levels {
		for _, mass := range []float64{5, 30} {
			scene := alone(level, -1, 0, 0)
			scene.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(0, 0, 0.2), SizeX: 0.5, SizeY: 0.5, Height: 0.8, Mass: mass}}
			r := start(t, scene)
			r.commands[0].TwistB.VX = 1
			r.run(2.5)
			gap := r.s.Obstacles[0].PoseWO.Pos[0] - r.s.Robots[0].PoseWB.Pos[0]
			if x := r.s.Obstacles[0].PoseWO.Pos[0]; x < 0.5 {
				t.Errorf("%s: %v kg pushed to x = %v only", level, mass, x)
			}
			if gap < 0.45 || gap > 0.7 {
				t.Errorf("%s: %v kg: centres are %v m apart", level, mass, gap)
			}
			near(t, "tilt", r.tilt(0), 0, 0.05)
			near(t, "height", r.s.Obstacles[0].PoseWO.Pos[2], 0, 2e-3)
		}
	}
}

// An obstacle that nobody touches stays where it is, and slides to rest as friction says.
func TestObstacleRests(t *testing.T) {
	scene := testScene()
	scene.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(1, 1, 0.7), SizeX: 0.4, SizeY: 0.6, Height: 0.8, Mass: 10}}
	r := start(t, scene)
	r.run(2)
	o := r.s.Obstacles[0].PoseWO
	near(t, "x", o.Pos[0], 1, 1e-3)
	near(t, "y", o.Pos[1], 1, 1e-3)
	near(t, "z", o.Pos[2], 0, 1e-3)
	near(t, "heading", o.Heading(), 0.7, 1e-3)
}

// A robot that has been thrown over lies on the floor and in the hall, and neither sinks nor flies.
func TestFallenRobotStaysOnTheFloor(t *testing.T) {
	scene := alone(physics.WheelsDrive, 0, 0, 0)
	r := start(t, scene)
	r.PlaceRobot(0, spatial.Pose{Pos: [3]float64{0, 0, 0.3}, Rot: spatial.RPY([3]float64{}, 0, 1.4, 0).Rot}, spatial.Twist{})
	r.run(3)
	p := r.s.Robots[0].PoseWB.Apply([3]float64{0, 0, 0.2})
	if p[2] < 0.15 || p[2] > 0.3 {
		t.Errorf("centre of mass at %v m", p[2])
	}
}

// Robots driven at one spot: in the exact solver's range, and in the iterative one's, where a robot that is elsewhere
// goes on as if it were alone.
func TestPileStaysTogether(t *testing.T) {
	for _, n := range []int{10, 40} {
		scene := testScene()
		scene.Robots = append(scene.Robots, testRobot(physics.WheelsDrive, 7, -5, 2))
		for i := range n {
			a, d := 2.4*float64(i), 0.7*math.Sqrt(float64(i+1))
			scene.Robots = append(scene.Robots, testRobot(physics.WheelsDrive, d*math.Cos(a), d*math.Sin(a), a+math.Pi))
		}
		r := start(t, scene)
		scene.Robots = scene.Robots[:1]
		alone := start(t, scene)
		most := 0
		r.run(2, func() {
			r.rush()
			r.commands[0].TwistB = physics.PlanarTwist{VX: 0.3, Omega: 1}
			most = max(most, r.world.contacts())
		})
		alone.commands[0].TwistB = physics.PlanarTwist{}
		alone.step()
		alone.commands[0] = r.commands[0]
		alone.run(1.995)
		if got, want := r.s.Robots[0].PoseWB, alone.s.Robots[0].PoseWB; got != want {
			t.Errorf("%d robots: the bystander is at %v, alone it would be at %v", n, got, want)
		}
		for i := range r.s.Robots {
			p := r.s.Robots[i].PoseWB.Pos
			if math.Abs(p[0]) > 9 || math.Abs(p[1]) > 6 || r.tilt(i) > 0.3 {
				t.Errorf("%d robots: robot %d at %v, tilted by %v rad", n, i, p, r.tilt(i))
			}
		}
		if iterative := most > pile; iterative != (n == 40) {
			t.Errorf("%d robots: at most %d contacts", n, most)
		}
	}
}

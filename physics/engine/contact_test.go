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

func (k kit) headOnCollisionKeepsBothUpright(t *testing.T) {
	for _, a := range k.levels {
		for _, b := range k.levels {
			model := enginetest.Model()
			model.Robots = []physics.Robot{enginetest.Robot(a, -1.5, 0.05, 0), enginetest.Robot(b, 1.5, 0, math.Pi)}
			r := k.start(t, model)
			tilt, nearest, fastest := 0.0, math.Inf(1), 0.0
			r.Commands[0].TwistB.VX, r.Commands[1].TwistB.VX = 3, 3
			r.Run(3, func() {
				tilt = math.Max(tilt, math.Max(r.Tilt(0), r.Tilt(1)))
				d := r.S.Robots[0].PoseWB.Pos.Sub(r.S.Robots[1].PoseWB.Pos)
				nearest = math.Min(nearest, d.Len())
				fastest = math.Max(fastest, r.S.Robots[0].TwistWBInW.Lin[0])
			})
			what := string(a) + " against " + string(b)
			must.Near(t, what+": tilt", tilt, 0, 0.05)
			must.Near(t, what+": speed before", fastest, 3, 0.2)
			// Contacts start before hulls overlap.
			must.Near(t, what+": least distance", nearest, 0.5, 3e-3)
		}
	}
}

func (k kit) robotPushesAnObstacle(t *testing.T) {
	for _, level := range k.levels {
		for _, mass := range []float64{5, 30} {
			model := enginetest.Alone(level, -1, 0, 0)
			model.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(0, 0, 0.2), SizeX: 0.5, SizeY: 0.5, Height: 0.8,
				Mass: mass}}
			r := k.start(t, model)
			r.Commands[0].TwistB.VX = 1
			r.Run(2.5)
			gap := r.S.Obstacles[0].PoseWO.Pos.Sub(r.S.Robots[0].PoseWB.Pos).Len() // the box may slide aside
			if x := r.S.Obstacles[0].PoseWO.Pos[0]; !(x >= 0.5) {
				t.Errorf("%s: %v kg pushed to x = %v only", level, mass, x)
			}
			if !(gap >= 0.45) || !(gap <= 0.7) {
				t.Errorf("%s: %v kg: centres are %v m apart", level, mass, gap)
			}
			must.Near(t, "tilt", r.Tilt(0), 0, 0.05)
			must.Near(t, "height", r.S.Obstacles[0].PoseWO.Pos[2], 0, 2e-3)
		}
	}
}

// An obstacle without contacts stays at rest, and a sliding one decelerates by friction until it rests.
func (k kit) obstacleRests(t *testing.T) {
	model := enginetest.Model()
	model.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(1, 1, 0.7), SizeX: 0.4, SizeY: 0.6, Height: 0.8,
		Mass: 10}}
	r := k.start(t, model)
	r.Run(2)
	o := r.S.Obstacles[0].PoseWO
	must.Near(t, "x", o.Pos[0], 1, 1e-3)
	must.Near(t, "y", o.Pos[1], 1, 1e-3)
	must.Near(t, "z", o.Pos[2], 0, 1e-3)
	must.Near(t, "heading", o.Heading(), 0.7, 1e-3)
}

// boxed makes a robot's hull a box, 0.4 m long and 0.3 m wide.
func boxed(r physics.Robot) physics.Robot {
	r.Body.Length, r.Body.Width = 0.4, 0.3
	return r
}

// A box is stopped by a wall at its front, by a disc next to it at its corners, and by another box at its front.
func (k kit) boxesStopAtTheirSides(t *testing.T) {
	for _, level := range k.levels {
		wall := enginetest.Alone(level, 9.5, 3, 0)
		wall.Robots[0] = boxed(wall.Robots[0])
		r := k.start(t, wall)
		r.Commands[0].TwistB.VX = 1
		r.Run(2)
		must.Near(t, string(level)+" wall", r.S.Robots[0].PoseWB.Pos[0], 10.5-0.2, 0.01)
		must.Near(t, string(level)+" tilt", r.Tilt(0), 0, 0.05)

		pair := enginetest.Model()
		pair.Robots = []physics.Robot{boxed(enginetest.Robot(level, -1, 0, 0)),
			boxed(enginetest.Robot(level, 1, 0, math.Pi))}
		r = k.start(t, pair)
		r.Commands[0].TwistB.VX, r.Commands[1].TwistB.VX = 1, 1
		r.Run(2)
		must.Near(t, string(level)+" box and box", r.S.Robots[1].PoseWB.Pos[0]-r.S.Robots[0].PoseWB.Pos[0], 0.4,
			0.02)

		mixed := enginetest.Model()
		mixed.Robots = []physics.Robot{boxed(enginetest.Robot(level, -1, 0, 0)), enginetest.Robot(level, 1, 0, math.Pi)}
		r = k.start(t, mixed)
		r.Commands[0].TwistB.VX, r.Commands[1].TwistB.VX = 1, 1
		r.Run(2)
		must.Near(t, string(level)+" box and disc", r.S.Robots[1].PoseWB.Pos[0]-r.S.Robots[0].PoseWB.Pos[0], 0.45,
			0.02)
	}
}

// The ball bounces off the box, and passes where a round hull would be.
func (k kit) ballMeetsTheBox(t *testing.T) {
	for _, tt := range []struct {
		y      float64
		passes bool
	}{{0, false}, {0.14, false}, {0.27, true}} {
		s := enginetest.Model()
		s.Robots = []physics.Robot{boxed(enginetest.Robot(k.levels[0], 0, 0, 0))}
		r := k.start(t, s)
		r.Put(mgl64.Vec3{1.2, tt.y, s.Ball.Radius}, spatial.Twist{Lin: mgl64.Vec3{-8, 0, 0}})
		r.Run(0.4)
		if passed := r.S.Ball.PosW[0] < -0.3; passed != tt.passes {
			t.Errorf("y = %v: the ball is at %v", tt.y, r.S.Ball.PosW)
		}
	}
}

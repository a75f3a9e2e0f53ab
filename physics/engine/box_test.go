package engine_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

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
		enginetest.Near(t, string(level)+" wall", r.S.Robots[0].PoseWB.Pos[0], 10.5-0.2, 0.01)
		enginetest.Near(t, string(level)+" tilt", r.Tilt(0), 0, 0.05)

		pair := enginetest.Model()
		pair.Robots = []physics.Robot{boxed(enginetest.Robot(level, -1, 0, 0)),
			boxed(enginetest.Robot(level, 1, 0, math.Pi))}
		r = k.start(t, pair)
		r.Commands[0].TwistB.VX, r.Commands[1].TwistB.VX = 1, 1
		r.Run(2)
		enginetest.Near(t, string(level)+" box and box", r.S.Robots[1].PoseWB.Pos[0]-r.S.Robots[0].PoseWB.Pos[0], 0.4,
			0.02)

		mixed := enginetest.Model()
		mixed.Robots = []physics.Robot{boxed(enginetest.Robot(level, -1, 0, 0)), enginetest.Robot(level, 1, 0, math.Pi)}
		r = k.start(t, mixed)
		r.Commands[0].TwistB.VX, r.Commands[1].TwistB.VX = 1, 1
		r.Run(2)
		enginetest.Near(t, string(level)+" box and disc", r.S.Robots[1].PoseWB.Pos[0]-r.S.Robots[0].PoseWB.Pos[0], 0.45,
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

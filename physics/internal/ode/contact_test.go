package ode

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A robot that has been thrown over stays on the floor and in the hall, and neither sinks nor flies.
func TestFallenRobotStaysOnTheFloor(t *testing.T) {
	model := enginetest.Alone(physics.WheelsDrive, 0, 0, 0)
	r := start(t, model)
	r.Place(0, spatial.Pose{Pos: [3]float64{0, 0, 0.3}, Rot: spatial.RPY([3]float64{}, 0, 1.4, 0).Rot})
	r.Run(3)
	p := r.S.Robots[0].PoseWB.Apply([3]float64{0, 0, 0.2})
	if !(p[2] >= 0.15) || !(p[2] <= 0.3) {
		t.Errorf("centre of mass at %v m", p[2])
	}
}

// Robots drive at one spot, within the range of the exact solver and of the iterative one. A robot elsewhere moves as
// if it were alone.
func TestPileStaysTogether(t *testing.T) {
	for _, n := range []int{10, 40} {
		model := enginetest.Model()
		model.Robots = append(model.Robots, enginetest.Robot(physics.WheelsDrive, 7, -5, 2))
		for i := range n {
			a, d := 2.4*float64(i), 0.7*math.Sqrt(float64(i+1))
			model.Robots = append(model.Robots, enginetest.Robot(physics.WheelsDrive, d*math.Cos(a), d*math.Sin(a),
				a+math.Pi))
		}
		r := start(t, model)
		model.Robots = model.Robots[:1]
		alone := start(t, model)
		most := 0
		r.Run(2, func() {
			r.rush()
			r.Commands[0].TwistB = physics.PlanarTwist{VX: 0.3, Omega: 1}
			most = max(most, r.world.contacts())
		})
		alone.Commands[0].TwistB = physics.PlanarTwist{}
		alone.Step()
		alone.Commands[0] = r.Commands[0]
		alone.Run(1.995)
		if got, want := r.S.Robots[0].PoseWB, alone.S.Robots[0].PoseWB; got != want {
			t.Errorf("%d robots: the bystander is at %v, alone it would be at %v", n, got, want)
		}
		for i := range r.S.Robots {
			p := r.S.Robots[i].PoseWB.Pos
			if !(math.Abs(p[0]) <= 9) || !(math.Abs(p[1]) <= 6) || !(r.Tilt(i) <= 0.3) {
				t.Errorf("%d robots: robot %d at %v, tilted by %v rad", n, i, p, r.Tilt(i))
			}
		}
		if iterative := most > pile; iterative != (n == 40) {
			t.Errorf("%d robots: at most %d contacts", n, most)
		}
	}
}

// The exact solver fails for boxes that meet exactly face to face. Such a step must have the result of the iterative
// solver.
func TestDegenerateStepIsTakenAnew(t *testing.T) {
	for _, level := range []physics.DriveLevel{physics.WheelsDrive, physics.RollersDrive} {
		model := enginetest.Model()
		model.Step = 2 * time.Millisecond // also the substep of rollers, so there are no substeps
		model.Robots = []physics.Robot{enginetest.Robot(level, -1, 0, 0), enginetest.Robot(level, 1, 0, math.Pi)}
		for i := range model.Robots {
			model.Robots[i].Body.Length, model.Robots[i].Body.Width = 0.4, 0.3
		}
		meet := func() *rig {
			r := start(t, model)
			r.Commands[0].TwistB.VX, r.Commands[1].TwistB.VX = 1, 1
			return r
		}
		r, steps := meet(), 0
		for ; r.world.repeatedSteps() == 0 && steps < 2000; steps++ {
			r.Step()
		}
		if steps == 2000 {
			t.Fatalf("%s: the exact solver never gave up: find another model", level)
		}
		want := meet()
		for range steps - 1 {
			want.Step()
		}
		want.world.setPile(0)
		want.Step()
		for i := range r.S.Robots {
			got, want := &r.S.Robots[i], &want.S.Robots[i]
			must.Near(t, string(level)+": place", got.PoseWB.Pos.Sub(want.PoseWB.Pos).Len(), 0, 1e-12)
			must.Near(t, string(level)+": velocity", got.TwistWBInW.Lin.Sub(want.TwistWBInW.Lin).Len(), 0, 1e-9)
			must.Near(t, string(level)+": turn", got.TwistWBInW.Ang.Sub(want.TwistWBInW.Ang).Len(), 0, 1e-9)
		}
	}
}

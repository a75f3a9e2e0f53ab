//go:build cgo

package pipeline_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// footWorld returns a world with one humanoid, which is named a and has a sensor of its feet at a level.
func footWorld(t *testing.T, physicsEngine, drive, level string) *worlds.World {
	return simtest.Parse(t, fmt.Sprintf("name = 'feet'\nfield = 'hsl-9x6'\nball = false\nphysics = { engine = %q }\n"+
		"[[robot]]\nname = 'a'\nmodel = 'humanoid-kid'\ndrive = { level = %q }\n[[robot.sensor]]\nname = 'soles'\n"+
		"kind = 'feet'\nrate_hz = 200\nlevel = %q\n", physicsEngine, drive, level))
}

// The forces on the feet of a robot that stands add up to its weight within a percent, on each engine. The feet of a
// robot that walks carry it in turn. The feet of one that lies carry less.
func TestFeetCarryTheWeight(t *testing.T) {
	for _, x := range []struct{ engine, drive string }{{"mujoco", "joints"}, {"planar", "walk"}, {"mujoco", "walk"},
		{"ode", "walk"}, {"planar", "chassis"}, {"ode", "chassis"}, {"mujoco", "chassis"}} {
		t.Run(x.engine+" "+x.drive, func(t *testing.T) {
			w := footWorld(t, x.engine, x.drive, "truth")
			if e, err := engine.New(w.Model()); errors.Is(err, physics.ErrNoMuJoCo) {
				t.Skip(err)
			} else {
				must.Do(t, err)
				e.Close()
			}
			s := simtest.New(t, w, omnipitch.Options{})
			defer s.Close()
			var newest sensors.FeetReading
			var left, right, sums []float64 // left and right are the shares of frames on one foot
			walking := false
			s.On("a", "soles", func(o *sensors.Observation) {
				newest = *o.Reading.(*sensors.FeetReading)
				if f := newest.Force; walking {
					sums = append(sums, f[0]+f[1])
					left = append(left, share(f[0] > 0.95*(f[0]+f[1])))
					right = append(right, share(f[1] > 0.95*(f[0]+f[1])))
				}
			})
			s.RunFor(3 * time.Second)
			r := &w.Model().Robots[0]
			weight := r.Body.Mass * w.Model().Config.Gravity
			must.Near(t, "force of a robot that stands, N", newest.Force[0]+newest.Force[1], weight, 0.01*weight)
			must.Near(t, "force on the left foot, N", newest.Force[0], weight/2, 0.05*weight)
			cells := 0.0
			for k := range 4 {
				cells += newest.LeftCells[k] + newest.RightCells[k]
			}
			must.Near(t, "force on the cells, N", cells, weight, 0.01*weight)
			must.Near(t, "centre of pressure, m", newest.LeftPressure[0], newest.RightPressure[0], 0.005)
			if x.drive == "chassis" {
				return
			}
			walking = true
			s.Must(&action.Drive{Robot: "a", VX: 0.15})
			s.RunFor(2 * time.Second)
			left, right, sums = nil, nil, nil
			s.RunFor(4 * time.Second)
			must.Near(t, "mean force of a robot that walks, N", stat.Mean(sums, nil), weight, 0.02*weight)
			for _, on := range [][]float64{left, right} {
				if on := stat.Mean(on, nil); !(on > 0.25 && on < 0.5) {
					t.Errorf("on one foot during %.2f of the time: must be 0.25 to 0.5", on)
				}
			}
			s.Must(&action.Push{Name: "a", FY: 1.5 * r.Body.Mass / 0.1, For: 100 * time.Millisecond})
			s.RunFor(1500 * time.Millisecond)
			if f := newest.Force; !(f[0]+f[1] < 0.7*weight) {
				t.Errorf("the feet of a robot that lies carry %.1f N of %.1f N", f[0]+f[1], weight)
			}
		})
	}
}

func share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Cells have noise, an unknown scale and a resolution, and the forces and centres of pressure follow from the cells.
func TestFootCells(t *testing.T) {
	w := footWorld(t, "planar", "walk", "raw")
	s := simtest.New(t, w, omnipitch.Options{})
	defer s.Close()
	var cells [8][]float64
	s.On("a", "soles", func(o *sensors.Observation) {
		r := o.Reading.(*sensors.FeetReading)
		sum, ahead := 0.0, 0.0
		for k, f := range r.LeftCells {
			cells[k] = append(cells[k], f)
			cells[4+k] = append(cells[4+k], r.RightCells[k])
			sum += f
			ahead += f * []float64{-1, 1, 1, -1}[k]
			if off := math.Remainder(f, 0.01); !(math.Abs(off) < 1e-9) {
				t.Errorf("a cell measures %v N: must be a multiple of 0.01 N", f)
			}
		}
		must.Near(t, "force, N", r.Force[0], sum, 1e-9)
		feet, _ := w.Model().Robots[0].Feet()
		must.Near(t, "centre of pressure, m", r.LeftPressure[0], feet[0].Half[0]*ahead/sum, 1e-9)
		must.Near(t, "torque about y, N m", r.LeftTorque[1], -r.Force[0]*r.LeftPressure[0], 1e-9)
	})
	s.RunFor(5 * time.Second)
	feet, _ := w.Model().Robots[0].Feet()
	truth := s.Truth().Feet[0]
	share := truth.Pressure[0] / feet[0].Half[0]
	for k := range cells {
		ahead := []float64{-1, 1, 1, -1}[k%4]
		mean, sigma := stat.MeanStdDev(cells[k], nil)
		must.Near(t, "noise of a cell, N", sigma, 0.3, 0.04)
		must.Near(t, "mean of a cell, as a share", mean/(truth.Force*(1+ahead*share)/4), 1, 5*0.02+0.01)
	}
}

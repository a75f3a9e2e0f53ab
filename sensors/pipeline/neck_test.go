//go:build cgo

package pipeline_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// The joints of a humanoid's neck turn its camera as a head does: every mode works, on its feet and sliding.
func TestNeckTurnsTheCamera(t *testing.T) {
	for _, world := range []string{"humanoids", "humanoids-stand"} {
		t.Run(world, func(t *testing.T) {
			w := simtest.World(t, world, func(w *worlds.World) { w.Events = nil })
			for i := range w.Robots {
				if s := simtest.Sensor(t, w, w.Robots[i].Name, "camera"); i == 0 {
					vision := abstraction.DefaultVision()
					vision.MaxRange, vision.MissRate = 20, 0
					s.Level, s.Vision = abstraction.Objects, &vision
				} else {
					s.Level = abstraction.Truth
				}
			}
			w.Ball.X, w.Ball.Y = 0.7, -0.6
			sim := simtest.New(t, w, omnipitch.Options{})
			camera := sim.Camera("kid1", "camera")
			angle := func(joint string) float64 {
				return sim.Truth().Joints[w.Model().Robots[0].Joint(joint)].Position
			}
			mode := func(m sensors.HeadMode, d time.Duration) {
				t.Helper()
				sim.Must(&action.SetHeadMode{Robot: "kid1", Sensor: "camera", Mode: m})
				sim.Until(sim.Truth().Time + d)
			}
			const sag = 6 * math.Pi / 180 // of a servo that holds a head
			mode(sensors.HeadTrack, 5*time.Second)
			if du, dv := pixelOf(sim, camera, sim.Truth().Ball.PosW); !(math.Hypot(du, dv) <= 40) {
				t.Errorf("the ball is (%.0f, %.0f) pixels off the middle", du, dv)
			}
			mode(sensors.HeadDown, time.Second)
			must.Near(t, "pan ahead", angle("head_yaw"), 0, sag)
			must.Near(t, "tilt down", angle("head_pitch"), math.Pi/3, sag)
			mode(sensors.HeadUp, time.Second)
			must.Near(t, "tilt up", angle("head_pitch"), -math.Pi/4, sag)
			mode(sensors.HeadForward, time.Second)
			must.Near(t, "level tilt", angle("head_pitch"), 0, sag)
			low, high := 0., 0.
			sim.Must(&action.SetHeadMode{Robot: "kid1", Sensor: "camera", Mode: sensors.HeadScan})
			sim.Until(sim.Truth().Time+4*time.Second, func() {
				low, high = min(low, angle("head_yaw")), max(high, angle("head_yaw"))
			})
			must.Near(t, "leftmost pan", high, math.Pi/2, sag)
			must.Near(t, "rightmost pan", low, -math.Pi/2, sag)

			sim.Must(&action.LookAt{Robot: "kid1", Sensor: "camera", X: 1, Y: 0.3})
			sim.Until(sim.Truth().Time + time.Second)
			target := sim.Truth().Robots[0].PoseWB.Apply(mgl64.Vec3{1, 0.3, 0})
			if du, dv := pixelOf(sim, camera, target); !(math.Hypot(du, dv) <= 40) {
				t.Errorf("the point is (%.0f, %.0f) pixels off the middle", du, dv)
			}
			// The last command counts.
			sim.Must(&action.MoveJoints{Robot: "kid1", Joints: []string{"head_yaw"}, Positions: []float64{-1}})
			sim.Until(sim.Truth().Time + time.Second)
			must.Near(t, "pan by a command to the joint", angle("head_yaw"), -1, sag)
			must.Equal(t, camera.Head().Mode(), sensors.HeadHold, "mode of a released head")
		})
	}
}

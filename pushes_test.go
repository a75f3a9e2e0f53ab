//go:build cgo

package omnipitch_test

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Without gravity nothing rubs on the floor, so a push gives force·time/mass and torque·time/inertia. It begins and
// ends when it should, and StopPushes ends it.
func TestPushes(t *testing.T) {
	for _, engine := range []string{"ode", "planar"} {
		w := simtest.World(t, "nubot-attack")
		w.Physics.Engine, w.Physics.Gravity = engine, 0
		w.Obstacles = []worlds.Obstacle{{Name: "box", Looks: "box", Hull: physics.Obstacle{SizeX: 0.6, SizeY: 0.4,
			Height: 0.5, Mass: 12}, Pose: worlds.Pose{X: 4, Y: -5}}}
		sim := simtest.New(t, w, omnipitch.Options{})
		box := func() physics.ObstacleState { return sim.Truth().Obstacles[0] }
		sim.Must(&action.Place{Name: "ball", X: -3, Y: -5, Z: 1})
		sim.Must(&action.Push{Name: "box", FX: 6, FY: -3, TZ: 0.5, From: 100 * time.Millisecond,
			For: 200 * time.Millisecond})
		sim.Must(&action.Push{Name: "ball", FX: 0.5, TZ: 0.01, For: -1})
		sim.Steps(20)
		must.Near(t, engine+": speed before the push", box().TwistWOInW.Lin.Len(), 0, 1e-9)
		sim.Steps(40)
		const inertia = 12. / 12 * (0.6*0.6 + 0.4*0.4)
		check := func(when string) {
			must.Near(t, engine+": vx "+when, box().TwistWOInW.Lin[0], 6*0.2/12, 2e-3)
			must.Near(t, engine+": vy "+when, box().TwistWOInW.Lin[1], -3*0.2/12, 2e-3)
			must.Near(t, engine+": turn "+when, box().TwistWOInW.Ang[2], 0.5*0.2/inertia, 5e-3)
		}
		check("after the push")
		sim.Must(&action.StopPushes{Name: "ball"})
		v := sim.Truth().Ball.TwistInW
		ball := sim.World().Model().Ball
		// the air slows the ball by less than 3 %
		must.Near(t, engine+": ball's speed", v.Lin[0]*ball.Mass/(0.5*0.3), 1, 0.03)
		must.Near(t, engine+": ball's spin", v.Ang[2]*2/3*ball.Mass*ball.Radius*ball.Radius/(0.01*0.3), 1, 0.03)
		sim.Steps(40)
		check("200 ms later")
		if faster := sim.Truth().Ball.TwistInW.Lin[0]; !(faster <= v.Lin[0]) {
			t.Errorf("%s: the ball's speed grows from %v to %v after stop_pushes", engine, v.Lin[0], faster)
		}
		must.Refuse(0, sim.Do(&action.Push{Name: "nobody", For: 1}))(t, "there is no such robot or obstacle")
	}
}

package robotio

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

type (
	kickGoal   struct{ BallPos, Target msg.Vector3 }
	nothingYet struct{}
)

// A goal of action kick sends the ball to its target. It is aborted without a ball, and rejected if it asks for
// something that the robot cannot do.
func TestHumanoidKick(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {
		w.Robots[0].Pose, w.Obstacles = worlds.Pose{X: -3, Heading: 0.5}, nil
		w.Ball.X, w.Ball.Y = 2, 2
	})
	client := must.Get(ros1.NewActionClient[kickGoal, nothingYet, nothingYet](r.robot, "/cyan1/kick",
		"humanoid_league_msgs/KickAction", ros1.WallTime))(t)
	must.Do(t, client.WaitForServer(t.Context()))
	send := func(x, y float64) error {
		t.Helper()
		g := client.Send(&kickGoal{Target: msg.Vector3{X: x, Y: y}}, nil)
		done := make(chan error, 1)
		go func() {
			_, err := g.Wait(t.Context())
			done <- err
		}()
		r.until("the end of the goal", func() bool { return len(done) > 0 })
		return <-done
	}
	refused := func(what, want string, x, y float64) {
		t.Helper()
		must.Fail(t, send(x, y), "action /cyan1/kick: the goal was "+want, what)
	}
	refused("without a ball", "aborted: "+errNoBall.Error(), 3, 0)
	refused("to the side", "rejected: target_x_m = 2: with target_y_m = 2, must lie within 10° of straight ahead", 2, 2)
	refused("backwards", "rejected: target_x_m = -2", -2, 0)
	refused("nowhere", "rejected: target_x_m = 0", 0, 0)
	refused("not a number", "rejected: target.y = NaN: must be finite", 2, math.NaN())

	sin, cos := math.Sincos(0.5)
	r.do(&action.Place{Name: "ball", X: -3 + 0.4*cos, Y: 0.4 * sin})
	must.Do(t, send(3, 0.2))
	var v mgl64.Vec3 // velocity of the ball after the kick
	for _, s := range r.truth {
		if b := mgl64.Vec3(s.ballV); b.Len() > v.Len() {
			v = b
		}
	}
	must.Near(t, "direction of the ball", math.Atan2(v[1], v[0]), 0.5, 0.02)
	must.Near(t, "speed of the ball", v.Len(), math.Hypot(3, 0.2), 0.05) // it loses some in the first step
	r.do(&action.CutWires{Robot: "cyan1"})
	refused("without wires", "rejected: robot cyan1: its wires are cut", 3, 0)
	must.Equal(t, len(r.refused), 0, "refused messages")
}

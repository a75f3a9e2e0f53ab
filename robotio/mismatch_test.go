package robotio

import (
	"context"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// A publisher of another type on a command topic is reported, once even if all robots subscribe to the topic.
func TestMismatchedPublishersAreReported(t *testing.T) {
	r := newRig(t, nil)
	if n := len(r.sim.World().Robots); n < 2 {
		t.Fatalf("%d robots", n)
	}
	for _, topic := range []string{"/cyan1/nubotcontrol/velcmd", "/gazebo/set_model_state"} {
		advertise[msg.String](r, topic, "std_msgs/String")
		if e := <-r.mismatched; e.Topic != topic || e.Publisher != "/robot" || e.Type != "std_msgs/String" {
			t.Errorf("%+v", e)
		}
	}
	settle(r)
	must.Equal(t, len(r.mismatched), 0, "reports of the same again")
}

// While a run waits for a robot, it reports that there is a publisher of another type.
func TestWaitingTellsOfMismatchedPublishers(t *testing.T) {
	for _, c := range []struct {
		topic, typ string
		order      timesync.Order
	}{
		{"/cyan1/cmd_vel", "geometry_msgs/Twist", timesync.OrderAnswers},
		{"/cyan1/ack", "std_msgs/Header", timesync.OrderAll},
	} {
		r := newRig(t,
			func(w *worlds.World) { waitFor(w, "cyan1", func(wait *timesync.WaitFor) { wait.Order = c.order }) })
		advertise[msg.String](r, c.topic, "std_msgs/String")
		ctx, cancel := context.WithCancel(t.Context())
		run := r.lockstep(ctx, time.Second)
		want := c.topic + " (/robot publishes std_msgs/String, here it is " + c.typ + ")"
		must.Until(t, want, func() bool { return run.said(want) })
		cancel()
		run.ended(t)
	}
}

package robotio

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// A publisher of another type on a topic of commands is reported, once also where all robots take the topic.
func TestMismatchedPublishersAreReported(t *testing.T) {
	r := newRig(t, nil)
	if n := len(r.sim.World().Robots); n < 2 {
		t.Fatalf("%d robots", n)
	}
	for _, topic := range []string{"/cyan1/nubotcontrol/velcmd", "/gazebo/set_model_state"} {
		if _, err := ros1.Advertise[msg.String](r.robot, topic, "std_msgs/String", ros1.PubOptions{}); err != nil {
			t.Fatal(err)
		}
		if e := <-r.mismatched; e.Topic != topic || e.Publisher != "/robot" || e.Type != "std_msgs/String" {
			t.Errorf("%+v", e)
		}
	}
	settle(r)
	if len(r.mismatched) != 0 {
		t.Errorf("reported again: %v", <-r.mismatched)
	}
}

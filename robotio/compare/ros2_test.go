package compare

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

const profileText2 = `
ros = [2]
[[publish]]
topic = "a"
type = "std_msgs/Bool"
from = "robot"
[[publish]]
topic = "b"
type = "std_msgs/Bool"
from = "robot"
[[publish]]
topic = "missing"
type = "std_msgs/Bool"
from = "robot"
[[publish]]
topic = "odd"
type = "std_msgs/Bool"
from = "robot"
[[publish]]
topic = "lossy"
type = "std_msgs/Bool"
from = "robot"
period_ms = 50
[[subscribe]]
topic = "cmd_vel"
type = "geometry_msgs/Twist"
do.drive = { vx = "linear.x" }
[[service]]
name = "kick"
type = "std_srvs/Trigger"
do.kick = { way = { text = "flat" } }
[[service]]
name = "steps"
type = "simulation_interfaces/SimulateSteps"
`

// A system of ROS 2 is compared by what its endpoints say: types, and whether their QoS lets them connect.
func TestROS2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.toml")
	must.Do(t, os.WriteFile(path, []byte(profileText2), 0o600))
	p := must.Get(mapping.Compile(must.Get(mapping.LoadFor(msg.ROS2, path))(t)))(t)
	w := must.Get(worlds.Parse("w.toml", []byte(strings.ReplaceAll(worldText, "ros1 =", "ros2 =")+"\n")))(t)
	for i := range w.Robots {
		w.Robots[i].ROS2.Profiles = []string{path}
	}
	domain := must.Domain(t)
	node := func(name string) *ros2.Node {
		c := must.Get(ros2.Open(ros2.Config{Domain: domain}))(t)
		t.Cleanup(func() { c.Close() })
		return must.Get(c.NewNode(name))(t)
	}
	sim, robot := node("/sim"), node("/robot")
	publish := func(topic, typ string, o ros2.PubOptions) {
		def := must.Get(sim.MessageType(typ))(t)
		must.Get(ros2.AdvertiseRaw(sim, topic, def, o))(t)
	}
	subscribe := func(n *ros2.Node, topic, typ string) {
		def := must.Get(n.MessageType(typ))(t)
		must.Get(ros2.SubscribeAs(n, topic, def, ros2.QoS{Reliable: true}, func([]byte) error { return nil }))(t)
	}
	publish("/cyan1/a", "std_msgs/Bool", ros2.PubOptions{})
	publish("/cyan1/b", "std_msgs/Bool", ros2.PubOptions{})
	publish("/cyan1/odd", "std_msgs/String", ros2.PubOptions{})
	publish("/cyan1/lossy", "std_msgs/Bool", ros2.PubOptions{BestEffort: true})
	subscribe(robot, "/cyan1/a", "std_msgs/Bool")
	subscribe(robot, "/cyan1/lossy", "std_msgs/Bool")
	subscribe(sim, "/cyan1/cmd_vel", "geometry_msgs/Twist")
	must.Get(ros2.Serve(sim, "/cyan1/kick", "std_srvs/Trigger",
		func(context.Context, *msg.TriggerRequest) (*msg.TriggerResponse, error) {
			return &msg.TriggerResponse{}, nil
		}))(t)
	def := must.Get(sim.ActionType("simulation_interfaces/SimulateSteps"))(t)
	must.Get(ros2.ServeActionRaw(sim, "/cyan1/steps", def, func() (now msg.Time) { return now }, nil))(t)
	for _, of := range []*worlds.World{nil, w} {
		var r *Report
		must.Until(t, "the graph", func() bool {
			var err error
			r, err = Run(t.Context(), node("/compare"), Options{Profile: p, World: of, Robots: []string{"cyan1"},
				For: 10 * time.Millisecond})
			return err == nil && row(t, r, "/cyan1/a", Publishes).Verdict == OK &&
				row(t, r, "/cyan1/lossy", Publishes).Found.To != nil && row(t, r, "/cyan1/kick", Serves).Found.By != nil
		})
		for _, c := range []struct {
			name    string
			side    Side
			verdict Verdict
			detail  string
		}{
			{"a", Publishes, OK, ""},
			{"b", Publishes, NobodyListens, ""},
			{"missing", Publishes, Missing, ""},
			{"odd", Publishes, OtherType, "/sim publishes std_msgs/String, where std_msgs/Bool is expected"},
			{"lossy", Publishes, OtherQoS,
				"/robot does not connect to /sim: it asks for reliable messages, which best effort is not"},
			{"cmd_vel", Subscribes, NobodyPublishes, ""},
			{"kick", Serves, OK, ""},
			{"steps/_action/send_goal", Serves, OK, ""},
		} {
			if got := row(t, r, "/cyan1/"+c.name, c.side); got.Verdict != c.verdict ||
				!strings.Contains(strings.Join(got.Details, "\n"), c.detail) {
				t.Errorf("%s: %+v, want %s %s", c.name, got, c.verdict, c.detail)
			}
		}
	}
}

package robotio

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// acting is a profile in which a message of each topic causes one action.
const acting = `types = ["std"]
[[subscribe]]
topic = "/place"
type = "geometry_msgs/Twist"
for = "world"
do.place = { name = { text = "ball" }, x = "linear.x", y = "linear.y", vx = "angular.x", vy = "angular.y" }
[[subscribe]]
topic = "kick"
type = "geometry_msgs/Twist"
do.kick = { way = { text = "flat" }, speed = "linear.x" }
[[subscribe]]
topic = "dribble"
type = "geometry_msgs/Twist"
do.dribble = { enable = "linear.x" }
[[subscribe]]
topic = "level"
type = "std_msgs/String"
for = "camera"
do.set_level = { level = "data" }
[[subscribe]]
topic = "aim"
type = "geometry_msgs/Twist"
for = "camera"
do.aim_head = { pan = "angular.z", tilt = "angular.y" }
[[subscribe]]
topic = "/command"
type = "std_msgs/String"
for = "world"
do.game_command = { command = "data" }
`

// A message has the same effect as the same action in Go. The states after the step that applies it, and after later
// steps, are bit-identical.
func TestMessagesDoWhatGoDoes(t *testing.T) {
	file := must.File(t, "acting.toml", acting)
	twist := func(x, y, wx, wy, wz float64) *msg.Twist {
		return &msg.Twist{Linear: msg.Vector3{X: x, Y: y}, Angular: msg.Vector3{X: wx, Y: wy, Z: wz}}
	}
	change := func(w *worlds.World) {
		before(w)
		w.Robots = w.Robots[:1]
		w.Robots[0].ROS1.Profiles = []string{file}
		front, _ := w.Sensor("cyan1", "front")
		front.Head = &sensors.HeadConfig{}
		front.Head.SetDefaults()
		w.Events = []worlds.Event{{Choice: action.Choice{Dribble: &action.Dribble{Robot: "cyan1", Enable: true}}}}
	}
	for topic, c := range map[string]struct {
		message any
		same    action.Action
	}{
		"/place": {twist(2, 1, 3, -1, 0), &action.Place{Name: "ball", X: 2, Y: 1, VX: 3, VY: -1}},
		"/cyan1/kick": {twist(4, 0, 0, 0, 0), &action.Kick{Robot: "cyan1", Way: "flat", Speed: 4, Limit: 100,
			Now: true}},
		"/cyan1/dribble": {twist(0, 0, 0, 0, 0), &action.Dribble{Robot: "cyan1"}},
		"/cyan1/level": {&msg.String{Data: "objects"}, &action.SetLevel{Robot: "cyan1", Sensor: "front",
			Level: abstraction.Objects}},
		"/cyan1/aim": {twist(0, 0, 0, 0.2, 1), &action.AimHead{Robot: "cyan1", Sensor: "front", Pan: 1, Tilt: 0.2}},
		"/command":   {&msg.String{Data: "stop"}, &action.GameCommand{Command: "stop"}},
	} {
		r := newRig(t, change)
		w := *r.sim.World()
		plain := must.Get(omnipitch.New(&w, omnipitch.Options{}))(t)
		both := func(n int) {
			t.Helper()
			for range n {
				for _, s := range []*omnipitch.Sim{r.sim, plain} {
					must.Do(t, s.Step())
				}
			}
		}
		both(40)
		send(t, r, topic, c.message)
		do := func(time.Duration) {
			if err := plain.Do(c.same); err != nil {
				t.Errorf("%s: %v", topic, err)
			}
		}
		if action.Anytime(c.same) {
			do(0)
		} else {
			plain.Clock().After(0, do)
		}
		for range 100 {
			both(1)
			heads := [2][2]float64{}
			for i, s := range []*omnipitch.Sim{r.sim, plain} {
				camera, _ := s.Sensors().Camera("cyan1", "front")
				heads[i][0], heads[i][1] = camera.Head().Angles()
			}
			level, _ := r.sim.Sensors().Level("cyan1", "front")
			same, _ := plain.Sensors().Level("cyan1", "front")
			if r.sim.Truth().Hash() != plain.Truth().Hash() || heads[0] != heads[1] || level != same ||
				r.sim.Match().Game() != plain.Match().Game() {
				t.Errorf("%s: a message does something else than Go, at %v", topic, r.sim.Truth().Time)
				break
			}
		}
		plain.Close()
	}
}

// send publishes a message and returns once the simulation has received it.
func send(t *testing.T, r *rig, topic string, message any) {
	t.Helper()
	taken := func() (n uint64) {
		for _, row := range r.bridge.Topics() {
			if row.Taken && row.Topic == topic {
				n += row.Messages
			}
		}
		return n
	}
	var publish func()
	var connected func() int
	switch m := message.(type) {
	case *msg.Twist:
		p := advertise[msg.Twist](r, topic, "geometry_msgs/Twist")
		publish, connected = func() { p.Publish(m) }, p.NumSubscribers
	case *msg.String:
		p := advertise[msg.String](r, topic, "std_msgs/String")
		publish, connected = func() { p.Publish(m) }, p.NumSubscribers
	}
	must.Until(t, topic+" to be connected", func() bool { return connected() > 0 })
	publish()
	must.Until(t, topic+" to be taken", func() bool { return taken() > 0 })
}

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
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

const profileText = `
types = ["nubot"]
[params]
"/general/scale" = 0.5
"/cyan/num" = { number = "cyan.robots" }
"/list" = [1, 2]
[[publish]]
topic = "holding"
type = "std_msgs/Bool"
from = "robot"
period_ms = 20
[[publish]]
topic = "driver/odoinfo"
type = "nubot_common/OdoInfo"
from = "odometry"
[[publish]]
topic = "/tf"
type = "tf2_msgs/TFMessage"
from = "odometry"
[[publish]]
topic = "/tf"
type = "tf2_msgs/TFMessage"
from = "robot"
period_ms = 1000
[[publish]]
topic = "{sensor}/image_raw"
type = "sensor_msgs/Image"
from = "omni"
levels = ["raw"]
[[subscribe]]
topic = "velcmd"
type = "nubot_common/VelCmd"
do.drive = { vx = "Vx" }
[[subscribe]]
topic = "cmd_vel"
type = "geometry_msgs/Twist"
do.drive = { vx = "linear.x" }
[[subscribe]]
topic = "/{team.prefix}/coach"
type = "std_msgs/Bool"
do.dribble = { enable = "data" }
[[service]]
name = "Shoot"
type = "nubot_common/Shoot"
do.kick = { way = { text = "flat" } }
[[call]]
service = "/DribbleId"
type = "nubot_common/BallHandle"
from = "world"
on = "holder.agent"
`

const worldText = `
name = "w"
[[robot]]
name = "cyan1"
model = "nubot"
ros1 = { profiles = ["PROFILE"] }
[[robot.sensor]]
name = "omni"
level = "objects"
[[robot]]
name = "cyan2"
model = "nubot"
pose = { x_m = 2 }
ros1 = { profiles = ["PROFILE"] }
[[robot]]
name = "other"
model = "nubot"
pose = { x_m = 4 }
`

// bench is a master with what a simulator and robots would have there.
type bench struct {
	t       *testing.T
	uri     string
	profile *mapping.Compiled
	world   *worlds.World
	types   *msg.Library
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, profileText)
}

func newBenchWith(t *testing.T, profileText string) *bench {
	t.Helper()
	m := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { m.Close() })
	path := filepath.Join(t.TempDir(), "p.toml")
	must.Do(t, os.WriteFile(path, []byte(profileText), 0o600))
	p := must.Get(mapping.Compile(must.Get(mapping.Load(path))(t)))(t)
	w := must.Get(worlds.Parse("w.toml", []byte(strings.ReplaceAll(worldText, "PROFILE", path))))(t)
	return &bench{t, m.URI(), p, w, must.Get(msg.Load("nubot"))(t)}
}

func (b *bench) node(name string) *ros1.Node {
	b.t.Helper()
	n := must.Get(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: b.uri}))(b.t)
	b.t.Cleanup(func() { n.Close() })
	return n
}

func (b *bench) publish(n *ros1.Node, topic string, def *msg.Definition) *ros1.RawPublisher {
	b.t.Helper()
	return must.Get(ros1.AdvertiseRaw(n, topic, def, ros1.PubOptions{Queue: 1000}))(b.t)
}

// flow is a topic that comes at a rate of sim time, Hz.
type flow struct {
	pub  *ros1.RawPublisher
	rate float64
}

// deadline is the longest time for which a test measures. A guess.
const deadline = 30 * time.Second

// stepTime is the step of the test's simulator, sim time; a wall millisecond each, so that rates do not follow from how
// busy the machine is.
const stepTime = 5 * time.Millisecond

// run has a simulator step: a clock, and messages at their rates.
func (b *bench) run(n *ros1.Node, flows []flow) {
	b.t.Helper()
	clock := must.Get(ros1.Advertise[msg.Clock](n, "/clock", "rosgraph_msgs/Clock", ros1.PubOptions{Queue: 1000}))(b.t)
	done := make(chan struct{})
	b.t.Cleanup(func() { close(done) })
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for now := stepTime; ; now += stepTime {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			for _, f := range flows {
				if now%time.Duration(1e9/f.rate) == 0 {
					f.pub.Publish(make([]byte, f.pub.Def().MinSize))
				}
			}
			clock.Publish(&msg.Clock{Clock: msg.Time{Sec: uint32(now / time.Second), Nsec: uint32(now % time.Second)}})
		}
	}()
}

// repeat publishes empty messages of each publisher until the test ends.
func (b *bench) repeat(pubs ...*ros1.RawPublisher) {
	done := make(chan struct{})
	b.t.Cleanup(func() { close(done) })
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			for _, p := range pubs {
				p.Publish(make([]byte, p.Def().MinSize))
			}
		}
	}()
}

func (b *bench) message(name string) *msg.Definition {
	b.t.Helper()
	return must.Get(b.types.Message(name))(b.t)
}

func (b *bench) subscribe(n *ros1.Node, topic, typ string) {
	b.t.Helper()
	must.Get(ros1.SubscribeAs(n, topic, b.message(typ), func([]byte) error { return nil }))(b.t)
}

// simulator sets up what the profile has for robots in namespaces, holding at a rate.
func (b *bench) simulator(rate float64, namespaces ...string) *ros1.Node {
	b.t.Helper()
	n := b.node("/simulator")
	var flows []flow
	odometry, _ := b.world.Sensor("cyan1", "odometry")
	for _, ns := range namespaces {
		flows = append(flows, flow{b.publish(n, ns+"/holding", b.message("std_msgs/Bool")), rate},
			flow{b.publish(n, ns+"/driver/odoinfo", b.message("nubot_common/OdoInfo")), odometry.Rate})
		b.publish(n, ns+"/omni/image_raw", b.message("sensor_msgs/Image"))
		b.subscribe(n, ns+"/velcmd", "nubot_common/VelCmd")
		b.subscribe(n, ns+"/cmd_vel", "geometry_msgs/Twist")
		must.Get(ros1.Serve(n, ns+"/Shoot", "nubot_common/Shoot",
			func(context.Context, *msg.ShootRequest) (*msg.ShootResponse, error) {
				return &msg.ShootResponse{}, nil
			}))(b.t)
	}
	flows = append(flows, flow{b.publish(n, "/tf", b.message("tf2_msgs/TFMessage")), 200}) // of all together
	b.subscribe(n, "/cyan/coach", "std_msgs/Bool")
	for name, v := range map[string]any{"/general/scale": 0.5, "/cyan/num": len(namespaces) + 1,
		"/list": []any{1, 2.0}} {
		must.Do(b.t, n.SetParam(name, v))
	}
	b.run(n, flows)
	return n
}

func (b *bench) compare(opts Options) *Report {
	b.t.Helper()
	opts.Profile = b.profile
	if opts.For == 0 {
		opts.For = 300 * time.Millisecond
	}
	return must.Get(Run(b.t.Context(), b.node("/compare"), opts))(b.t)
}

// row returns the row of a name and a side, and fails without it.
func row(t *testing.T, r *Report, name string, side Side) Row {
	t.Helper()
	for _, row := range r.Rows {
		if row.Name == name && row.Side == side {
			return row
		}
	}
	t.Fatalf("no row of %s (%s) in %+v", name, side, r.Rows)
	return Row{}
}

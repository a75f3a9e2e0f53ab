package robotio

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
)

// newROS2Node starts a node in a context of its own.
func newROS2Node(t testing.TB, domain int, name string) *ros2.Node {
	t.Helper()
	c := must.Get(ros2.Open(ros2.Config{Domain: domain}))(t)
	t.Cleanup(func() { c.Close() })
	return must.Get(c.NewNode(name))(t)
}

// TestBridgeToROS2 runs a robot's program over ROS 2: it follows the clock, receives an image and odometry, drives the
// robot, and pauses the simulation.
func TestBridgeToROS2(t *testing.T) {
	w := simtest.World(t, "nubot-attack")
	sim := simtest.New(t, w, omnipitch.Options{Renderer: "tile"})
	domain := must.Domain(t)
	bridge := must.Get(NewBridge(sim.Sim, newROS2Node(t, domain, "/omnipitch"), Options{
		Refused: func(err error) { t.Error(err) }}))(t)
	t.Cleanup(func() { bridge.Close() })
	robot := newROS2Node(t, domain, "/cyan1/program")

	var clock, odoms, images atomic.Int64
	var twist atomic.Uint64
	must.Get(ros2.Subscribe(robot, "/clock", "rosgraph_msgs/Clock",
		func(m *msg.Clock) { clock.Store(int64(m.Clock.Since())) }))(t)
	must.Get(ros2.Subscribe(robot, "odom", "nav_msgs/Odometry", func(m *msg.Odometry) {
		odoms.Add(1)
		twist.Store(math.Float64bits(m.Twist.Twist.Linear.X))
	}))(t)
	must.Get(ros2.Subscribe(robot, "omni/image_raw", "sensor_msgs/Image", func(m *msg.Image) {
		if len(m.Data) == int(m.Height*m.Step) && m.Height > 0 {
			images.Add(1)
		}
	}))(t)
	drive := must.Get(ros2.Advertise[msg.Twist](robot, "cmd_vel", "geometry_msgs/Twist", ros2.PubOptions{}))(t)
	level := must.Get(ros2.Subscribe(robot, "omni/level", "std_msgs/String", func(*msg.String) {}))(t)
	must.Until(t, "the bridge's topics",
		func() bool { return drive.NumSubscribers() == 1 && level.NumPublishers() == 1 })

	run, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := sim.Run(run, omnipitch.Pace{})
		done <- err
	}()
	must.Until(t, "an image, odometry at 0.5 m/s and the clock", func() bool {
		drive.Publish(&msg.Twist{Linear: msg.Vector3{X: 0.5}})
		return images.Load() > 0 && odoms.Load() > 0 && clock.Load() > int64(time.Second) &&
			math.Abs(math.Float64frombits(twist.Load())-0.5) < 0.1
	})
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	answer, err := ros2.Call[msg.SetBoolRequest, msg.SetBoolResponse](ctx, robot, "/simulation/pause",
		"std_srvs/SetBool", &msg.SetBoolRequest{Data: true})
	if err != nil || !answer.Success || !sim.Clock().Paused() {
		t.Errorf("pause: %v, %v, paused %v", answer, err, sim.Clock().Paused())
	}
	stepped, err := ros2.Call[msg.TriggerRequest, msg.TriggerResponse](ctx, robot, "/simulation/step",
		"std_srvs/Trigger", &msg.TriggerRequest{})
	if err != nil || !stepped.Success || !strings.Contains(stepped.Message, "sim time") {
		t.Errorf("step: %+v, %v", stepped, err)
	}
	set := must.Get(robot.ServiceType("rcl_interfaces/SetParameters"))(t)
	for _, c := range []struct{ name, value, reason string }{
		{"cyan1.omni.level", "pose", "pose"}, // a camera has no such level
		{"cyan1.omni.level", "truth", ""},
		{"speed", "max", ""},
	} {
		r := callJSON(ctx, t, robot, "/omnipitch/set_parameters", set, fmt.Sprintf(
			`{"parameters": [{"name": %q, "value": {"type": 4, "string_value": %q}}]}`, c.name, c.value))
		if want := fmt.Sprintf(`{"results":[{"successful":%v,"reason":"`, c.reason == ""); !strings.HasPrefix(r, want) ||
			!strings.Contains(r, c.reason) {
			t.Errorf("%s = %s: %s, want reason %q", c.name, c.value, r, c.reason)
		}
	}
	must.Equal(t, must.Get(sim.Sensors().Level("cyan1", "omni"))(t), abstraction.Truth, "level")
	must.Equal(t, sim.Clock().Factor().Speed.String(), "max", "speed")
	stop()
	must.Do(t, <-done)
}

// callJSON calls a service with a request in JSON, and returns the response in JSON.
func callJSON(ctx context.Context, t *testing.T, n *ros2.Node, name string, def *msg.ServiceDefinition,
	request string) string {
	t.Helper()
	ask, answer, err := dynamic.CompileService(def)
	must.Do(t, err)
	b := must.Get(ask.AppendROS(nil, []byte(request), msg.Time{}))(t)
	b = must.Get(ros2.CallRaw(ctx, n, name, def, b))(t)
	return string(must.Get(answer.AppendJSON(nil, b))(t))
}

// TestHeardOverROS2 checks that the messages of a robot's program reach conditions and viewers of beliefs.
func TestHeardOverROS2(t *testing.T) {
	w := simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Truth))
	topics := NewTopics()
	sim := simtest.New(t, w, omnipitch.Options{Topics: topics})
	domain := must.Domain(t)
	c := must.Get(ros2.Open(ros2.Config{Domain: domain}))(t)
	t.Cleanup(func() { c.Close() })
	bridge := must.Get(NewBridge(sim.Sim, must.Get(c.NewNode("/omnipitch"))(t), Options{Topics: topics,
		Refused: func(err error) { t.Error(err) }}))(t)
	t.Cleanup(func() { bridge.Close() })
	beliefs := NewBeliefs(bridge, func(wire.Node) (wire.Node, error) { return c.NewNode("/beliefs") },
		func(err error) { t.Error(err) })
	t.Cleanup(func() { beliefs.Close() })
	robot := newROS2Node(t, domain, "/cyan1/program")

	var heard must.List[float64]
	topics.Subscribe("/cyan1/pose", []string{"pose.position.x"}, func(m *condition.Message) {
		heard.Add(m.Values[0].Number)
	})
	said := must.Get(ros2.Advertise[msg.PoseStamped](robot, "pose", "geometry_msgs/PoseStamped", ros2.PubOptions{}))(t)
	m := &msg.PoseStamped{Header: msg.Header{FrameID: "map"}}
	m.Pose.Position.X, m.Pose.Orientation.W = 1.25, 1
	must.Until(t, "the condition's message and the belief", func() bool {
		m.Header.Stamp = msg.TimeFrom(sim.Clock().Time())
		said.Publish(m)
		sim.Steps(1)
		all := beliefs.Beliefs()
		return slices.Contains(heard.All(), 1.25) && len(all) == 1 && all[0].Name == "cyan1" && all[0].Pose != nil
	})
	graph := must.Get(bridge.Graph(t.Context(), beliefs))(t)
	i := slices.IndexFunc(graph, func(g GraphTopic) bool { return g.Name == "/cyan1/pose" })
	if i < 0 || !slices.Equal(graph[i].Publishers, []string{"/cyan1/program"}) || !graph[i].Measured {
		t.Errorf("topics of the graph: %+v", graph)
	}
}

// TestRadioOverBothVersions checks that what a robot's program says over one version of ROS reaches teammates on the
// same version alone: the other one has another encoding.
func TestRadioOverBothVersions(t *testing.T) {
	r := newRigIn(t, withRadios(t), omnipitch.Options{})
	domain := must.Domain(t)
	bridge := must.Get(NewBridge(r.sim, newROS2Node(t, domain, "/omnipitch"), Options{Beside: r.bridge,
		Refused: r.refuse}))(t)
	t.Cleanup(func() { bridge.Close() })
	robot := newROS2Node(t, domain, "/program")
	var raw [2]must.List[string] // by version
	must.Get(ros1.SubscribeRaw(r.robot, "/cyan2/radio/cyan1/plan",
		func(_ *ros1.Source, b []byte) { raw[0].Add(string(b)) }))(t)
	sub := must.Get(ros2.SubscribeRaw(robot, "/cyan2/radio/cyan1/plan",
		func(_ *ros2.Source, b []byte) { raw[1].Add(string(b)) }))(t)
	plan1 := advertise[msg.String](r, "/cyan1/plan", "std_msgs/String")
	plan2 := must.Get(ros2.Advertise[msg.String](robot, "/cyan1/plan", "std_msgs/String", ros2.PubOptions{}))(t)
	heard := func(i int, text string) bool {
		return slices.ContainsFunc(raw[i].All(), func(b string) bool { return strings.Contains(b, text) })
	}
	r.until("both to hear their own version", func() bool {
		if plan1.NumSubscribers()+plan2.NumSubscribers() == 2 && sub.NumPublishers() == 1 {
			plan1.Publish(&msg.String{Data: "by one"})
			plan2.Publish(&msg.String{Data: "by two"})
		}
		return heard(0, "by one") && heard(1, "by two")
	})
	r.until("a while", after(r, 200*time.Millisecond))
	if heard(0, "by two") || heard(1, "by one") {
		t.Errorf("ROS 1 has heard %q, and ROS 2 %q", raw[0].All(), raw[1].All())
	}
}

// TestActionOverROS2 sends goals of an action of a profile: they are rejected, aborted, or kick the ball.
func TestActionOverROS2(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"msgs/team_msgs/action/Kick.action": "geometry_msgs/Vector3 target\n---\nbool kicked\n---\n",
		"team.toml": "ros = [2]\ntypes = [\"./msgs\"]\n[[service]]\nname = \"kick\"\ntype = \"team_msgs/Kick\"\n" +
			"do.kick = { way = { text = \"flat\" }, to_target = 1, target_x = \"target.x\", target_y = \"target.y\", " +
			"reach = 0.45, reach_angle = 0.5 }\n" +
			"answer.kicked = \"answer.kicked\"\n",
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	w := simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Truth), func(w *worlds.World) {
		w.Robots[0].ROS2.Profiles = []string{filepath.Join(dir, "team.toml")}
		w.Robots[0].Pose, w.Ball.X, w.Ball.Y = worlds.Pose{X: -3}, 3, 3
	})
	sim := simtest.New(t, w, omnipitch.Options{})
	domain := must.Domain(t)
	bridge := must.Get(NewBridge(sim.Sim, newROS2Node(t, domain, "/omnipitch"), Options{
		Refused: func(err error) { t.Error(err) }}))(t)
	t.Cleanup(func() { bridge.Close() })
	robot := newROS2Node(t, domain, "/cyan1/program")
	types := must.Get(msg.LoadROS2("jazzy"))(t)
	must.Do(t, types.AddFS(os.DirFS(filepath.Join(dir, "msgs"))))
	def := must.Get(types.ROS2Action("team_msgs/Kick"))(t)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := sim.Run(ctx, omnipitch.Pace{})
		done <- err
	}()
	call := func(name string, def *msg.ServiceDefinition, request string) string {
		t.Helper()
		return callJSON(ctx, t, robot, "kick/_action/"+name, def, request)
	}
	send := func(id byte, x float64) (accepted, result string) {
		goal := fmt.Sprintf(`{"goal_id": {"uuid": %q}`, base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{id}, 16)))
		return call("send_goal", def.SendGoal, fmt.Sprintf(`%s, "goal": {"target": {"x": %g}}}`, goal, x)),
			call("get_result", def.GetResult, goal+"}")
	}
	for i, c := range []struct {
		x              float64
		ball           bool
		accepted, want string
	}{
		{3, false, `"accepted":true`, `{"status":6,"result":{"kicked":false}}`},
		{-2, false, `"accepted":false`, `{"status":0,"result":{"kicked":false}}`},
		{3, true, `"accepted":true`, `{"status":4,"result":{"kicked":true}}`},
	} {
		if c.ball {
			must.Do(t, sim.Do(&action.Place{Name: "ball", X: -2.6}))
		}
		accepted, result := send(byte(i+1), c.x)
		if !strings.Contains(accepted, c.accepted) || result != c.want {
			t.Errorf("goal %d: %s, %s, want %s, %s", i, accepted, result, c.accepted, c.want)
		}
	}
	cancel()
	<-done
}

// TestLockstepOverROS2 lets two programs on CycloneDDS drive their robots in lockstep, twice. Both runs must be the
// same to the last bit.
func TestLockstepOverROS2(t *testing.T) {
	first, second := lockstepOverROS2(t), lockstepOverROS2(t)
	if first.Hash != second.Hash || first.Steps != second.Steps {
		t.Errorf("state %x after %d steps, and %x after %d", first.Hash, first.Steps, second.Hash, second.Steps)
	}
}

func lockstepOverROS2(t *testing.T) *omnipitch.Report {
	t.Helper()
	w := simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Truth), func(w *worlds.World) {
		waitFor(w, "cyan1", nil)
		waitFor(w, "magenta1", nil)
	})
	sim := simtest.New(t, w, omnipitch.Options{})
	domain := must.Domain(t)
	bridge := must.Get(NewBridge(sim.Sim, newROS2Node(t, domain, "/omnipitch"), Options{
		Refused: func(err error) { t.Error(err) }}))(t)
	defer bridge.Close()
	for i := range w.Robots {
		defer ddspeer.Start(t, "drive", domain, w.Robots[i].Name).Kill()
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	report := must.Get(sim.Run(ctx, omnipitch.Pace{For: 2 * time.Second, Speed: timesync.Lockstep,
		Notify: func(line string) { t.Log(line) }}))(t)
	for i := range w.Robots {
		if v := sim.Truth().Robots[i].TwistWBInB(); !(math.Hypot(v.VX, v.VY) > 0.1) {
			t.Errorf("%s moves at %v", w.Robots[i].Name, v)
		}
	}
	return report
}

func TestMain(m *testing.M) { ddspeer.Main(m) }

// echoOf subscribes to what a peer has received on a topic, decoded and sent back. It returns the messages so far.
func echoOf[T any](t *testing.T, n *ros2.Node, topic, typ string, latched bool) func() []T {
	t.Helper()
	codec := must.Get(msg.Compile[T](must.Get(n.MessageType(typ))(t)))(t)
	var got must.List[T]
	qos := ros2.QoS{Reliable: true, TransientLocal: latched, Depth: 1000}
	must.Get(ros2.SubscribeAs(n, topic+"_back", codec.Def(), qos,
		codec.Handler(func() *T { return new(T) }, func(m *T) { got.Add(*m) })))(t)
	return got.All
}

// TestPeersReceiveTopicsOfRobots checks that other implementations of DDS decode the map and a robot's description,
// which were published before they came, and joint states and sound at their rates.
func TestPeersReceiveTopicsOfRobots(t *testing.T) {
	for _, kind := range []string{"cyclone", "fastdds"} {
		t.Run(kind, func(t *testing.T) {
			w := simtest.Parse(t, `
name = "place"
field = false
ball = false
[[box]]
name = "shelf"
pose = { x_m = 2, y_m = 1 }
size_m = [1, 0.4, 1.8]
[[robot]]
name = "scout"
model = "scout"
ros1.profiles = ["standard", "map-server"]
[[robot.sensor]]
name = "ear"
kind = "microphone"
level = "raw"
`)
			sim := simtest.New(t, w, omnipitch.Options{Renderer: "tile"})
			domain := must.Domain(t)
			bridge := must.Get(NewBridge(sim.Sim, newROS2Node(t, domain, "/omnipitch"), Options{
				Refused: func(err error) { t.Error(err) }}))(t)
			t.Cleanup(func() { bridge.Close() })
			sim.Steps(2) // publishes the latched topics
			n := newROS2Node(t, domain, "/back")

			joints := echoOf[msg.JointState](t, n, "/scout/joint_states", "sensor_msgs/JointState", false)
			sounds := echoOf[struct{ Data []byte }](t, n, "/scout/ear/audio", "audio_common_msgs/AudioData", false)
			late := ddspeer.Start(t, kind, "echo", domain, 1, 1, "typehash=x;",
				"rt/map", "nav_msgs::msg::dds_::OccupancyGrid_", "iisiiiii7d(b)",
				"rt/scout/robot_description", "std_msgs::msg::dds_::String_", "s")
			ddspeer.Start(t, kind, "echo", domain, 1, 0, "typehash=x;",
				"rt/scout/joint_states", "sensor_msgs::msg::dds_::JointState_", "iis(s)(d)(d)(d)",
				"rt/scout/ear/audio", "audio_common_msgs::msg::dds_::AudioData_", "(b)")
			must.Until(t, "the latched messages", func() bool { return len(late.Starting("echoed ")) == 2 })
			maps := echoOf[occupancyGrid](t, n, "/map", "nav_msgs/OccupancyGrid", true)
			descriptions := echoOf[msg.String](t, n, "/scout/robot_description", "std_msgs/String", true)
			must.Until(t, "the latched messages back",
				func() bool { return len(maps()) == 1 && len(descriptions()) == 1 })
			want := must.Get(occupancy.Of(w.Model(), w.LaserHeight(), 0.05))(t)
			if m := maps()[0]; m.Header.FrameID != "map" || int(m.Info.Width) != want.Width ||
				!slices.Equal(m.Data, want.Cells) || !slices.Contains(m.Data, occupancy.Occupied) {
				t.Errorf("the map has %d × %d cells in %s, want %d × %d", m.Info.Width, m.Info.Height, m.Header.FrameID,
					want.Width, want.Height)
			}
			if text := descriptions()[0].Data; !strings.Contains(text, `<joint name="camera_joint"`) {
				t.Errorf("the description lacks camera_joint:\n%s", text)
			}

			must.Until(t, "the first joint states and sound", func() bool {
				sim.Steps(1)
				return len(joints()) > 0 && len(sounds()) > 0
			})
			first, heard := len(joints()), len(sounds())
			for k := 1; k <= 25; k++ { // 40 ms each: none of the messages is lost
				sim.RunFor(40 * time.Millisecond)
				must.Until(t, "joint states at 50 Hz and sound at 25 Hz", func() bool {
					return len(joints()) >= first+2*k && len(sounds()) >= heard+k
				})
			}
			for i, m := range joints() {
				if len(m.Name) != 3 || len(m.Position) != 3 || len(m.Velocity) != 3 {
					t.Errorf("joint states %+v, want two wheels and a camera", m)
				}
				if i > first {
					last := joints()[i-1].Header.Stamp.Since()
					must.Equal(t, m.Header.Stamp.Since()-last, 20*time.Millisecond, "period")
				}
			}
			for _, m := range sounds() {
				must.Equal(t, len(m.Data), 2*16000/25, "bytes of sound")
			}
		})
	}
}

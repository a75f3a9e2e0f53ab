package compare

import (
	"context"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, profileText)
}

func newBenchWith(t *testing.T, profileText string) *bench {
	t.Helper()
	m := must(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { m.Close() })
	path := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(path, []byte(profileText), 0o600); err != nil {
		t.Fatal(err)
	}
	p := must(mapping.Compile(must(mapping.Load(path))(t)))(t)
	w := must(worlds.Parse("w.toml", []byte(strings.ReplaceAll(worldText, "PROFILE", path))))(t)
	return &bench{t, m.URI(), p, w, must(msg.Load("nubot"))(t)}
}

func (b *bench) node(name string) *ros1.Node {
	b.t.Helper()
	n := must(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: b.uri}))(b.t)
	b.t.Cleanup(func() { n.Close() })
	return n
}

func (b *bench) publish(n *ros1.Node, topic string, def *msg.Definition) *ros1.RawPublisher {
	b.t.Helper()
	return must(ros1.AdvertiseRaw(n, topic, def, ros1.PubOptions{Queue: 1000}))(b.t)
}

// flow is a topic that comes at a rate of sim time, Hz.
type flow struct {
	pub  *ros1.RawPublisher
	rate float64
}

// deadline is the longest time for which a test measures. A guess.
const deadline = 30 * time.Second

// stepTime is the step of the test's simulator, sim time; a wall millisecond each, so that rates do not follow from how busy the machine is.
const stepTime = 5 * time.Millisecond

// run has a simulator step: a clock, and messages at their rates.
func (b *bench) run(n *ros1.Node, flows []flow) {
	b.t.Helper()
	clock := must(ros1.Advertise[msg.Clock](n, "/clock", "rosgraph_msgs/Clock", ros1.PubOptions{Queue: 1000}))(b.t)
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

func (b *bench) message(name string) *msg.Definition {
	b.t.Helper()
	return must(b.types.Message(name))(b.t)
}

func (b *bench) subscribe(n *ros1.Node, topic, typ string) {
	b.t.Helper()
	must(ros1.SubscribeAs(n, topic, b.message(typ), func([]byte) error { return nil }))(b.t)
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
		must(ros1.Serve(n, ns+"/Shoot", "nubot_common/Shoot", func(context.Context, *msg.ShootRequest) (*msg.ShootResponse, error) {
			return &msg.ShootResponse{}, nil
		}))(b.t)
	}
	flows = append(flows, flow{b.publish(n, "/tf", b.message("tf2_msgs/TFMessage")), 200}) // of all together
	b.subscribe(n, "/cyan/coach", "std_msgs/Bool")
	for name, v := range map[string]any{"/general/scale": 0.5, "/cyan/num": len(namespaces) + 1, "/list": []any{1, 2.0}} {
		if err := n.SetParam(name, v); err != nil {
			b.t.Fatal(err)
		}
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
	return must(Run(b.t.Context(), b.node("/compare"), opts))(b.t)
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

// A system that is as the profile has it has nothing amiss, by what is found and by the world.
func TestNothingAmiss(t *testing.T) {
	b := newBench(t)
	b.simulator(50, "/cyan1", "/cyan2")
	robot := b.node("/robot")
	for _, ns := range []string{"/cyan1", "/cyan2"} {
		b.publish(robot, ns+"/velcmd", b.message("nubot_common/VelCmd"))
		b.subscribe(robot, ns+"/driver/odoinfo", "nubot_common/OdoInfo")
	}
	for _, w := range []*worlds.World{nil, b.world} {
		if w != nil {
			if err := robot.SetParam("/cyan/num", 3); err != nil {
				t.Fatal(err)
			}
		}
		r := b.compare(Options{World: w})
		if r.Amiss() != 0 || !slices.Equal(r.Robots, []string{"cyan1", "cyan2"}) || r.RealTimeFactor == nil {
			t.Errorf("%+v", r)
		}
		for name, want := range map[string]Verdict{"/cyan1/holding": NobodyListens, "/cyan2/driver/odoinfo": OK, "/cyan1/omni/image_raw": NobodyListens} {
			if got := row(t, r, name, Publishes); got.Verdict != want {
				t.Errorf("%+v, want %s", got, want)
			}
		}
		for name, want := range map[string]Verdict{"/cyan1/velcmd": OK, "/cyan1/cmd_vel": NobodyPublishes} {
			if got := row(t, r, name, Subscribes); got.Verdict != want {
				t.Errorf("%+v, want %s", got, want)
			}
		}
		if got := row(t, r, "/DribbleId", Calls); got.Verdict != NobodyServes {
			t.Errorf("%+v", got)
		}
		if got := row(t, r, "/cyan1/holding", Publishes); got.Found.Rate == nil || got.Expected.Rate == nil || *got.Expected.Rate != 50 || !(math.Abs(*got.Found.Rate-50) < 25) {
			t.Errorf("%+v", got)
		}
	}
}

// Each mistake is told by the name where it is.
func TestMistakes(t *testing.T) {
	b := newBench(t)
	b.simulator(5, "/cyan1") // cyan2 is not there; holding comes at 5 Hz instead of 50
	robot := b.node("/robot")
	hawking := must(msg.Load("hawking"))(t)
	b.publish(robot, "/cyan1/velcmd", must(hawking.Message("nubot_common/VelCmd"))(t))
	b.publish(robot, "/cyan1/cmd_vel", b.message("nubot_common/VelCmd"))
	b.subscribe(robot, "/cyan1/driver/odoinfo", "std_msgs/Bool")
	b.subscribe(robot, "/driver/odoinfo", "nubot_common/OdoInfo") // without the namespace
	b.publish(robot, "/nubot/VelCmd", b.message("nubot_common/VelCmd"))
	must(ros1.Serve(robot, "/blue/Shoot", "nubot_common/Shoot", func(context.Context, *msg.ShootRequest) (*msg.ShootResponse, error) {
		return &msg.ShootResponse{}, nil
	}))(t)
	b.publish(robot, "/talk", b.message("std_msgs/Bool"))
	b.subscribe(robot, "/talk", "std_msgs/Bool")
	for _, key := range []string{"/general/scale", "/list"} {
		if err := robot.SetParam(key, map[string]any{"/general/scale": 0.4, "/list": []any{2, 1}}[key]); err != nil {
			t.Fatal(err)
		}
	}
	if err := robot.DeleteParam("/cyan/num"); err != nil {
		t.Fatal(err)
	}
	var r *Report
	for d := 600 * time.Millisecond; d < deadline; d *= 4 { // longer where the test's simulator hardly gets to step
		if r = b.compare(Options{World: b.world, For: d}); row(t, r, "/cyan1/holding", Publishes).Verdict == OtherRate {
			break
		}
	}
	for _, c := range []struct {
		name   string
		side   Side
		want   Verdict
		detail string
	}{
		{"/cyan1/holding", Publishes, OtherRate, ""},
		{"/cyan1/driver/odoinfo", Publishes, OtherType, "/robot subscribes to it as std_msgs/Bool, where nubot_common/OdoInfo is expected"},
		{"/cyan1/velcmd", Subscribes, OtherType, "/robot publishes another nubot_common/VelCmd, md5 sum d261b0f53254c1f7313cdcefb2c91a71 where 914217797e9c6227112d1ec2a4b462eb is expected: it has std_msgs/Header header where float32 Vx is expected"},
		{"/cyan1/cmd_vel", Subscribes, OtherType, "/robot publishes nubot_common/VelCmd, where geometry_msgs/Twist is expected"},
		{"/cyan2/holding", Publishes, Missing, ""},
		{"/cyan2/velcmd", Subscribes, Missing, ""},
		{"/cyan2/Shoot", Serves, Missing, "there is /blue/Shoot; is it meant?"},
		{"/driver/odoinfo", Nobody, Misnamed, "/robot subscribes to it, and nobody publishes it; did you mean /cyan1/driver/odoinfo?"},
		{"/nubot/VelCmd", Nobody, Misnamed, "/robot publishes it, and nobody subscribes to it; did you mean /cyan1/velcmd?"},
		{"/general/scale", Parameter, OtherValue, ""},
		{"/list", Parameter, OtherValue, ""},
		{"/cyan/num", Parameter, Missing, ""},
	} {
		got := row(t, r, c.name, c.side)
		if got.Verdict != c.want || !got.Amiss || c.detail != "" && !slices.Contains(got.Details, c.detail) {
			t.Errorf("%+v, want %s (%s)", got, c.want, c.detail)
		}
	}
	if got := row(t, r, "/cyan1/driver/odoinfo", Publishes); got.Expected.Rate == nil || got.Found.Type != "std_msgs/Bool" {
		t.Errorf("%+v", got)
	}
	if r.Others != 1 {
		t.Errorf("%d other topics, want /talk alone", r.Others)
	}
}

// A robot that nobody commands is told once.
func TestNobodyCommands(t *testing.T) {
	b := newBench(t)
	b.simulator(50, "/cyan1")
	r := b.compare(Options{})
	if got := row(t, r, "/cyan1", Subscribes); r.Amiss() != 1 || got.Verdict != Uncommanded || !slices.Contains(got.Details, "nobody publishes any of /cyan1/velcmd, /cyan1/cmd_vel") {
		t.Errorf("%+v", r)
	}
}

// Nodes that take connections and do not answer, or refuse them, are said to be out of reach, and hold nobody up for long.
func TestOutOfReach(t *testing.T) {
	b := newBench(t)
	n := b.simulator(50, "/cyan1")
	deaf := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer deaf.Close()
	for i, uri := range []string{"http://" + deaf.Addr().String() + "/", "http://127.0.0.1:1/", "http://192.0.2.1:80/"} {
		name := "/lost" + string(rune('a'+i))
		for _, call := range [][]any{{"registerPublisher", "/cyan1/driver/odoinfo", "nubot_common/OdoInfo"}, {"registerSubscriber", "/cyan1/holding", "std_msgs/Bool"}} {
			if _, err := graph.Call(t.Context(), b.uri, call[0].(string), name, call[1], call[2], uri); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := b.compare(Options{})
	for _, name := range []string{"/cyan1/driver/odoinfo", "/cyan1/holding"} {
		refused := "/lostb is registered and does not answer (connection refused): it has probably crashed; rosnode cleanup removes it"
		if got := row(t, r, name, Publishes); got.Verdict != OutOfReach || len(got.Details) != 3 || !slices.Contains(got.Details, refused) {
			t.Errorf("%+v", got)
		}
	}
	if n.Cause() != nil {
		t.Error(n.Cause())
	}
}

// A publisher of which nothing comes is told where somebody waits for it, and several of one robot's commands are.
func TestSilentAndSeveral(t *testing.T) {
	b := newBench(t)
	n := b.simulator(50, "/cyan1")
	b.publish(n, "/cyan2/driver/odoinfo", b.message("nubot_common/OdoInfo"))
	b.publish(n, "/cyan2/holding", b.message("std_msgs/Bool"))
	b.subscribe(n, "/cyan2/velcmd", "nubot_common/VelCmd")
	robot := b.node("/robot")
	for _, ns := range []string{"/cyan1", "/cyan2"} {
		b.subscribe(robot, ns+"/driver/odoinfo", "nubot_common/OdoInfo")
		b.subscribe(robot, ns+"/holding", "std_msgs/Bool")
	}
	for _, node := range []*ros1.Node{robot, b.node("/joystick")} {
		b.publish(node, "/cyan1/velcmd", b.message("nubot_common/VelCmd"))
	}
	b.publish(robot, "/cyan2/velcmd", b.message("nubot_common/VelCmd"))
	for _, w := range []*worlds.World{nil, b.world} {
		var r *Report
		for d := 600 * time.Millisecond; d < deadline; d *= 4 { // longer where the test's simulator hardly gets to step
			if r = b.compare(Options{World: w, Robots: []string{"cyan1", "cyan2"}, For: d}); row(t, r, "/cyan2/driver/odoinfo", Publishes).Amiss {
				break
			}
		}
		for _, name := range []string{"/cyan2/driver/odoinfo", "/cyan2/holding"} {
			if got := row(t, r, name, Publishes); got.Verdict != Silent || !got.Amiss || !strings.Contains(strings.Join(got.Details, "\n"), "/robot waits for it") {
				t.Errorf("%+v", got)
			}
		}
		if got := row(t, r, "/cyan1/driver/odoinfo", Publishes); got.Amiss {
			t.Errorf("%+v", got)
		}
		if got := row(t, r, "/cyan1/velcmd", Subscribes); got.Verdict != Several || !got.Amiss ||
			!slices.Equal(got.Details, []string{"it is published by /joystick and /robot: the robot obeys each of their messages"}) {
			t.Errorf("%+v", got)
		}
		if got := row(t, r, "/cyan2/velcmd", Subscribes); got.Verdict != OK {
			t.Errorf("%+v", got)
		}
	}
}

// What a profile's extras name is not missed, unless somebody waits for it.
func TestExtras(t *testing.T) {
	b := newBenchWith(t, "extras = [\"driver/odoinfo\", \"cmd_vel\", \"Shoot\", \"/general/scale\"]\n"+profileText)
	n := b.node("/simulator")
	b.publish(n, "/cyan1/holding", b.message("std_msgs/Bool"))
	b.publish(n, "/tf", b.message("tf2_msgs/TFMessage"))
	b.subscribe(n, "/cyan1/velcmd", "nubot_common/VelCmd")
	b.subscribe(n, "/cyan/coach", "std_msgs/Bool")
	robot := b.node("/robot")
	b.publish(robot, "/cyan1/velcmd", b.message("nubot_common/VelCmd"))
	for key, v := range map[string]any{"/cyan/num": 3, "/list": []any{1, 2}} {
		if err := n.SetParam(key, v); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]Side{"/cyan1/driver/odoinfo": Publishes, "/cyan1/cmd_vel": Subscribes, "/cyan1/Shoot": Serves, "/general/scale": Parameter}
	r := b.compare(Options{World: b.world, Robots: []string{"cyan1"}, For: time.Millisecond})
	for name, side := range names {
		if got := row(t, r, name, side); got.Verdict != OnlyOmnipitch || got.Amiss {
			t.Errorf("%+v", got)
		}
	}
	if got := row(t, r, "/cyan1/holding", Publishes); got.Verdict != NobodyListens {
		t.Errorf("%+v", got)
	}
	b.subscribe(robot, "/cyan1/driver/odoinfo", "nubot_common/OdoInfo")
	b.publish(robot, "/cyan1/cmd_vel", b.message("geometry_msgs/Twist"))
	r = b.compare(Options{World: b.world, Robots: []string{"cyan1"}, For: time.Millisecond})
	for _, name := range []string{"/cyan1/driver/odoinfo", "/cyan1/cmd_vel"} {
		if got := row(t, r, name, names[name]); got.Verdict != Missing || len(got.Details) == 0 {
			t.Errorf("%+v", got)
		}
	}
}

// Prefixes in names are those of the parameters or of the world: another's name is no topic of the profile's, and the other team's is no mistake.
func TestPrefixes(t *testing.T) {
	b := newBenchWith(t, strings.Replace(profileText, "[params]\n", `[params]
"/cyan/prefix" = "{cyan.prefix}"
"/magenta/prefix" = "{magenta.prefix}"
`, 1)+`
[[subscribe]]
topic = "/{cyan.prefix}/trainer"
type = "std_msgs/Bool"
for = "world"
do.set_ball_handling = { enable = "data" }
`)
	n := b.simulator(50, "/cyan1")
	b.subscribe(n, "/cyan/trainer", "std_msgs/Bool")
	robot := b.node("/robot")
	b.publish(robot, "/cyan1/velcmd", b.message("nubot_common/VelCmd"))
	for _, name := range []string{"/Cyan/trainer", "/magenta/trainer", "/Cyan/coach"} {
		b.publish(robot, name, b.message("std_msgs/Bool"))
	}
	r := b.compare(Options{})
	if got := row(t, r, "/Cyan/trainer", Subscribes); got.Verdict != Missing { // nothing says what the prefix is
		t.Errorf("%+v", got)
	}
	for key, v := range map[string]any{"/cyan/prefix": "cyan", "/magenta/prefix": "magenta", "/cyan/num": 3} {
		if err := n.SetParam(key, v); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []*worlds.World{nil, b.world} {
		r := b.compare(Options{World: w, Robots: []string{"cyan1"}})
		for name, want := range map[string]string{"/Cyan/trainer": "/cyan/trainer", "/Cyan/coach": "/cyan/coach"} {
			want = "/robot publishes it, and nobody subscribes to it; did you mean " + want + "?"
			if got := row(t, r, name, Nobody); got.Verdict != Misnamed || !slices.Contains(got.Details, want) {
				t.Errorf("%+v, want %s", got, want)
			}
		}
		if r.Amiss() != 2 || r.Others != 1 {
			t.Errorf("%+v", r)
		}
		for _, name := range []string{"/cyan/trainer", "/cyan/coach"} {
			if got := row(t, r, name, Subscribes); got.Verdict != NobodyPublishes {
				t.Errorf("%+v", got)
			}
		}
	}
}

// Where nothing has the profile's names there is nothing to compare, unless a robot is named.
func TestNoRobots(t *testing.T) {
	b := newBench(t)
	_, err := Run(t.Context(), b.node("/compare"), Options{Profile: b.profile, For: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "no robots: nothing at this master has the names of profile") {
		t.Errorf("err = %v", err)
	}
	r := b.compare(Options{Robots: []string{"/cyan1/"}})
	if got := row(t, r, "/cyan1/velcmd", Subscribes); got.Verdict != Missing {
		t.Errorf("%+v", got)
	}
}

func TestDifference(t *testing.T) {
	parse := func(text string) *msg.Definition { return must(msg.ParseFull("a/A", text))(t) }
	nested := "\n" + strings.Repeat("=", 80) + "\nMSG: a/B\n"
	for _, c := range []struct{ want, found, text string }{
		{"int32 x\nint32 y", "int32 x\nfloat32 y", "it has float32 y where int32 y is expected"},
		{"int32 x", "int32 x\nint32[] z", "it has int32[] z besides"},
		{"int32 x\nint32 y", "int32 x", "it has no field y"},
		{"int32 A=1\nint32 x", "int32 A=2\nint32 x", "its fields are the same, and its constants are not"},
		{"B b" + nested + "int8 u", "B b" + nested + "int8 v", "it has int8 b.v where int8 b.u is expected"},
		{"int32[3] x", "int32[4] x", "it has int32[4] x where int32[3] x is expected"},
	} {
		if got := difference(parse(c.want), parse(c.found)); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
	}
}

// A camera that is its robot's second has topics below its own name; that makes it no robot. World ladder has a robot with two cameras.
func TestCamerasAreNoRobots(t *testing.T) {
	w := must(worlds.Load("ladder"))(t)
	p := must(mapping.Compile(must(mapping.Load("humanoid"))(t)))(t)
	s := &system{State: &graph.State{Publishers: map[string][]string{}}}
	for i := range w.Robots {
		if slices.Contains(mapping.ProfilesOf(&w.Robots[i]), "humanoid") {
			for _, topic := range mapping.Instances(p.Publications, p.NewContext(w, i)) {
				s.Publishers[topic.Name] = []string{"/sim"}
			}
		}
	}
	below := slices.ContainsFunc(s.topics(), func(topic string) bool { return strings.HasPrefix(topic, "/cyan1/omni/") })
	if got := findRobots(p, s); !below || !slices.Equal(got, []string{"cyan1"}) {
		t.Errorf("robots %q in %q, want cyan1", got, s.topics())
	}
}

// A robot speaks a profile, too, that one of its profiles includes: cyan1's is humanoid, which includes standard.
func TestRobotsOfAWorldByIncludedProfiles(t *testing.T) {
	w := must(worlds.Load("ladder"))(t)
	for profile, want := range map[string][]int{"standard": {0, 1, 2}, "humanoid": {0}, "gazebo": {0, 1, 2}} {
		if got := robotsOf(w, profile, 11311, nil); !slices.Equal(got, want) {
			t.Errorf("%s: robots %v, want %v", profile, got, want)
		}
	}
}

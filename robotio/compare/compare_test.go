package compare

import (
	"context"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

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
			must.Do(t, robot.SetParam("/cyan/num", 3))
		}
		r := b.compare(Options{World: w})
		if r.Amiss() != 0 || !slices.Equal(r.Robots, []string{"cyan1", "cyan2"}) || r.RealTimeFactor == nil {
			t.Errorf("%+v", r)
		}
		for name, want := range map[string]Verdict{"/cyan1/holding": NobodyListens, "/cyan2/driver/odoinfo": OK,
			"/cyan1/omni/image_raw": NobodyListens} {
			must.Equal(t, row(t, r, name, Publishes).Verdict, want, "verdict")
		}
		for name, want := range map[string]Verdict{"/cyan1/velcmd": OK, "/cyan1/cmd_vel": NobodyPublishes} {
			must.Equal(t, row(t, r, name, Subscribes).Verdict, want, "verdict")
		}
		must.Equal(t, row(t, r, "/DribbleId", Calls).Verdict, NobodyServes, "verdict")
		if got := row(t, r, "/cyan1/holding", Publishes); got.Found.Rate == nil || got.Expected.Rate == nil ||
			*got.Expected.Rate != 50 || !(math.Abs(*got.Found.Rate-50) < 25) {
			t.Errorf("%+v", got)
		}
	}
}

// Each mistake is told by the name where it is.
func TestMistakes(t *testing.T) {
	b := newBench(t)
	b.simulator(5, "/cyan1") // cyan2 is not there; holding comes at 5 Hz instead of 50
	robot := b.node("/robot")
	hawking := must.Get(msg.Load("hawking"))(t)
	b.publish(robot, "/cyan1/velcmd", must.Get(hawking.Message("nubot_common/VelCmd"))(t))
	b.publish(robot, "/cyan1/cmd_vel", b.message("nubot_common/VelCmd"))
	b.subscribe(robot, "/cyan1/driver/odoinfo", "std_msgs/Bool")
	b.subscribe(robot, "/driver/odoinfo", "nubot_common/OdoInfo") // without the namespace
	b.publish(robot, "/nubot/VelCmd", b.message("nubot_common/VelCmd"))
	must.Get(ros1.Serve(robot, "/blue/Shoot", "nubot_common/Shoot",
		func(context.Context, *msg.ShootRequest) (*msg.ShootResponse, error) { return &msg.ShootResponse{}, nil }))(t)
	b.publish(robot, "/talk", b.message("std_msgs/Bool"))
	b.subscribe(robot, "/talk", "std_msgs/Bool")
	for _, key := range []string{"/general/scale", "/list"} {
		must.Do(t, robot.SetParam(key, map[string]any{"/general/scale": 0.4, "/list": []any{2, 1}}[key]))
	}
	must.Do(t, robot.DeleteParam("/cyan/num"))
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
		{"/cyan1/driver/odoinfo", Publishes, OtherType, "/robot subscribes to it as std_msgs/Bool, where " +
			"nubot_common/OdoInfo is expected"},
		{"/cyan1/velcmd", Subscribes, OtherType, "/robot publishes another nubot_common/VelCmd, md5 sum " +
			"d261b0f53254c1f7313cdcefb2c91a71 where 914217797e9c6227112d1ec2a4b462eb is expected: it has " +
			"std_msgs/Header header where float32 Vx is expected"},
		{"/cyan1/cmd_vel", Subscribes, OtherType, "/robot publishes nubot_common/VelCmd, where geometry_msgs/Twist " +
			"is expected"},
		{"/cyan2/holding", Publishes, Missing, ""},
		{"/cyan2/velcmd", Subscribes, Missing, ""},
		{"/cyan2/Shoot", Serves, Missing, "there is /blue/Shoot; is it meant?"},
		{"/driver/odoinfo", Nobody, Misnamed, "/robot subscribes to it, and nobody publishes it; did you mean " +
			"/cyan1/driver/odoinfo?"},
		{"/nubot/VelCmd", Nobody, Misnamed, "/robot publishes it, and nobody subscribes to it; did you mean " +
			"/cyan1/velcmd?"},
		{"/general/scale", Parameter, OtherValue, ""},
		{"/list", Parameter, OtherValue, ""},
		{"/cyan/num", Parameter, Missing, ""},
	} {
		got := row(t, r, c.name, c.side)
		if got.Verdict != c.want || !got.Amiss || c.detail != "" && !slices.Contains(got.Details, c.detail) {
			t.Errorf("%+v, want %s (%s)", got, c.want, c.detail)
		}
	}
	if got := row(t, r, "/cyan1/driver/odoinfo", Publishes); got.Expected.Rate == nil ||
		got.Found.Type != "std_msgs/Bool" {
		t.Errorf("%+v", got)
	}
	must.Equal(t, r.Others, 1, "other topics")
}

// A robot that nobody commands is told once.
func TestNobodyCommands(t *testing.T) {
	b := newBench(t)
	b.simulator(50, "/cyan1")
	r := b.compare(Options{})
	if got := row(t, r, "/cyan1", Subscribes); r.Amiss() != 1 || got.Verdict != Uncommanded ||
		!slices.Contains(got.Details, "nobody publishes any of /cyan1/velcmd, /cyan1/cmd_vel") {
		t.Errorf("%+v", r)
	}
}

// Nodes that take connections and do not answer, or refuse them, are said to be out of reach, and hold nobody up for
// long.
func TestOutOfReach(t *testing.T) {
	b := newBench(t)
	n := b.simulator(50, "/cyan1")
	deaf := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer deaf.Close()
	for i, uri := range []string{"http://" + deaf.Addr().String() + "/", "http://127.0.0.1:1/",
		"http://192.0.2.1:80/"} {
		name := "/lost" + string(rune('a'+i))
		for _, call := range [][]any{{"registerPublisher", "/cyan1/driver/odoinfo", "nubot_common/OdoInfo"},
			{"registerSubscriber", "/cyan1/holding", "std_msgs/Bool"}} {
			must.Get(graph.Call(t.Context(), b.uri, call[0].(string), name, call[1], call[2], uri))(t)
		}
	}
	r := b.compare(Options{})
	for _, name := range []string{"/cyan1/driver/odoinfo", "/cyan1/holding"} {
		refused := "/lostb is registered and does not answer (connection refused): it has probably crashed; rosnode " +
			"cleanup removes it"
		if got := row(t, r, name, Publishes); got.Verdict != OutOfReach || len(got.Details) != 3 ||
			!slices.Contains(got.Details, refused) {
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
	// /joystick commands both robots, and /robot only cyan1: it advertises cyan2's topic, and never publishes it.
	joystick, velcmd := b.node("/joystick"), b.message("nubot_common/VelCmd")
	b.publish(robot, "/cyan2/velcmd", velcmd)
	b.repeat(b.publish(robot, "/cyan1/velcmd", velcmd), b.publish(joystick, "/cyan1/velcmd", velcmd),
		b.publish(joystick, "/cyan2/velcmd", velcmd))
	for _, w := range []*worlds.World{nil, b.world} {
		var r *Report
		for d := 600 * time.Millisecond; d < deadline; d *= 4 { // longer where the test's simulator hardly gets to step
			if r = b.compare(Options{World: w, Robots: []string{"cyan1", "cyan2"}, For: d}); row(t, r,
				"/cyan2/driver/odoinfo", Publishes).Amiss {
				break
			}
		}
		for _, name := range []string{"/cyan2/driver/odoinfo", "/cyan2/holding"} {
			if got := row(t, r, name, Publishes); got.Verdict != Silent || !got.Amiss ||
				!strings.Contains(strings.Join(got.Details, "\n"), "/robot subscribes to it") {
				t.Errorf("%+v", got)
			}
		}
		if got := row(t, r, "/cyan1/driver/odoinfo", Publishes); got.Amiss {
			t.Errorf("%+v", got)
		}
		if got := row(t, r, "/cyan1/velcmd", Subscribes); got.Verdict != Several || !got.Amiss ||
			!slices.Equal(got.Details, []string{"it is published by /joystick and /robot: the robot obeys each of " +
				"their messages"}) {
			t.Errorf("%+v", got)
		}
		must.Equal(t, row(t, r, "/cyan2/velcmd", Subscribes).Verdict, OK, "verdict")
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
		must.Do(t, n.SetParam(key, v))
	}
	names := map[string]Side{"/cyan1/driver/odoinfo": Publishes, "/cyan1/cmd_vel": Subscribes, "/cyan1/Shoot": Serves,
		"/general/scale": Parameter}
	r := b.compare(Options{World: b.world, Robots: []string{"cyan1"}, For: time.Millisecond})
	for name, side := range names {
		if got := row(t, r, name, side); got.Verdict != OnlyOmnipitch || got.Amiss {
			t.Errorf("%+v", got)
		}
	}
	must.Equal(t, row(t, r, "/cyan1/holding", Publishes).Verdict, NobodyListens, "verdict")
	b.subscribe(robot, "/cyan1/driver/odoinfo", "nubot_common/OdoInfo")
	b.publish(robot, "/cyan1/cmd_vel", b.message("geometry_msgs/Twist"))
	r = b.compare(Options{World: b.world, Robots: []string{"cyan1"}, For: time.Millisecond})
	for _, name := range []string{"/cyan1/driver/odoinfo", "/cyan1/cmd_vel"} {
		if got := row(t, r, name, names[name]); got.Verdict != Missing || len(got.Details) == 0 {
			t.Errorf("%+v", got)
		}
	}
}

// Prefixes in names are those of the parameters or of the world: another's name is no topic of the profile's, and the
// other team's is no mistake.
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
	// nothing says what the prefix is
	must.Equal(t, row(t, r, "/Cyan/trainer", Subscribes).Verdict, Missing, "verdict")
	for key, v := range map[string]any{"/cyan/prefix": "cyan", "/magenta/prefix": "magenta", "/cyan/num": 3} {
		must.Do(t, n.SetParam(key, v))
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
			must.Equal(t, row(t, r, name, Subscribes).Verdict, NobodyPublishes, "verdict")
		}
	}
}

// Where nothing has the profile's names there is nothing to compare, unless a robot is named.
func TestNoRobots(t *testing.T) {
	b := newBench(t)
	_, err := Run(t.Context(), b.node("/compare"), Options{Profile: b.profile, For: time.Millisecond})
	must.Fail(t, err, "no robots: no topic or service there matches profile")
	r := b.compare(Options{Robots: []string{"/cyan1/"}})
	must.Equal(t, row(t, r, "/cyan1/velcmd", Subscribes).Verdict, Missing, "verdict")
}

func TestDifference(t *testing.T) {
	parse := func(text string) *msg.Definition { return must.Get(msg.ParseFull("a/A", text))(t) }
	nested := "\n" + strings.Repeat("=", 80) + "\nMSG: a/B\n"
	for _, c := range []struct{ want, found, text string }{
		{"int32 x\nint32 y", "int32 x\nfloat32 y", "it has float32 y where int32 y is expected"},
		{"int32 x", "int32 x\nint32[] z", "it has int32[] z besides"},
		{"int32 x\nint32 y", "int32 x", "it has no field y"},
		{"int32 A=1\nint32 x", "int32 A=2\nint32 x", "its fields are the same, and its constants are not"},
		{"B b" + nested + "int8 u", "B b" + nested + "int8 v", "it has int8 b.v where int8 b.u is expected"},
		{"int32[3] x", "int32[4] x", "it has int32[4] x where int32[3] x is expected"},
	} {
		must.Equal(t, difference(parse(c.want), parse(c.found)), c.text, "difference of %q from %q", c.found, c.want)
	}
}

// A camera that is its robot's second has topics below its own name; that makes it no robot. World ladder has a robot
// with two cameras.
func TestCamerasAreNoRobots(t *testing.T) {
	w := must.Get(worlds.Load("ladder"))(t)
	p := must.Get(mapping.Compile(must.Get(mapping.Load("humanoid"))(t)))(t)
	s := &system{State: &graph.State{Publishers: map[string][]string{}}}
	for i := range w.Robots {
		if slices.Contains(mapping.ProfilesOf(&w.Robots[i]), "humanoid") {
			for _, topic := range mapping.Instances(p.Publications, p.NewContext(w, i)) {
				s.Publishers[topic.Name] = []string{"/sim"}
			}
		}
	}
	below := slices.ContainsFunc(s.Topics(), func(topic string) bool {
		return strings.HasPrefix(topic, "/cyan1/omni/")
	})
	if got := findRobots(p, s); !below || !slices.Equal(got, []string{"cyan1"}) {
		t.Errorf("robots %q in %q, want cyan1", got, s.Topics())
	}
}

// A robot speaks a profile, too, that one of its profiles includes: cyan1's is humanoid, which includes standard.
func TestRobotsOfAWorldByIncludedProfiles(t *testing.T) {
	w := must.Get(worlds.Load("ladder"))(t)
	for profile, want := range map[string][]int{"standard": {0, 1, 2}, "humanoid": {0}, "gazebo": {0, 1, 2}} {
		p := must.Get(mapping.Compile(must.Get(mapping.Load(profile))(t)))(t)
		must.Equal(t, must.Get(robotsOf(w, p, 11311, nil))(t), want, "%s: robots", profile)
	}
}

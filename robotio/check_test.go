package robotio

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// two returns the text of a world with two robots. Each robot's text starts with its name.
func two(first, second string) string {
	return "name = \"two\"\nphysics.engine = \"planar\"\n[[robot]]\nname = " + first +
		"\n[[robot]]\npose.x_m = 2\nname = " + second + "\n"
}

// Check reports every ROS 1 error that follows from the files alone, with its position, before anything runs.
func TestCheckFindsWhatNoMasterTakes(t *testing.T) {
	const a, b = "\"a\"\nmodel = \"nubot\"\n", "\"b\"\nmodel = \"nubot\"\n"
	rename := func(text string) string { return two(a+"[robot.ros1.rename]\n"+text+"\n", b) }
	profiles := func(text string) map[string]string {
		return map[string]string{"w.toml": two(a+"ros1.profiles = [\"./team.toml\"]\n", b), "team.toml": text}
	}
	world := func(text string) map[string]string { return map[string]string{"w.toml": text} }
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // start of the only error
	}{
		{"name", world(two("\"a-b\"\nmodel = \"nubot\"", b)),
			`w.toml:4:1: robot[0]: name = "a-b": must be letters, digits and _, a letter first, because names on ROS 1 contain it, or give ros1.namespace`},
		{"name of a sensor", world(two(a+"sensor = [{ name = \"my-imu\", kind = \"imu\", rate_hz = 10 }]\n", b)),
			`w.toml:6:13: robot[0].sensor[4]: name = "my-imu": must be letters, digits and _, a letter first, because names on ROS 1 contain it`},
		{"one namespace", world(two(a+"ros1.namespace = \"team\"\n", b+"ros1.namespace = \"/team/\"\n")),
			`w.toml:12:6: robot[1].ros1: namespace = "/team/": is already the namespace of a: give each its own, or a ros1.master_port`},
		{"none for both", world(two(a+"ros1.namespace = \"/\"\n", b+"ros1.namespace = \"/\"\n")),
			`w.toml:12:6: robot[1].ros1: namespace = "/": is already the namespace of a`},
		{"another's name", world(two(a, b+"ros1.namespace = \"a\"\n")),
			`w.toml:11:6: robot[1].ros1: namespace = "a": is already the namespace of a`},
		{"the name is another's namespace", world(two(a+"ros1.namespace = \"b\"\n", b)),
			`w.toml:10:1: robot[1]: name = "b": is already the namespace of a`},
		{"impossible namespace", world(two(a+"ros1.namespace = \"x y\"\n", b)),
			`w.toml:6:6: robot[0].ros1: namespace = "x y": must be letters, digits, _ and /, a letter first, to be a name on ROS 1`},
		{"private namespace", world(two(a+"ros1.namespace = \"~x\"\n", b)),
			`w.toml:6:6: robot[0].ros1: namespace = "~x": must be letters`},
		{"double slash", world(two(a+"ros1.namespace = \"x//y\"\n", b)),
			`w.toml:6:6: robot[0].ros1: namespace = "x//y": must be letters`},
		{"long namespace", world(two(a+"ros1.namespace = \""+strings.Repeat("x", 1025)+"\"\n", b)),
			`w.toml:6:6: robot[0].ros1: namespace = "xxx`},
		{"impossible rename", world(rename(`odom = "x y"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "x y": must be letters, digits, _ and /, a letter first, to be a name on ROS 1`},
		{"rename to nothing", world(rename(`odom = ""`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "": must be letters`},
		{"rename to the root", world(rename(`odom = "/"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "/": must be letters`},
		{"rename of nothing", world(rename(`odm = "x"`)),
			`w.toml:7:1: robot[0].ros1.rename: odm = "x": renames nothing: its profiles have no such topic or service; did you mean "odom"?`},
		{"rename to a topic of another type", world(rename(`"odom" = "imu"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "imu": topic /a/imu has type nav_msgs/Odometry here, and sensor_msgs/Imu in profile standard`},
		{"rename to what is obeyed", world(rename(`odom = "cmd_vel"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "cmd_vel": topic /a/cmd_vel has type nav_msgs/Odometry here, and geometry_msgs/Twist in profile standard`},
		{"rename into the way of many", world(rename(`odom = "/tf"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "/tf": topic /tf has type`},
		{"rename to the clock", world(rename(`odom = "/clock"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "/clock": topic /clock is the simulator's own`},
		{"rename to the speed", world(rename(`odom = "/simulation/speed"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "/simulation/speed": topic /simulation/speed is the simulator's own`},
		{"rename to the forecast", world(rename(`Shoot = "/simulation/predict"`)),
			`w.toml:7:1: robot[0].ros1.rename: Shoot = "/simulation/predict": service /simulation/predict is the simulator's own`},
		{"rename to a level", world(rename(`odom = "imu/level"`)),
			`w.toml:7:1: robot[0].ros1.rename: odom = "imu/level": topic /a/imu/level is the simulator's own`},
		{"rename of a service to another", world(rename(`Shoot = "BallHandle"`)),
			`w.toml:7:1: robot[0].ros1.rename: Shoot = "BallHandle": service /a/BallHandle is provided by profile nubot too`},
		{"topic of a profile", profiles("types = [\"std\"]\n[[publish]]\ntopic = \"my-odom\"\ntype = " +
			"\"nav_msgs/Odometry\"\nfrom = \"odometry\"\n"),
			`team.toml:3:1: publish[0]: topic = "my-odom": of robot a: name "/a/my-odom": must be letters, digits, / and _, a letter first`},
		{"name of a parameter", profiles("[params]\n\"/a-b\" = 1\n"),
			`team.toml:2:1: params: "/a-b" = 1: name "/a-b": must be letters`},
		{"large parameter", profiles("[params]\n\"/limits\" = { most = [1, 3000000000] }\n"),
			`team.toml:2:1: params: "/limits" = { most = [1, 3000000000] }: is no parameter of ROS 1: xmlrpc: integer 3000000000: must fit 32 bits`},
		{"infinite parameter", profiles("[params]\n\"/limit\" = inf\n"),
			`team.toml:2:1: params: "/limit" = inf: is no parameter of ROS 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			w := must.Get(worlds.Load(filepath.Join(dir, "w.toml")))(t)
			list := schema.Flatten(Check(w))
			if len(list) != 1 || !strings.HasPrefix(list[0].Error(), dir+"/"+c.want) {
				t.Errorf("got %v\nwant %s", errors.Join(list...), c.want)
			}
		})
	}
}

// An error elsewhere in a world does not hide errors in its ROS 1 names, except in those that depend on it. No error is
// reported twice.
func TestCheckGoesOnWhereAWorldIsWrong(t *testing.T) {
	const a, b = "\"a\"\nmodel = \"nubot\"\n", "\"b\"\nmodel = \"nubot\"\n"
	for _, c := range []struct {
		name, text string
		want       []string // starts of the errors
	}{
		{"port", two(a+"ros1 = { master_port = 99999, namespace = \"a b\", profiles = [\"nope\"], rename = { odom = "+
			"\"b c\" } }\n", b+"ros1 = { master_port = 99999, rename = { odom = \"/tf\", odm = \"x\" } }\n"), []string{
			`w.toml:6:10: robot[0].ros1: master_port = 99999: must lie in [0, 65535]`,
			`w.toml:6:31: robot[0].ros1: namespace = "a b": must be letters`,
			`w.toml:6:50: robot[0].ros1: profiles = ["nope"]: is no profile`,
			`w.toml:6:82: robot[0].ros1.rename: odom = "b c": must be letters`,
			`w.toml:12:10: robot[1].ros1: master_port = 99999: must lie in [0, 65535]`,
			`w.toml:12:42: robot[1].ros1.rename: odom = "/tf": topic /tf has type`,
			`w.toml:12:56: robot[1].ros1.rename: odm = "x": renames nothing`,
		}},
		{"bad name beside a rename of nothing", two(a+"ros1.rename = { odm = \"x\" }\nsensor = [{ name = \"my-imu\", "+
			"kind = \"imu\", rate_hz = 10, level = \"objects\" }]\n",
			b+"ros1.rename = { odm = \"x\" }\nsensor = [{ name = \"x\" }]\n"), []string{
			`w.toml:7:13: robot[0].sensor[4]: name = "my-imu": must be letters, digits and _`,
			`w.toml:7:58: robot[0].sensor[4]: level = "objects": must be one of raw, truth for kind imu`,
			`w.toml:14:11: robot[1].sensor[4]: kind: must be given`,
		}},
		{"profile that is missing beside others", two(a+"ros1 = { profiles = [\"standard\", \"nope\"], rename = { "+
			"odom = \"/clock\", odm = \"x\" } }\n", b), []string{
			`w.toml:6:10: robot[0].ros1: profiles = ["standard", "nope"]: is no profile`,
			`w.toml:6:54: robot[0].ros1.rename: odom = "/clock": topic /clock is the simulator's own`,
		}},
		{"name", two("\"a b\"\nmodel = \"nubot\"", "\"a b\"\nmodel = \"nubot\""), []string{
			`w.toml:4:1: robot[0]: name = "a b": must be a name`,
			`w.toml:8:1: robot[1]: name = "a b": already used`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := worlds.Parse("w.toml", []byte(c.text), Check)
			list := schema.Flatten(err)
			if w != nil || len(list) != len(c.want) {
				t.Fatalf("%d errors:\n%v", len(list), err)
			}
			for i, want := range c.want {
				if got := list[i].Error(); !strings.HasPrefix(got, want) {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
		})
	}
}

// An error in a profile has its position in the profile's file, whatever the world's file has at that position.
func TestLoadKeepsThePlacesOfProfiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"w.toml": two("\"a\"\nmodel = \"nubot\"\nros1.profiles = [\"./team.toml\"]\n",
			"\"b-b\"\nmodel = \"nubot\"\n"),
		"team.toml": "types = [\"std\"]\n[params]\n\"/limit\" = inf\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	_, err := worlds.Load(filepath.Join(dir, "w.toml"), Check)
	list := schema.Flatten(err)
	want := []string{`team.toml:3:1: params: "/limit" = inf: is no parameter of ROS 1`,
		`w.toml:10:1: robot[1]: name = "b-b": must be letters`}
	if len(list) != len(want) {
		t.Fatalf("%d errors:\n%v", len(list), err)
	}
	for i, e := range list {
		if !strings.HasPrefix(e.Error(), dir+"/"+want[i]) {
			t.Errorf("got  %v\nwant %s", e, want[i])
		}
	}
}

// Robots may differ where the differences are compatible.
func TestCheckLetsThrough(t *testing.T) {
	const a, b = "\"a\"\nmodel = \"nubot\"\n", "\"b\"\nmodel = \"nubot\"\n"
	for _, text := range []string{
		two(a, b),
		two("\"a-b\"\nmodel = \"nubot\"\nros1.namespace = \"ab\"", b),
		two(a+"ros1 = { namespace = \"/\", master_port = 20001 }\n", b+"ros1 = { namespace = \"/\", master_port = "+
			"20002 }\n"),
		two(a+"ros1 = { namespace = \"team/a\", rename = { odom = \"/odometry\" } }\n",
			b+"ros1.namespace = \"team/b\"\n"),
	} {
		w, err := worlds.Parse("w.toml", []byte(text))
		if err == nil {
			err = Check(w)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// Random worlds that Check accepts can be set up on a master. Those that it rejects fail with the same words.
func TestCheckedWorldsCanBeServed(t *testing.T) {
	const worldsTried = 40
	pick := func(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }
	random := rand.New(rand.NewPCG(16, 13))
	good := 0
	for n := range worldsTried {
		var text strings.Builder
		text.WriteString("name = \"random\"\nphysics.engine = \"planar\"\n")
		for i := range 1 + random.IntN(3) {
			fmt.Fprintf(&text, "[[robot]]\nname = %q\nmodel = \"nubot\"\npose.x_m = %d\n", pick(random, "a", "b", "c_1",
				"d-4", "omnipitch")+strings.Repeat("x", i), 2*i)
			if random.IntN(3) == 0 {
				fmt.Fprintf(&text, "ros1.namespace = %q\n", pick(random, "/", "/a", "team/a", "_x", "é", "omnipitch"))
			}
			fmt.Fprintf(&text, "ros1.profiles = [%q, %q]\n", pick(random, mapping.ProfileNames()...),
				pick(random, mapping.ProfileNames()...))
			if random.IntN(3) == 0 {
				fmt.Fprintf(&text, "[robot.ros1.rename]\n%q = %q\n", pick(random, "odom", "imu", "nubotcontrol/velcmd",
					"cmd_vel", "BallHandle", "nothing"),
					pick(random, "/odom", "imu", "imu/level", "a b", "BallHandle", "Shoot", "/clock", "/tf", "fine"))
			}
		}
		w, err := worlds.Parse("w.toml", []byte(text.String()))
		if err != nil {
			continue // two robots have the same name
		}
		for i := range w.Robots {
			for j := range w.Robots[i].Sensors {
				// no images
				w.Robots[i].Sensors[j].Level = w.Robots[i].Sensors[j].Kind.Levels()[len(
					w.Robots[i].Sensors[j].Kind.Levels())-1]
			}
		}
		checked := Check(w)
		served := serveQuietly(t, w)
		if checked == nil {
			good++
		}
		if fmt.Sprint(checked) != fmt.Sprint(served) {
			t.Errorf("world %d: check says %v, but it was served with %v\n%s", n, checked, served, text.String())
		}
		if checked != nil && !regexp.MustCompile(`^w\.toml:[0-9]+:[0-9]+: `).MatchString(checked.Error()) {
			t.Errorf("world %d: no place: %v", n, checked)
		}
	}
	if good < worldsTried/6 || good > worldsTried*5/6 {
		t.Errorf("%d of %d worlds were let through: the test shows little", good, worldsTried)
	}
}

// serveQuietly sets a world up on a separate master and returns the error.
func serveQuietly(t *testing.T, w *worlds.World) error {
	t.Helper()
	sim, err := omnipitch.New(w, omnipitch.Options{NewRenderer: backend.RayCaster})
	if err != nil {
		return err
	}
	defer sim.Close()
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	defer master.Close()
	node := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()}))(t)
	defer node.Close()
	bridge, err := NewBridge(sim, node, Options{})
	if err != nil {
		return err
	}
	return bridge.Close()
}

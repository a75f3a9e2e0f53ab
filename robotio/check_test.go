package robotio

import (
	"fmt"
	"math/rand/v2"
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

// Loading a world with Check reports every ROS 1 error that follows from its files and profiles, once, with its place.
// An error elsewhere in the world hides only errors that depend on it.
func TestCheckFindsErrors(t *testing.T) {
	const a, b = "\"a\"\nmodel = \"nubot\"\n", "\"b\"\nmodel = \"nubot\"\n"
	cases := append(must.Cases(t, "testdata/check_errors.txt"), must.Case{Name: "long namespace",
		Text: two(a+"ros1.namespace = \""+strings.Repeat("x", 1025)+"\"\n", b),
		Want: []string{`w.toml:6:6: robot[0].ros1: namespace = "xxx`}})
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			world, profile, _ := strings.Cut(c.Text, "# team.toml\n")
			if world == "" {
				world = two(a+"ros1.profiles = [\"./team.toml\"]\n", b)
			}
			dir := must.Dir(t, map[string]string{"w.toml": world, "team.toml": profile})
			_, err := worlds.Load(filepath.Join(dir, "w.toml"), Check)
			list := schema.Flatten(err)
			if len(list) != len(c.Want) {
				t.Fatalf("got %d errors, want %d: %v", len(list), len(c.Want), err)
			}
			for i, want := range c.Want {
				if got := list[i].Error(); !strings.HasPrefix(got, dir+"/"+want) {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
		})
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
	const worldsTried = 25
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
		must.Equal(t, fmt.Sprint(checked), fmt.Sprint(served), "world %d: check says %v, but it was served with %v\n%s",
			n, checked, served, text.String())
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

package robotio

import (
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
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
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
		two("\"football\"\nmodel = \"nubot\"\nros1.profiles = [\"standard\"]\n", // no profile calls the ball so
			b+"ros1.profiles = [\"standard\"]\n"),
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
				"d-4")+strings.Repeat("x", i), 2*i)
			if random.IntN(3) == 0 {
				fmt.Fprintf(&text, "ros1.namespace = %q\n", pick(random, "/", "/a", "team/a", "_x", "é"))
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

// team is a folder with a world of one robot, its profile and its message definitions.
type team string

func newTeam(tb testing.TB) team {
	dir := tb.TempDir()
	must.Do(tb, os.MkdirAll(filepath.Join(dir, "msgs", "p"), 0o755))
	return team(dir)
}

func (d team) write(tb testing.TB, name, text string) {
	must.Do(tb, os.WriteFile(filepath.Join(string(d), filepath.FromSlash(name)), []byte(text), 0o644))
}

// check loads and checks the world, as the command does.
func (d team) check() error {
	_, err := worlds.Load(filepath.Join(string(d), "w.toml"), Check, scenery.CheckCost)
	return err
}

const (
	teamWorld   = "name = \"w\"\n[[robot]]\nname = \"cyan1\"\nmodel = \"nubot\"\nros1 = { profiles = [\"./p.toml\"] }\n"
	teamProfile = "types = [\"std\", \"msgs\"]\n[[publish]]\ntopic = \"a\"\ntype = \"p/A\"\nfrom = " +
		"\"robot\"\n[[subscribe]]\ntopic = \"b\"\ntype = \"p/A\"\ndo = { drive = { vx = \"x\" } }\n"
)

// Small definitions that expand to huge messages by nesting are refused, and so are profiles that repeat large messages
// in many entries.
func TestMessagesThatMultiplyAreRefused(t *testing.T) {
	many := strings.Repeat("[[publish]]\ntopic = \"a\"\ntype = \"p/A\"\nfrom = \"robot\"\n", 500)
	for name, c := range map[string]struct {
		profile string
		msgs    map[string]string
		want    string
	}{
		"as it should be": {teamProfile, map[string]string{"A": "float64 x\n"}, ""},
		"array": {teamProfile, map[string]string{"A": "float64[1048576] x\n"},
			"p/A has at least 8388608 bytes: must be at most 1048576"},
		"arrays of arrays": {teamProfile, map[string]string{"A": "B[1048576] x\n", "B": "C[1048576] x\n",
			"C": "float64[1048576] x\n"},
			"p/A has at least 1073741824 bytes"},
		"fields of fields": {teamProfile, layersOf(12, 12), "p/A has more than 10000 fields with those nested in it"},
		"many": {"types = [\"msgs\"]\n" + many, map[string]string{"A": "float64[100000] x\n"},
			"a profile's messages take at most 16 MiB"},
		"long texts": {"types = [\"msgs\"]\n" + many, map[string]string{"A": strings.Repeat("#", 1<<20)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTeam(t)
			d.write(t, "w.toml", teamWorld)
			d.write(t, "p.toml", c.profile)
			for msg, text := range c.msgs {
				d.write(t, "msgs/p/"+msg+".msg", text)
			}
			allocs.AtMost(t, allocs.ParseLimit, func() {
				switch err := d.check(); {
				case c.want == "" && err != nil && !strings.Contains(err.Error(), "drive"):
					t.Error(err)
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("%v, want %q", err, c.want)
				}
			})
		})
	}
}

// layersOf returns definitions A, B, … each of which contains the next one width times.
func layersOf(layers, width int) map[string]string {
	msgs := map[string]string{}
	name := func(i int) string { return string(rune('A' + i)) }
	for i := range layers {
		var text strings.Builder
		for k := range width {
			if i+1 < layers {
				fmt.Fprintf(&text, "%s f%d\n", name(i+1), k)
			}
		}
		msgs[name(i)] = text.String()
	}
	return msgs
}

// FuzzCheck checks that no world, profile or definition makes the check panic or use much memory.
func FuzzCheck(f *testing.F) {
	nubot, _ := mapping.ProfileText("nubot")
	f.Add(teamWorld, teamProfile, "float64 x\n")
	f.Add(teamWorld, string(nubot), "Header header\nB[2] b\nstring S=x # y\n")
	f.Add(teamWorld+"[[time.wait_for]]\nrobot = \"cyan1\"\n", "include = [\"standard\"]\n[[call]]\nservice = "+
		"\"s\"\ntype = \"std_srvs/SetBool\"\non = \"time\"\n", "int8 a")
	f.Add(teamWorld, "types = [\"msgs\"]\n[[publish]]\ntopic = \"{robot}\"\ntype = \"p/A\"\nfrom = "+
		"\"world\"\nmessage = { x = [1, 2], y = { each = \"robots\", x = \"robot.x\" } }\n", "int8[2] x\nA[] y\n")
	f.Add("robot = [7, { ros1 = { profiles = 7, rename = { odom = 7 } } }]\nevent = [{ set_level = { robot = \"a\" } "+
		"}]\n[[time.wait_for]]\n", teamProfile, "float64 x\n")
	f.Add(teamWorld+"master_port = -1\nsensor = [{ name = \"x\", kind = 1 }]\n[[robot]]\nname = \"x y\"\nmodel = "+
		"1\nros1.rename.a = \"/\"\n", teamProfile, "float64 x\n")
	d := newTeam(f)
	f.Fuzz(func(t *testing.T, world, profile, definition string) {
		if len(world)+len(profile)+len(definition) > 1<<20 {
			return
		}
		d.write(t, "w.toml", world)
		d.write(t, "p.toml", profile)
		d.write(t, "msgs/p/A.msg", definition)
		d.write(t, "msgs/p/B.msg", "A a\nfloat32 x\n")
		allocs.AtMost(t, allocs.ParseLimit, func() { _ = d.check() })
	})
}

package robotio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

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

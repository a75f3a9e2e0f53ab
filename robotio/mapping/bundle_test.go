package mapping

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// A bundled world with its own profiles and message definitions works after all these files are deleted.
func TestBundlesHoldProfiles(t *testing.T) {
	dir := t.TempDir()
	own := `[[publish]]
topic = "%s"
type = "mine/Word"
from = "robot"
period_ms = 100
message = { word = "%s" }
`
	fill := func(topic, word string) string {
		return strings.Replace(strings.Replace(own, "%s", topic, 1), "%s", word, 1)
	}
	write(t, dir, "msgs/mine/msg/Word.msg", "string word\n")
	write(t, dir, "msgs/README", "no definition")
	write(t, dir, "more/mine/Note.srv", "string a\n---\nbool b\n")
	must.Do(t, os.MkdirAll(filepath.Join(dir, "none"), 0o755))
	write(t, dir, "base/base.toml", "types = [\"std\", \"../msgs\"]\n"+fill("base_word", "a"))
	write(t, dir, "profiles/own.toml", "about = \"types = []\"\ntypes = [ # mine\n \""+filepath.Join(dir,
		"more")+"\", \"../none\",\n]\ninclude = ['standard', \"../base/base.toml\"] # both\n"+fill("word", "b"))
	world := write(t, dir, "w.toml", "name = \"w\"\n[[robot]]\nname = \"r\"\nmodel = \"nubot\"\nros1 = { profiles = "+
		"[\"nubot\", \"profiles/own.toml\"] }\n"+
		"[[robot]]\nname = \"s\"\nmodel = \"nubot\"\npose = { x_m = 3 }\nros1 = { profiles = [\"./base/base.toml\", "+
		"\"absent.toml\"] }\n")
	w := must.Get(worlds.Load(world))(t)
	b := must.Get(Bundle(w))(t)
	if again, err := Bundle(w); err != nil || !reflect.DeepEqual(b, again) {
		t.Errorf("is another bundle the second time: %v", err)
	}
	want, _ := CompileAll(w, msg.ROS1, "")
	must.Do(t, os.RemoveAll(dir))
	names := []string{"profiles/1/base.toml", "profiles/2/own.toml", "types/1/mine/msg/Word.msg",
		"types/2/mine/Note.srv", "world.toml"}
	must.Equal(t, slices.Sorted(maps.Keys(b)), names, "files")
	for name, data := range b {
		if strings.Contains(string(data), dir) {
			t.Errorf("%s has a path of the machine: %s", name, data)
		}
	}
	again := must.Get(worlds.LoadBundle(b))(t)
	must.Equal(t, again.Robots[0].ROS1.Profiles, []string{"nubot", "profiles/2/own.toml"},
		"again.Robots[0].ROS1.Profiles")
	must.Equal(t, again.Robots[1].ROS1.Profiles, []string{"profiles/1/base.toml", "profiles/absent.toml"},
		"again.Robots[1].ROS1.Profiles")
	got, err := CompileAll(again, msg.ROS1, "")
	if err == nil || !strings.HasSuffix(err.Error(),
		`profiles = ["profiles/1/base.toml", "profiles/absent.toml"]: cannot be read: is not among the files that came with the world`) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	for was, is := range map[string]string{filepath.Join(dir, "profiles/own.toml"): "profiles/2/own.toml",
		filepath.Join(dir, "base/base.toml"): "profiles/1/base.toml", "nubot": "nubot"} {
		a, b := want[was], got[is]
		if a == nil || b == nil {
			t.Errorf("%s: %v, %s: %v", was, a, is, b)
			continue
		}
		if !slices.Equal(slices.Sorted(slices.Values(a.names())), slices.Sorted(slices.Values(b.names()))) ||
			!reflect.DeepEqual(a.msgs, b.msgs) || !reflect.DeepEqual(a.Publish, b.Publish) && is == "nubot" {
			t.Errorf("%s: another profile than %s: %q, %q", is, was, b.names(), a.names())
		}
	}
	if second, err := Bundle(again); err != nil || !reflect.DeepEqual(second, b) {
		t.Errorf("is another bundle: %v, %q", err, slices.Sorted(maps.Keys(second)))
	}
	moved := maps.Clone(b)
	delete(moved, "types/1/mine/msg/Word.msg")
	again = must.Get(worlds.LoadBundle(moved))(t)
	must.Refuse(CompileAll(again, msg.ROS1, ""))(t, "must be a folder")
}

// Profiles in a bundle cannot refer to files outside it.
func TestHostileProfilesOfBundles(t *testing.T) {
	dir := t.TempDir()
	outside := write(t, dir, "outside.toml", entry("x"))
	write(t, dir, "msgs/mine/msg/Word.msg", "string word\n")
	t.Chdir(dir)
	for name, c := range map[string]struct{ profile, text, want string }{
		"from the root":    {outside, "", "is not among the files"},
		"beside":           {"./outside.toml", "", "is not among the files"},
		"above":            {"a/../../outside.toml", "", "is not among the files"},
		"includes outside": {"a/p.toml", "include = [\"" + outside + "\"]\n", "is not among the files"},
		"includes beside":  {"a/p.toml", "include = [\"../../outside.toml\"]\n", "is not among the files"},
		"types outside":    {"a/p.toml", "types = [\"" + filepath.Join(dir, "msgs") + "\"]\n", "must be a folder"},
		"types of a file":  {"a/p.toml", "types = [\"p.toml\"]\n", "must be a folder"},
		"types of all":     {"a/p.toml", "types = [\"/\"]\n", "must be a folder"},
		"types above":      {"a/p.toml", "types = [\"../../msgs\"]\n", "must be a folder"},
	} {
		w, err := worlds.LoadBundle(worlds.Bundle{
			"world.toml": []byte("name = \"w\"\n[[robot]]\nname = \"r\"\nmodel = \"nubot\"\nros1 = { profiles = [\"" +
				c.profile + "\"] }\n"), "a/p.toml": []byte(c.text),
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		must.Refuse(CompileAll(w, msg.ROS1, ""))(t, c.want, name)
	}
}

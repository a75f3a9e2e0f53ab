package mapping

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// entry returns a profile's entry that publishes an empty message on a topic.
func entry(topic string) string {
	return fmt.Sprintf("[[publish]]\ntopic = %q\ntype = \"std_msgs/Empty\"\nfrom = \"robot\"\n", topic)
}

// Each of eight layers of two files includes both files of the next layer. There are 256 paths to the last layer, but
// each file is read once.
func TestIncludesThatFanOutAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	const layers = maxDepth
	for layer := range layers {
		for side := range 2 {
			text := "types = [\"std\"]\n"
			if layer+1 < layers {
				text += fmt.Sprintf("include = [\"./%d0.toml\", \"./%[1]d1.toml\"]\n", layer+1)
			}
			write(t, dir, fmt.Sprintf("%d%d.toml", layer, side),
				text+entry(fmt.Sprintf("t%d%d", layer, side))+entry("of all"))
		}
	}
	allocs.AtMost(t, allocs.ParseLimit, func() {
		var l loader
		p := must.Get(l.Load(filepath.Join(dir, "00.toml")))(t)
		if len(l.read) != 2*layers-1 || len(p.Publish) != 2*layers-1+1 || len(p.Types) != 1 {
			t.Errorf("%d files read, %d entries, types %v", len(l.read), len(p.Publish), p.Types)
		}
		if again, err := l.Load(filepath.Join(dir, ".", "00.toml")); err != nil || again.file != p.file {
			t.Errorf("read again: %v", err)
		}
	})
}

// Including a profile in another one does not change the included profile.
func TestAnIncludedProfileStaysAsItIs(t *testing.T) {
	dir := t.TempDir()
	base := write(t, dir, "base.toml", "types = [\"std\"]\n"+entry("a")+entry("b"))
	top := write(t, dir, "top.toml", "include = [\"./base.toml\"]\ntypes = [\"nubot\", \"std\"]\n"+entry("b")+entry(
		"c"))
	var l loader
	p := must.Get(l.Load(top))(t)
	q := must.Get(l.Load(base))(t)
	topics := func(p *Profile) (list string) {
		for i := range p.Publish {
			list += p.Publish[i].Topic
		}
		return list + " " + strings.Join(p.Types, ",")
	}
	if topics(p) != "abc nubot,std" || topics(q) != "ab std" {
		t.Errorf("%s, %s", topics(p), topics(q))
	}
	if len(q.Library.Messages()) >= len(p.Library.Messages()) {
		t.Error("a profile has the types of one that includes it")
	}
}

func TestWhatAProfileNamesIsBounded(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "fifo.toml"), 0o644))
	write(t, dir, "long/Long.msg", strings.Repeat("#", 1<<20+1))
	write(t, dir, "device/x", "")
	must.Do(t, os.Symlink("/dev/zero", filepath.Join(dir, "device", "D.msg")))
	for i := range 9 {
		write(t, dir, fmt.Sprintf("many/p/M%d.msg", i), strings.Repeat("#", 1<<20))
	}
	for text, want := range map[string]string{
		`include = ["./fifo.toml"]`: `"./fifo.toml": cannot be read: is a FIFO: must be a regular file`,
		`include = ["./p.toml"]`:    "includes itself",
		`types = ["long"]`:          "Long.msg: is too long: must be at most 1 MiB",
		`types = ["device"]`:        "D.msg: is a device: must be a regular file",
		`types = ["many"]`:          "must have at most 8 MiB together",
		`types = ["std"` + strings.Repeat(`, "std"`, 64) + `]`:     "must have at most 64",
		`include = ["std"` + strings.Repeat(`, "nubot"`, 64) + `]`: "must have at most 64",
	} {
		path := write(t, dir, "p.toml", text+"\n")
		allocs.AtMost(t, allocs.ParseLimit, func() { must.Refuse(Load(path))(t, want, text) })
	}
}

// The loader does not panic on any text and returns either a profile or an error.
func FuzzLoad(f *testing.F) {
	for _, name := range ProfileNames() {
		text, _ := ProfileText(name)
		f.Add(text)
	}
	f.Add([]byte("include = [\"nubot\", \"standard\", \"nubot\"]\ntypes = [\"std\", \"std\"]\nlength = \"cm\"\n"))
	f.Add([]byte("[names]\nball = \"football\"\n[params]\na = [1, {b = 2}]\n[[service]]\nname = \"s\"\ntype = " +
		"\"std_srvs/Empty\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		allocs.AtMost(t, allocs.ParseLimit, func() {
			l := loader{}
			p, err := l.parse("fuzz", "fuzz.toml", data, []string{"fuzz.toml"})
			if (p == nil) == (err == nil) {
				t.Fatalf("profile %v with error %v", p, err)
			}
		})
	})
}

// Extras may name included entries. Including profiles inherit them, except for names of their own entries. An extra
// must name something.
func TestExtras(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "base.toml", "types = [\"std\"]\nextras = [\"a\", \"b\", \"/p\"]\nparams = { \"/p\" = 1 }\n"+entry(
		"a")+entry("b")+entry("c"))
	top := write(t, dir, "top.toml", "include = [\"./base.toml\"]\nextras = [\"c\"]\n"+entry("b"))
	p, err := Load(top)
	if err == nil {
		_, err = Compile(p)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a": true, "b": false, "c": true, "/p": true} {
		must.Equal(t, p.Extra(name), want, "%s is extra", name)
	}
	p, err = Load(write(t, dir, "bad.toml", "types = [\"std\"]\nextras = [\"holdng\"]\n"+entry("holding")))
	if err == nil {
		_, err = Compile(p)
	}
	if want := `bad.toml:2:11: extras[0] = "holdng": is no topic, service or parameter of the profile, did you mean "holding"?`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("err = %v, want %s", err, want)
	}
}

// The extras of a simulator's profile are exactly the names that the simulator lacks. The lists below come from the
// sources in docs/simulators.md: the topics and services in Load of the plugin for robots, the referee's and the ball's
// topics, Gazebo's own, and the YAML files of parameters.
func TestExtrasOfSimulators(t *testing.T) {
	var gazebo []string
	for _, name := range strings.Fields("model_states link_states set_model_state set_link_state get_model_state " +
		"get_link_state get_model_properties get_world_properties get_physics_properties apply_body_wrench " +
		"clear_body_wrenches spawn_sdf_model spawn_urdf_model delete_model pause_physics unpause_physics reset_world reset_simulation") {
		gazebo = append(gazebo, "/gazebo/"+name)
	}
	parameters := []string{"/cyan/num", "/cyan/prefix", "/magenta/num", "/magenta/prefix", "/field/length",
		"/field/width", "/football/name", "/football/chassis_link",
		"/general/dribble_distance_thres", "/general/dribble_angle_thres"}
	for name, has := range map[string][]string{
		"simatch": slices.Concat(gazebo, parameters, []string{"omnivision/OmniVisionInfo",
			"ballisholding/BallIsHolding", "nubotcontrol/velcmd", "nubotcontrol/actioncmd",
			"/{cyan.prefix}/receive_from_coach", "/{magenta.prefix}/receive_from_coach",
			"/{cyan.prefix}/redcard/chatter", "/{magenta.prefix}/redcard/chatter", "/football/bumper_states",
			"/DribbleId", "/general/noise_scale", "/general/noise_rate"}),
		"gazebo-visual": slices.Concat(gazebo, parameters, []string{"omnivision/OmniVisionInfo", "nubotcontrol/velcmd",
			"BallHandle", "Shoot"}),
		"nubot-single": slices.Concat(gazebo, []string{"nubotcontrol/velcmd", "BallHandle", "Shoot", "/field/length",
			"/field/width", "/field/robot_prefix", "/nubot/number",
			"/nubot/max_linear_vel", "/nubot/max_angular_vel", "/nubot/distance_thres", "/nubot/angle_thres",
			"/nubot/kick_ball_vel", "/football/name", "/football/chassis_link"}),
	} {
		p := must.Get(Load(name))(t)
		all := p.names()
		for _, one := range all {
			if p.Extra(one) == slices.Contains(has, one) {
				t.Errorf("%s: %s is extra: %v", name, one, p.Extra(one))
			}
		}
		for _, one := range has {
			if !slices.Contains(all, one) {
				t.Errorf("%s has no %s", name, one)
			}
		}
	}
}

package mapping

import (
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Every entry of a shipped profile compiles for each version of ROS for which the profile is.
func TestShippedProfilesCompile(t *testing.T) {
	for _, name := range ProfileNames() {
		all := must.Get(new(loader).Load(name))(t)
		for _, v := range all.Speaks {
			for _, distribution := range []string{"humble", "jazzy"}[:v] {
				p := must.Get(newLoader(nil, v, distribution).Load(name))(t)
				must.Get(Compile(p))(t)
			}
		}
	}
	must.Refuse(newLoader(nil, msg.ROS2, "").Load("nubot"))(t, "is not for ROS 2")
}

// A profile has the entries of its version, with types of this version. Its entries replace included entries of this
// version only.
func TestProfilesForROS2(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "msgs/my_msgs/msg/Seen.msg", "builtin_interfaces/Time at\nstd_msgs/Header header\n")
	publish := func(topic, typ, more string) string {
		return "[[publish]]\ntopic = \"" + topic + "\"\ntype = \"" + typ + "\"\nfrom = \"robot\"\n" + more
	}
	write(t, dir, "base.toml", "ros = [1, 2]\ntypes = [\"std\"]\n"+publish("a", "std_msgs/Bool", "ros = 1\n")+
		publish("a", "std_msgs/String", "ros = 2\n")+publish("b", "std_msgs/Bool", ""))
	load := func(v msg.Version, text string) (*Compiled, error) {
		p, err := newLoader(nil, v, "").Load(write(t, dir, "top.toml", text))
		if err != nil {
			return nil, err
		}
		return Compile(p)
	}
	two := "ros = [2]\ntypes = [\"./msgs\"]\n"
	for _, c := range []struct {
		version       msg.Version
		text, refusal string
		want          []string
	}{
		{1, "ros = [1, 2]\ninclude = [\"./base.toml\"]\n" + publish("b", "std_msgs/Int32", "ros = 2\n"), "",
			[]string{"std_msgs/Bool", "std_msgs/Bool"}},
		{2, "ros = [1, 2]\ninclude = [\"./base.toml\"]\n" + publish("b", "std_msgs/Int32", "ros = 2\n"), "",
			[]string{"std_msgs/String", "std_msgs/Int32"}},
		{2, two + publish("c", "my_msgs/Seen", "message.at = \"stamp\"\n"), "", []string{"my_msgs/Seen"}},
		{1, two, "is not for ROS 1", nil},
		{2, "types = [\"std\"]\n", "is not for ROS 2", nil},
		{2, "ros = [2]\ninclude = [\"nubot\"]\n", `include[0] = "nubot": is not for ROS 2`, nil},
		{2, "ros = [3]\n", "ros[0] = 3: must lie in [1, 2]", nil},
		{2, two + publish("c", "my_msgs/Sene", ""), "did you mean my_msgs/Seen?", nil},
		{2, two + publish("c", "nubot_common/OdoInfo", ""), "types must name a folder of .msg and .srv files of ROS 2", nil},
		{2, two + publish("s", "simulation_interfaces/SimulateSteps", ""), "is an action", nil},
		{2, two + "[[service]]\nname = \"s\"\ntype = \"simulation_interfaces/SimulateSteps\"\n", "", nil},
		{2, two + "[[service]]\nname = \"s\"\ntype = \"simulation_interfaces/SimulateStepsAction\"\n", "", nil},
		{2, two + "[[service]]\nname = \"s\"\ntype = \"my_msgs/Seen\"\n", "is a message", nil},
	} {
		p, err := load(c.version, c.text)
		if c.refusal != "" {
			must.Fail(t, err, c.refusal, c.text)
			continue
		}
		must.Do(t, err)
		var got []string
		for _, e := range p.Publications {
			got = append(got, e.Type)
			must.Equal(t, e.Topic.ROS2(), c.version == msg.ROS2, "%s: %s is of ROS 2", filepath.Base(e.Profile), e.Type)
		}
		must.Equal(t, got, c.want, "types")
	}
}

package robotio

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
)

// standardInstances returns the publications of profile standard for a version of ROS, by name, source and content.
func standardInstances(t *testing.T, s simtest.Sim, v msg.Version) map[string]*mapping.Instance {
	t.Helper()
	w := s.World()
	p := must.Get(mapping.CompileAll(w, v, ""))(t)["standard"]
	all := map[string]*mapping.Instance{}
	for robot := range w.Robots {
		c := p.NewContext(w, robot)
		c.BodyName, c.Camera, c.Match, c.Truth = s.Sensors().Scenery().BodyName, s.Sensors().Camera, s.Match(),
			s.Truth()
		for _, i := range mapping.Instances(p.Publications, c) {
			key := fmt.Sprint(i.Name, " from ", i.Publish.From, " with ", i.Publish.Message)
			if strings.HasPrefix(i.Type, "vision_msgs/Detection") { // each version has a message of its own
				key = i.Name
			}
			all[key] = &i
		}
	}
	return all
}

// filled returns the message that an instance publishes.
func filled(i *mapping.Instance) []byte {
	tail, free := i.Template.Tail(&i.Context)
	b := append(i.Template.Append(nil, &i.Context), tail...)
	if free != nil {
		free()
	}
	i.Context.FreeBlobs()
	return b
}

// kindsByID are the kinds of things, by their ids in the detections of ROS 1. Those of the world's own bodies follow
// the others.
var kindsByID = map[string]string{"0": "ball", "1": "obstacle", "2": "robot", "3": "cyan_robot",
	"4": "magenta_robot", "5": "goal_post", "6": "goal_bar", "7": "cyan_card", "8": "magenta_card", "9": "crate"}

// agree fails unless two instances publish the same values in the messages of both versions of ROS. A converter that
// reads a message of ROS 1 and writes one of ROS 2 is the oracle.
func agree(t *testing.T, one, two *mapping.Instance) {
	t.Helper()
	was := filled(one)
	want := must.Get(must.Get(dynamic.NewConverter(one.Topic, two.Topic))(t).Append(nil, was))(t)
	got := filled(two)
	if bytes.Equal(got, want) {
		return
	}
	codec := must.Get(dynamic.Compile(two.Topic))(t)
	values := func(b []byte, names map[string]string) (all []string) {
		must.Do(t, codec.Values(b, func(v *dynamic.Value) {
			text := string(v.Text)
			if kind, ok := names[text]; ok && strings.HasSuffix(string(v.Path), ".class_id") {
				text = kind
			}
			all = append(all, fmt.Sprintf("%s = %v %q", v.Path, v.Number, text))
		}))
		return all
	}
	must.Equal(t, strings.Join(values(got, nil), "\n"), strings.Join(values(want, kindsByID), "\n"), "%s", two.Name)
	if !strings.HasPrefix(two.Type, "vision_msgs/Detection") {
		t.Errorf("%s: the bytes of its %s differ", two.Name, two.Type)
	}
}

// Profile standard publishes the same topics with the same values on ROS 1 and on ROS 2.
func TestStandardAgreesOnBothVersions(t *testing.T) {
	seen := map[string]bool{}
	var all map[string]*mapping.Instance
	for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Features, abstraction.Objects} {
		w := simtest.World(t, "sensors", simtest.AtLevel(level))
		w.Obstacles[0].Kind = "crate"
		s := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
		defer s.Close()
		one, two := standardInstances(t, s, msg.ROS1), standardInstances(t, s, msg.ROS2)
		all = two
		must.Equal(t, slices.Sorted(maps.Keys(two)), slices.Sorted(maps.Keys(one)), "topics on ROS 2")
		observe := func(o *sensors.Observation) {
			for key, i := range one {
				other := two[key]
				if i.Context.Sensor == nil || i.Context.Robot.Name != o.Robot || i.Context.Sensor.Name != o.Sensor ||
					!i.FedBy(o) || seen[key] {
					continue
				}
				for _, c := range []*mapping.Instance{i, other} {
					c.Context.Truth = s.Truth()
					c.Context.Observe(o)
				}
				if !i.Template.Silent(&i.Context) {
					agree(t, i, other)
					seen[key] = true
				}
			}
		}
		for i := range w.Robots {
			for _, c := range w.Robots[i].Sensors {
				must.Get(s.Listen(w.Robots[i].Name, c.Name, omnipitch.Listener{Observe: observe,
					Overlay: func() sensors.OverlayParts { return ^sensors.OverlayParts(0) }}))(t)
			}
		}
		s.Steps(300)
		for key, i := range one {
			if i.Context.Sensor == nil {
				for _, c := range []*mapping.Instance{i, two[key]} {
					c.Context.Truth, c.Context.Stamp = s.Truth(), s.Truth().Time
				}
				agree(t, i, two[key])
				seen[key] = true
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !seen[key] {
			t.Errorf("nothing was published on %s", key)
		}
	}
}

// On ROS 2, a robot has its profiles for ROS 1 that are for both versions, and profile standard if there is none. Names
// and namespaces follow the rules of ROS 2.
func TestCheckForROS2(t *testing.T) {
	robot := "[[robot]]\nname = %q\nmodel = \"nubot\"\npose = { x_m = %d }\n%s"
	for _, c := range []struct{ a, b, want string }{
		{"", "", ""},
		{"ros1.profiles = [\"nubot\"]\n", "ros1.profiles = [\"standard\", \"refbot\"]\n", ""},
		{"ros1.rename = { odom = \"/odom\" }\n", "ros1.rename = { odom = \"/odom\" }\n", ""}, // of ROS 1 alone
		{"ros1 = { namespace = \"/\", master_port = 1 }\n", "ros1 = { namespace = \"/\", master_port = 2 }\n", ""},
		{"ros1.namespace = \"x\"\n", "ros1.namespace = \"x\"\n",
			`robot[1].ros1: namespace = "x": is already the namespace of a: give each its own`},
		{"ros1.namespace = \"a__b\"\n", "", "must be letters, digits, _ (never two in a row) and /, a letter first, to be " +
			"a name on ROS 2"},
		{"[[robot.sensor]]\nname = \"x__y\"\nkind = \"battery\"\n", "", "because names on ROS 2 contain it"},
		{"ros1.profiles = [\"nubto\"]\n", "", `did you mean "nubot"?`},
		{"ros2.namespace = \"x\"\nros2.rename = { odom = \"/odom\" }\n", "ros1.namespace = \"x\"\n",
			`robot[1].ros1: namespace = "x": is already the namespace of a: give each its own`},
		{"ros2.profiles = [\"standard\", \"nubot\"]\n", "",
			`robot[0].ros2: profiles = ["standard", "nubot"]: nubot is not for ROS 2`},
		{"ros2.rename = { odmo = \"/odom\" }\n", "", `did you mean "odom"?`},
		{"ros2.rename = { cmd_vel_stamped = \"cmd_vel\" }\n", "",
			"topic /a/cmd_vel has type geometry_msgs/TwistStamped here, and geometry_msgs/Twist in profile standard"},
		{"ros2.rename = { cmd_vel = \"twist\", cmd_vel_stamped = \"cmd_vel\" }\n", "", ""},
		{"ros2.rename = { odom = \"a__b\" }\n", "", `robot[0].ros2.rename: odom = "a__b": must be letters`},
	} {
		w := simtest.Parse(t, "name = \"w\"\n"+fmt.Sprintf(robot, "a", 0, c.a)+fmt.Sprintf(robot, "b", 2, c.b))
		err := CheckFor(w, msg.ROS2, "humble")
		if c.want != "" {
			must.Fail(t, err, c.want, c.a)
			continue
		}
		must.Do(t, err)
		all := must.Get(mapping.CompileAll(w, msg.ROS2, "humble"))(t)
		for i := range w.Robots {
			must.Equal(t, mapping.ProfilesOn(msg.ROS2, &w.Robots[i], all), []string{"standard"}, "profiles")
		}
	}
	for _, name := range []string{"drives", "nubot-attack", "sensors"} {
		if err := CheckFor(simtest.World(t, name), msg.ROS2, ""); err != nil {
			t.Errorf("world %s: %v", name, err)
		}
	}
}

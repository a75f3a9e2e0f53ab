package mapping

import (
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Instance is an Entry for the world, for one robot, or for one sensor of a robot.
type Instance struct {
	*Entry
	Plain   string // name in the profile, with quantities filled in
	Name    string // name on the wire
	Renamed bool   // whether the robot's key rename has changed the name
	Context quantity.Context

	key, pattern string // key and value of the name in the profile
}

// NewContext returns the context of the robot with an index in w.Robots.
func (c *Compiled) NewContext(w *worlds.World, robot int) quantity.Context {
	ctx := quantity.NewContext(w, robot)
	ctx.Names, ctx.Links, ctx.Turned = c.Names, c.Links, c.Turned
	if c.Reach != nil {
		ctx.Reach = *c.Reach
	}
	return ctx
}

// Instances returns the instances of entries for the robot of the context. They depend only on the world file and on
// the profiles. If a profile and a profile that it includes feed the same topic under different patterns, the
// publication of the included profile is left out.
func Instances(entries []*Entry, of quantity.Context) (all []Instance) {
	for _, e := range entries {
		all = append(all, e.instances(of)...)
	}
	fed := Feeds{}
	for k := len(all) - 1; k >= 0; k-- { // entries of included profiles come first
		if !fed.Claim(&all[k]) {
			all = slices.Delete(all, k, k+1)
		}
	}
	return all
}

func (e *Entry) instances(of quantity.Context) []Instance {
	if !has(&of, e.needs) {
		return nil
	}
	if e.Publish != nil && slices.ContainsFunc(of.Robot.Sensors,
		func(c sensors.Config) bool { return c.Kind == e.Publish.Unless }) {
		return nil
	}
	switch e.from {
	case quantity.World:
		of.Robot = nil
		return []Instance{e.instance(of, e.key, e.pattern)}
	case quantity.Robot:
		return []Instance{e.instance(of, e.key, e.pattern)}
	}
	var all []Instance
	first := true
	for _, cfg := range e.sensors(of.Robot) {
		key, pattern := e.key, e.pattern
		if !first && !strings.Contains(pattern, "{sensor}") {
			if e.more == "" {
				break
			}
			key, pattern = "more", e.more
		}
		first = false
		if e.Actions != nil && cfg.Head == nil {
			continue // an entry of cameras moves the heads of cameras, and this camera has none
		}
		of.SetSensor(cfg)
		all = append(all, e.instance(of, key, pattern))
	}
	return all
}

// has reports whether a world has a part that an entry needs.
func has(c *quantity.Context, part string) bool {
	w := c.World
	switch part {
	case "ball":
		return !w.Ball.Absent
	case "goals":
		return w.Field.HasGoals
	case "lines":
		return w.Field.HasLines
	case "pieces":
		return len(w.Pieces()) > 0
	case "urdf":
		return c.Robot != nil && c.Robot.Description() != ""
	case "joints":
		return c.Robot != nil && c.Robot.Look() != nil
	case "odometry":
		return c.Robot != nil && w.FindOdometry(c.Robot.Name) == nil
	}
	return true
}

// sensors returns the sensors of a robot that match the entry, in the robot's order. If the entry is for cameras of
// every kind, plain cameras come first, then Kinects, then stereo pairs, then omnidirectional cameras.
func (e *Entry) sensors(r *worlds.Robot) (all []*sensors.Config) {
	kinds := []sensors.Kind{sensors.Kind(e.from)}
	if e.from == quantity.Cameras {
		kinds = []sensors.Kind{sensors.CameraKind, sensors.KinectKind, sensors.StereoKind, sensors.OmniKind}
	}
	for _, kind := range kinds {
		for i := range r.Sensors {
			if r.Sensors[i].Kind == kind {
				all = append(all, &r.Sensors[i])
			}
		}
	}
	return all
}

// nameTexts holds the quantities that may be in the names of topics and services.
var nameTexts = quantity.Of(quantity.Robot, nil).Texts

// instance returns the instance of an entry with its name. The name comes from the pattern in the profile: instance
// fills in the quantities and applies the robot's key rename. If the name does not begin with /, instance puts the
// robot's namespace in front.
func (e *Entry) instance(of quantity.Context, key, pattern string) Instance {
	fill, err := newPattern(pattern, nameTexts)
	if err != nil {
		panic(err) // Compile has checked the pattern
	}
	i := Instance{Entry: e, Plain: string(fill(nil, &of)), Context: of, key: key, pattern: pattern}
	i.Name = "/" + strings.TrimPrefix(i.Plain, "/")
	if r := of.Robot; r != nil {
		i.Name = i.Plain
		if other, ok := Renames(e.version, r)[i.Plain]; ok {
			i.Name, i.Renamed = other, true
		}
		if !strings.HasPrefix(i.Name, "/") {
			i.Name = Under(e.version, r, i.Name)
		}
	}
	i.Name += e.suffix
	return i
}

// ChildFrames returns the coordinate frames that the transforms of a publication place in other frames. It leaves out
// frames of arrays with a key each, and those with names that only an observation tells.
func (i *Instance) ChildFrames() (all []string) {
	if i.Publish == nil || i.Type != "tf2_msgs/TFMessage" {
		return nil
	}
	list, _ := i.Publish.Message["transforms"].([]any)
	for _, x := range list {
		table, _ := x.(map[string]any)
		pattern, ok := table["child_frame_id"].(string)
		if _, each := table["each"]; each || !ok {
			continue
		}
		if fill, err := newPattern(pattern, nameTexts); err == nil {
			all = append(all, string(fill(nil, &i.Context)))
		}
	}
	return all
}

// NamedAfterSensor reports whether the name contains the name of a sensor.
func (i *Instance) NamedAfterSensor() bool { return strings.Contains(i.pattern, "{sensor}") }

// Under returns the full name of a name in a robot's namespace on a version of ROS.
func Under(v msg.Version, r *worlds.Robot, name string) string {
	return "/" + strings.TrimPrefix(Namespace(v, r)+"/"+name, "/")
}

// Namespace returns a robot's namespace on a version of ROS, without slashes at its start and end. Without one for ROS
// 2, it is that of ROS 1. But a robot with its own master may have the namespace of another robot there, and on ROS 2
// its namespace is its name.
func Namespace(v msg.Version, r *worlds.Robot) string {
	given := r.ROS1.Namespace
	if v == msg.ROS2 && (r.ROS2.Namespace != "" || r.ROS1.MasterPort != 0) {
		given = r.ROS2.Namespace
	}
	if given == "" {
		return r.Name
	}
	return strings.Trim(given, "/")
}

// Renames returns the names that the world file gives topics and services of a robot on a version of ROS, by their
// names in the profile.
func Renames(v msg.Version, r *worlds.Robot) map[string]string {
	if v == msg.ROS2 {
		return r.ROS2.Rename
	}
	return r.ROS1.Rename
}

// Feeds holds all publications at one master: for each feed, the entry that publishes it.
type Feeds map[feed]*Entry

// feed identifies the messages of a publication. It has the topic, and the origin of the messages: a sensor at a level,
// a robot, or the world.
type feed struct {
	// robot is empty for the world, and sensor is empty for the world and a robot
	topic, robot, sensor string
	level                abstraction.Level // empty for a robot and the world
}

// Claim records a publication and returns true. It returns false if subscribers would then get each message twice: if
// another profile feeds the same topic from the same sensor at one of the same levels, from the same robot, or from the
// world. Claim always returns true if the instance publishes nothing, and for transforms, whose topic has many
// publishers. It also returns true if both entries are in the same profile, because the author wants both. It also
// returns true if the two entries have different message types, because the function Check of package robotio reports
// this error.
func (f Feeds) Claim(i *Instance) bool {
	if i.Publish == nil {
		return true
	}
	levels := []abstraction.Level{""}
	one := feed{topic: i.Name}
	if r := i.Context.Robot; r != nil {
		if i.Type == "tf2_msgs/TFMessage" || i.Type == "tf/tfMessage" {
			return true
		}
		one.robot = r.Name
	}
	if s := i.Context.Sensor; s != nil {
		one.sensor = s.Name
		if levels = i.Publish.Levels; levels == nil {
			levels = s.Kind.Levels()
		}
	}
	for _, one.level = range levels {
		if have := f[one]; have != nil && have.Profile != i.Profile && have.MD5 == i.MD5 && have.Type == i.Type {
			return false
		}
	}
	for _, one.level = range levels {
		f[one] = i.Entry
	}
	return true
}

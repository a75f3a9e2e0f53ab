package mapping

import (
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Instance is an Entry set up for the world, for a robot, or for one of a robot's sensors.
type Instance struct {
	*Entry
	Plain   string // name in the profile, with quantities filled in
	Name    string // on the wire
	Renamed bool   // by the robot
	Context Context

	key, pattern string // of the name in the profile
}

// NewContext is the context of a robot of a world.
func (c *Compiled) NewContext(w *worlds.World, robot int) Context {
	var reach physics.Reach
	if c.Reach != nil {
		reach = *c.Reach
	}
	return Context{World: w, Robot: &w.Robots[robot], index: robot, names: c.Names, turned: c.Turned, reach: reach}
}

// Instances are what entries of a profile stand for in the context of a robot. They follow from a world's files alone.
// A publication of a profile that is included is left out where the profile itself feeds the same topic under another
// pattern.
func Instances(entries []*Entry, of Context) (all []Instance) {
	for _, e := range entries {
		all = append(all, e.instances(of)...)
	}
	fed := Feeds{}
	for k := len(all) - 1; k >= 0; k-- { // what is included stands before what includes it
		if !fed.Claim(&all[k]) {
			all = slices.Delete(all, k, k+1)
		}
	}
	return all
}

func (e *Entry) instances(of Context) []Instance {
	switch e.from {
	case fromWorld:
		of.Robot = nil
		return []Instance{e.instance(of, e.key, e.pattern)}
	case fromRobot:
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
			continue // it cannot do what cameras can do: turn
		}
		of.Sensor, of.frame = cfg, cfg.Name+OpticalSuffix
		if of.Camera != nil {
			if camera, ok := of.Camera(of.Robot.Name, cfg.Name); ok {
				of.camera, of.lens = camera, lensOf(camera.Model())
			}
		}
		all = append(all, e.instance(of, key, pattern))
	}
	return all
}

// sensors are a robot's that an entry is from, in its order; of cameras of all kinds those of kind camera come first,
// then Kinects.
func (e *Entry) sensors(r *worlds.Robot) (all []*sensors.Config) {
	kinds := []sensors.Kind{sensors.Kind(e.from)}
	if e.from == fromCameras {
		kinds = []sensors.Kind{sensors.CameraKind, sensors.KinectKind, sensors.OmniKind}
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

// nameTexts are the quantities in names of topics and services.
var nameTexts = quantitiesOf(fromRobot, nil).Texts

// instance fills in the names. Where a topic's name comes from: its pattern in the profile, the robot's [ros1.rename],
// and, unless it begins with /, the robot's namespace.
func (e *Entry) instance(of Context, key, pattern string) Instance {
	fill, err := newPattern(pattern, nameTexts)
	if err != nil {
		panic(err) // it was checked when the profile was compiled
	}
	i := Instance{Entry: e, Plain: string(fill(nil, &of)), Context: of, key: key, pattern: pattern}
	i.Name = "/" + strings.TrimPrefix(i.Plain, "/")
	if r := of.Robot; r != nil {
		i.Name = i.Plain
		if other, ok := r.ROS1.Rename[i.Plain]; ok {
			i.Name, i.Renamed = other, true
		}
		if !strings.HasPrefix(i.Name, "/") {
			i.Name = Under(r, i.Name)
		}
	}
	return i
}

// Under puts a name into a robot's namespace.
func Under(r *worlds.Robot, name string) string {
	return "/" + strings.TrimPrefix(Namespace(r)+"/"+name, "/")
}

// Namespace is a robot's, without slashes at its ends.
func Namespace(r *worlds.Robot) string {
	if r.ROS1.Namespace == "" {
		return r.Name
	}
	return strings.Trim(r.ROS1.Namespace, "/")
}

// Feeds are the publications that are set up at one master: what feeds which topic, and the entry that has it.
type Feeds map[feed]*Entry

// feed is what a publication takes its messages from: a sensor at a level, a robot, or the world, whose robot is empty.
type feed struct {
	topic, robot, sensor string
	level                abstraction.Level // empty of robot and world
}

// Claim notes a publication, and fails where another profile feeds the topic from the same sensor at one of its levels,
// from the same robot, or from the world: subscribers would get each message twice. Free are what publishes nothing,
// transforms, which are collected, entries of one profile, which are as its author wants them, and messages of another
// type, which contradict and are reported elsewhere.
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

package mapping

import "github.com/omnipitch/omnipitch/abstraction"

// Feeds are the publications that are set up at one master: what feeds which topic, and the entry that has it.
type Feeds map[feed]*Entry

// feed is what a publication takes its messages from: a sensor at a level, a robot, or the world, whose robot is empty.
type feed struct {
	topic, robot, sensor string
	level                abstraction.Level // empty of robot and world
}

// Claim notes a publication, and fails where another profile feeds the topic from the same sensor at one of its levels, from the same robot, or
// from the world: subscribers would get each message twice. Free are what publishes nothing, transforms, which are collected, entries of one profile, which are
// as its author wants them, and messages of another type, which contradict and are reported elsewhere.
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

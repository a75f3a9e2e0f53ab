package robotio

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// ownNamespaces are namespaces of the simulator's own topics, services and parameters. The profile standard also puts
// the true poses below ground_truth, in topics and in coordinate frames.
var ownNamespaces = []string{"ground_truth", "omnipitch", "simulation"}

// ownNamespace returns the rule that a name breaks because it is in a namespace of the simulator, or "".
func ownNamespace(name string) string {
	first, _, _ := strings.Cut(strings.Trim(name, "/"), "/")
	if !slices.Contains(ownNamespaces, first) {
		return ""
	}
	return fmt.Sprintf("is a namespace of the simulator itself, as %s are", strings.Join(ownNamespaces, ", "))
}

// reserved reports whether a topic is the simulator's own: on the wire, or as a topic of every recording.
func reserved(topic string) bool {
	return topic == "/rosout" || topic == "/parameter_events" || strings.HasPrefix(topic, "/omnipitch/") ||
		strings.HasPrefix(topic, "/simulation/")
}

// frameNames returns an error for each sensor whose coordinate frame has the name of another frame of its robot.
func frameNames(w *worlds.World) error {
	var errs []error
	for i := range w.Robots {
		taken := map[string]string{"base_link": "the robot's base", "odom": "the robot's odometry"}
		for j := range w.Robots[i].Sensors {
			c := &w.Robots[i].Sensors[j]
			frame := c.Name
			if c.Kind.TakesImages() {
				frame += quantity.OpticalSuffix
			}
			if other := taken[frame]; other != "" {
				errs = append(errs, sensorName(i, j, c, fmt.Sprintf("its coordinate frame %s/%s is already that of %s",
					w.Robots[i].Name, frame, other)))
				continue
			}
			taken[frame] = "sensor " + c.Name
		}
	}
	return errors.Join(errs...)
}

func sensorName(robot, sensor int, c *sensors.Config, rule string) error {
	return &schema.Violation{Path: fmt.Sprintf("robot[%d].sensor[%d]", robot, sensor), Key: "name", Value: c.Name,
		Rule: rule}
}

// thingNames returns an error for each robot and obstacle whose name a profile of the world's robots gives to another
// thing, such as the ball. The messages of the profile would have the same name for both.
func thingNames(v msg.Version, w *worlds.World, profiles map[string]*mapping.Compiled) error {
	given := map[string]string{} // the rule that forbids a name, by the name
	for i := range w.Robots {
		for _, name := range mapping.ProfilesOn(v, &w.Robots[i], profiles) {
			p := profiles[name]
			if p == nil {
				continue
			}
			for thing, called := range p.Names {
				if thing != called && given[called] == "" {
					given[called] = fmt.Sprintf("is the name that profile %s gives to %s", p.Name, thing)
				}
			}
		}
	}
	var errs []error
	judge := func(path, name string) {
		if rule := given[name]; rule != "" {
			errs = append(errs, &schema.Violation{Path: path, Key: "name", Value: name, Rule: rule})
		}
	}
	for i := range w.Robots {
		judge(fmt.Sprintf("robot[%d]", i), w.Robots[i].Name)
	}
	for _, o := range w.AllObstacles() {
		judge(o.Path(), o.Name)
	}
	return errors.Join(errs...)
}

// sameFrame returns an error if a publication places a coordinate frame that another robot or sensor places too: the
// transforms would be those of two things.
func (g *register) sameFrame(u use) error {
	for _, frame := range u.by.ChildFrames() {
		have, known := g.frames[frame]
		if !known {
			g.frames[frame] = u
			continue
		}
		same := have.by.Entry != u.by.Entry || have.by.Context.Sensor == u.by.Context.Sensor
		if have.robot != u.robot && u.by.Context.Robot != nil || have.robot == u.robot && !same {
			return g.violation(u, fmt.Sprintf("its transforms place frame %s, as those of %s do: name the frame after the "+
				"robot or the sensor, as in {robot}/base_link", frame, placedBy(have, g.world)))
		}
	}
	return nil
}

// placedBy returns the robot, and the sensor if there is one, of a use.
func placedBy(u use, w *worlds.World) string {
	name := w.Robots[u.robot].Name
	if s := u.by.Context.Sensor; s != nil {
		name += "." + s.Name
	}
	return name
}

// sameRecorded returns an error if a publication has the name of the topic in which a recording has the images of
// another publication, compressed. Compressed images of the same sensor may have this name.
func (g *register) sameRecorded(u use) error {
	const compressed = "/compressed"
	image, other := u, u
	switch u.by.Type {
	case "sensor_msgs/Image":
		g.packed[u.by.Name+compressed] = u
		other = g.topics[u.by.Name+compressed]
	default:
		image = g.packed[u.by.Name]
	}
	if image.by == nil || other.by == nil || other.by.Publish == nil ||
		other.by.Type == "sensor_msgs/CompressedImage" && image.by.Context.Sensor == other.by.Context.Sensor {
		return nil
	}
	return g.violation(other, fmt.Sprintf("topic %s is that of the compressed images of %s in recordings", other.by.Name,
		image.by.Name))
}

// sameThing returns an error if a topic that is named after a sensor has the name of a topic with other content.
func (g *register) sameThing(have, u use, again bool) error {
	if again || have.by == nil || have.by.Renamed || u.by.Renamed || have.by.Publish == nil || u.by.Publish == nil {
		return nil
	}
	named := func(i *mapping.Instance) bool { return i.Context.Sensor != nil && i.NamedAfterSensor() }
	sensor := func(i *mapping.Instance) string {
		if i.Context.Sensor == nil {
			return ""
		}
		return i.Context.Sensor.Name
	}
	if !named(have.by) && !named(u.by) || sensor(have.by) == sensor(u.by) {
		return nil
	}
	if !named(u.by) {
		have, u = u, have
	}
	robot := &g.world.Robots[u.robot]
	j := slices.IndexFunc(robot.Sensors, func(c sensors.Config) bool { return c.Name == u.by.Context.Sensor.Name })
	return sensorName(u.robot, j, u.by.Context.Sensor, fmt.Sprintf("its topic %s is already %s of profile %s",
		u.by.Name, have.by.Path, have.profile))
}

package robotio

import (
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// claims are entries of profiles that have been set up at one master, and the profiles that feed topics of the world, by the topic.
type claims map[string]string

// claim says whether an entry of a profile is still to be set up under a name: another robot may have had it set up, if it is about the
// world, and another profile of the robot, if both include the one in which it stands. A topic of the world has one profile's messages: those of
// the first robot's that has it.
func (c claims) claim(i *mapping.Instance) bool {
	key := i.Profile + ": " + i.Path + ": " + i.Name
	if r := i.Context.Robot; r != nil {
		key += ": " + r.Name
	} else if i.Publish != nil {
		topic := "topic " + i.Name
		if c[topic] != "" && c[topic] != i.Profile {
			return false
		}
		c[topic] = i.Profile
	}
	if s := i.Context.Sensor; s != nil {
		key += "." + s.Name
	}
	if c[key] != "" {
		return false
	}
	c[key] = i.Profile
	return true
}

// Names of what every bridge has beside the profiles.
const (
	clockTopic     = "/clock"
	speedTopic     = "/simulation/speed"
	predictService = "/simulation/predict"
	labelsParam    = "/omnipitch/labels" // names of the labels in the truth of images
)

func setLevelService(r *worlds.Robot, c *sensors.Config) string {
	return mapping.Under(r, c.Name+"/set_level")
}
func levelTopic(r *worlds.Robot, c *sensors.Config) string { return mapping.Under(r, c.Name+"/level") }

// ackTopic is where a robot that is waited for acknowledges.
func ackTopic(r *worlds.Robot) string { return mapping.Under(r, "ack") }

func truthTopic(r *worlds.Robot, c *sensors.Config, stream string) string {
	return mapping.Under(r, c.Name+"/ground_truth/"+stream)
}

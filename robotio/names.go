package robotio

import (
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// claims are entries of profiles that have been set up at one master.
type claims struct {
	entries map[string]bool
	feeds   mapping.Feeds
}

func newClaims() claims { return claims{map[string]bool{}, mapping.Feeds{}} }

// claim says whether an entry of a profile is still to be set up under a name: another robot may have had it set up, if
// it is about the world, and another profile of the robot, if both include the one in which it stands. A topic has one
// profile's messages of one sensor, of one robot, and of the world: those of the first profile, and of the first robot,
// that have it.
func (c claims) claim(i *mapping.Instance) bool {
	key := i.Profile + ": " + i.Path + ": " + i.Name
	if r := i.Context.Robot; r != nil {
		key += ": " + r.Name
	}
	if s := i.Context.Sensor; s != nil {
		key += "." + s.Name
	}
	if c.entries[key] || !c.feeds.Claim(i) {
		return false
	}
	c.entries[key] = true
	return true
}

// Names of what every bridge has beside the profiles.
const (
	clockTopic     = "/clock"
	speedTopic     = "/simulation/speed"
	decisionsTopic = "/simulation/decisions"
	predictService = "/simulation/predict"
	pauseService   = "/simulation/pause"
	stepService    = "/simulation/step"
	seekService    = "/simulation/seek"  // of replays
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

package robotio

import (
	"maps"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// claims records which entries of profiles have been set up at one master.
type claims struct {
	entries map[string]bool
	feeds   mapping.Feeds
}

func newClaims() claims { return claims{map[string]bool{}, mapping.Feeds{}} }

// claim records an instance and returns true if the instance must be set up. It returns false if the same entry has
// been set up already. An entry of the world is in the profiles of several robots, and several profiles of a robot may
// include the same profile. claim also returns false if another profile already feeds the topic from the same sensor,
// robot or world: only the first profile publishes.
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

// Names of the topics, services and parameters that every bridge has, whatever the profiles contain.
const (
	clockTopic     = "/clock"
	speedTopic     = "/simulation/speed"
	decisionsTopic = "/simulation/decisions"
	predictService = "/simulation/predict"
	pauseService   = "/simulation/pause"
	stepService    = "/simulation/step"  // one step
	stepsService   = "/simulation/steps" // any number of steps
	seekService    = "/simulation/seek"  // in replays only
	labelsParam    = "/omnipitch/labels" // names of the labels in ground truth images
)

func setLevelService(v msg.Version, r *worlds.Robot, c *sensors.Config) string {
	return mapping.Under(v, r, c.Name+"/set_level")
}

func levelTopic(v msg.Version, r *worlds.Robot, c *sensors.Config) string {
	return mapping.Under(v, r, c.Name+"/level")
}

// ackTopic returns the topic on which a robot acknowledges messages in lockstep.
func ackTopic(v msg.Version, r *worlds.Robot) string { return mapping.Under(v, r, "ack") }

func truthTopic(v msg.Version, r *worlds.Robot, c *sensors.Config, stream string) string {
	return mapping.Under(v, r, c.Name+"/ground_truth/"+stream)
}

// Services returns the names of the services that a bridge serves on ROS 1 at the common master, sorted. It returns the
// errors that Check finds.
func Services(w *worlds.World) ([]string, error) {
	all, err := check(w, msg.ROS1, "")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{predictService: true, pauseService: true, stepService: true,
		stepsService: true}
	for i := range w.Robots {
		r := &w.Robots[i]
		if r.ROS1.MasterPort != 0 {
			continue
		}
		for k := range r.Sensors {
			names[setLevelService(msg.ROS1, r, &r.Sensors[k])] = true
		}
		for _, profile := range mapping.ProfilesOf(r) {
			p := all[profile]
			for _, s := range mapping.Instances(p.Servers, p.NewContext(w, i)) {
				if s.Action == nil {
					names[s.Name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

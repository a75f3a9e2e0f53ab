package robotio

import (
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// entry is one topic or service of a profile, and for whom it is set up: for the world, a robot, or a camera of it.
// Entries follow from a world's files alone, for the bridge and for who checks the files.
type entry struct {
	mapping.Stands
	i            int    // of the profile's list
	key, pattern string // as the profile has its name
	plain        string // with words filled in
	name         string // on the wire
	renamed      bool   // by the robot
	of           scene
}

// nameTexts are the words in names of topics and services.
var nameTexts = wordsOf(fromRobot, nil).Texts

// sceneOf is a robot of a world, to a profile.
func sceneOf(w *worlds.World, d *dialect, robot int) scene {
	return scene{world: w, names: d.Names, robot: &w.Robots[robot], index: robot}
}

// publications lists what a profile publishes for a robot, and for the world.
func (d *dialect) publications(s scene) (all []entry) {
	for i := range d.publish {
		e := &d.Publish[i]
		all = append(all, s.entries(e.From, e.More, entry{Stands: e.Stands, i: i, key: "topic", pattern: e.Topic})...)
	}
	return all
}

// subscriptions lists what a profile has a robot, its cameras that turn, and the world obey.
func (d *dialect) subscriptions(s scene) (all []entry) {
	for i := range d.subscribe {
		e := &d.Subscribe[i]
		all = append(all, s.entries(e.From, "", entry{Stands: e.Stands, i: i, key: "topic", pattern: e.Topic})...)
	}
	return slices.DeleteFunc(all, func(e entry) bool { return e.of.cfg != nil && e.of.cfg.Head == nil })
}

// servers lists what a profile serves.
func (d *dialect) servers(s scene) (all []entry) {
	for i := range d.services {
		e := &d.Services[i]
		all = append(all, s.entries(e.From, "", entry{Stands: e.Stands, i: i, key: "name", pattern: e.Name})...)
	}
	return all
}

// callers lists what a profile calls.
func (d *dialect) callers(s scene) (all []entry) {
	for i := range d.calls {
		e := &d.Calls[i]
		all = append(all, s.entries(e.From, "", entry{Stands: e.Stands, i: i, key: "service", pattern: e.Service})...)
	}
	return all
}

// entries are what an entry that is from the world, a robot, or a kind of sensor stands for.
func (s scene) entries(from, more string, e entry) []entry {
	switch e.of = s; from {
	case fromWorld:
		e.of.robot = nil
		return []entry{e.named()}
	case fromRobot:
		return []entry{e.named()}
	}
	var all []entry
	for k, cfg := range sensorsOf(s.robot, sensors.Kind(from)) {
		of := e
		of.of.cfg = cfg
		if k > 0 && !strings.Contains(e.pattern, "{sensor}") {
			if more == "" {
				break
			}
			of.key, of.pattern = "more", more
		}
		all = append(all, of.named())
	}
	return all
}

// named fills in the names.
func (e entry) named() entry {
	fill, err := mapping.Text(e.pattern, nameTexts)
	if err != nil {
		panic(err) // it was checked when the profile was compiled
	}
	e.plain = string(fill(nil, &e.of))
	e.name = "/" + strings.TrimPrefix(e.plain, "/")
	if r := e.of.robot; r != nil {
		e.name = e.plain
		if other, ok := r.ROS1.Rename[e.plain]; ok {
			e.name, e.renamed = other, true
		}
		if !strings.HasPrefix(e.name, "/") {
			e.name = under(r, e.name)
		}
	}
	return e
}

// under puts a name into a robot's namespace.
func under(r *worlds.Robot, name string) string {
	return "/" + strings.TrimPrefix(space(r)+"/"+name, "/")
}

// space is a robot's namespace, without slashes at its ends.
func space(r *worlds.Robot) string {
	if r.ROS1.Namespace == "" {
		return r.Name
	}
	return strings.Trim(r.ROS1.Namespace, "/")
}

func sensorsOf(r *worlds.Robot, kind sensors.Kind) (cfgs []*sensors.Config) {
	for i := range r.Sensors {
		if r.Sensors[i].Kind == kind {
			cfgs = append(cfgs, &r.Sensors[i])
		}
	}
	return cfgs
}

// claims are entries of profiles that have been set up at one master.
type claims map[string]bool

// claim says whether an entry of a profile is still to be set up under a name: another robot may have had it set up, if it is about the
// world, and another profile of the robot, if both include the one in which it stands.
func (c claims) claim(e entry) bool {
	key := e.In + ": " + e.Path + ": " + e.name
	if e.of.robot != nil {
		key += ": " + e.of.robot.Name
	}
	if e.of.cfg != nil {
		key += "." + e.of.cfg.Name
	}
	if c[key] {
		return false
	}
	c[key] = true
	return true
}

// Names of what every bridge has beside the profiles.
const clockTopic = "/clock"

func setLevelService(r *worlds.Robot, c *sensors.Config) string { return under(r, c.Name+"/set_level") }
func levelTopic(r *worlds.Robot, c *sensors.Config) string      { return under(r, c.Name+"/level") }

// ackTopic is where a robot that is waited for acknowledges.
func ackTopic(r *worlds.Robot) string { return under(r, "ack") }

func truthTopic(r *worlds.Robot, c *sensors.Config, stream string) string {
	return under(r, c.Name+"/ground_truth/"+stream)
}

package robotio

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// register records the names that are in use at one master, or on ROS 2, to find names with contradictory uses.
type register struct {
	version  msg.Version
	world    *worlds.World
	profiles map[string]*mapping.Compiled // profiles by name; nil for a profile with errors
	wrong    schema.Failed                // places of invalid names of robots, see robotNames
	taken    claims
	topics   map[string]use // first use of each topic, by its name
	services map[string]use
	frames   map[string]use // first use of each coordinate frame in a transform, by its name
	packed   map[string]use // images, by the names of the topics that have them compressed in recordings
	reported map[rename]bool
}

// rename identifies one entry of a robot's key rename. A wrong rename may contradict many names, but is reported once.
type rename struct {
	robot int
	from  string
}

// use is one use of a topic or a service.
type use struct {
	by      *mapping.Instance // entry of a profile; nil for a name that no profile has
	profile string            // the robot's profile, which contains or includes the entry
	robot   int
}

// robot checks one robot's topics and services, in the order in which the bridge sets them up.
func (g *register) robot(index int) error {
	r, at := &g.world.Robots[index], fmt.Sprintf("robot[%d]", index)
	space, key := namespacePath(g.version, g.world, index)
	if g.unnamed(at+".name") || g.unnamed(space+"."+key) ||
		g.unnamed(mapping.ProfilesPath(g.world, index, g.version)+".profiles") {
		return nil // the robot's namespace is unknown, and so are the names of its topics
	}
	g.addOwn(r)
	unused := maps.Clone(mapping.Renames(g.version, r))
	var plain []string
	var errs []error
	add := func(p *mapping.Compiled, entries []*mapping.Entry, rule func(u use, again bool) error) {
		for _, e := range mapping.Instances(entries, p.NewContext(g.world, index)) {
			if e.Context.Robot != nil {
				delete(unused, e.Plain)
				plain = append(plain, e.Plain)
			}
			again := !g.taken.claim(&e)
			if err := checkName(g.version, e.Name); err == nil {
				errs = append(errs, g.world.Locate(rule(use{&e, p.Name, index}, again)))
			} else if !again && !e.Renamed && !g.unnamedSensors(index) {
				err = fmt.Errorf("of robot %s: %w", r.Name, err)
				if p.Ships() { // a shipped profile has no errors, so the name of the robot or of its team is wrong
					err = g.world.Locate(g.violation(use{&e, p.Name, index}, err.Error()))
				} else {
					err = p.LocateName(&e, err)
				}
				errs = append(errs, err)
			}
		}
	}
	for _, name := range mapping.ProfilesOn(g.version, r, g.profiles) {
		p := g.profiles[name]
		if p == nil {
			unused = nil // the profile with errors may have the unused names
			continue
		}
		add(p, p.Publications, g.addPublication)
		add(p, p.Subscriptions, g.addSubscription)
		add(p, p.Replies, g.addPublication)
		add(p, p.Servers, g.addServer)
		add(p, p.Callers, func(use, bool) error { return nil })
		add(p, p.Beliefs, func(use, bool) error { return nil }) // publishers may have any type
	}
	for _, from := range slices.Sorted(maps.Keys(unused)) {
		if g.unnamedSensors(index) ||
			g.wrong.At(renamesPath(g.version, index)+"."+schema.KeyText(from)) {
			continue
		}
		rule := "renames nothing: its profiles have no such topic or service"
		if near := rules.Nearest(from, plain); near != "" {
			rule += fmt.Sprintf("; did you mean %q?", near)
		}
		errs = append(errs, g.world.Locate(renaming(g.version, index, from, unused[from], rule)))
	}
	return errors.Join(errs...)
}

// unnamed reports whether the name at a path of the world file is wrong or unknown.
func (g *register) unnamed(path string) bool {
	return !g.world.NoErrorAt(path) || g.wrong.Touches(path)
}

// unnamedSensors reports whether the name or kind of any sensor of a robot is wrong or unknown.
func (g *register) unnamedSensors(robot int) bool {
	path := fmt.Sprintf("robot[%d].sensor", robot)
	for j := range g.world.Robots[robot].Sensors {
		if sensor := fmt.Sprintf("%s[%d]", path, j); g.unnamed(sensor+".name") || g.unnamed(sensor+".kind") {
			return true
		}
	}
	return false
}

// violation returns an error with its place in the world file: the robot's rename of the entry, or the robot's list of
// profiles. It returns nil if an error at this rename has been returned before.
func (g *register) violation(u use, rule string) error {
	if u.by.Renamed {
		r := rename{u.robot, u.by.Plain}
		if g.reported[r] {
			return nil
		}
		g.reported[r] = true
		to := mapping.Renames(g.version, u.by.Context.Robot)[u.by.Plain]
		return renaming(g.version, u.robot, u.by.Plain, to, rule)
	}
	return &schema.Violation{Path: mapping.ProfilesPath(g.world, u.robot, g.version), Key: "profiles",
		Rule: fmt.Sprintf("%s of profile %s: %s", u.by.Path, u.profile, rule)}
}

func renaming(v msg.Version, robot int, from, to, rule string) error {
	return &schema.Violation{Path: renamesPath(v, robot), Key: schema.KeyText(from), Value: to, Rule: rule}
}

// renamesPath returns the path of a robot's key rename in the world file.
func renamesPath(v msg.Version, robot int) string {
	return fmt.Sprintf("robot[%d].ros%d.rename", robot, v)
}

// addOwn registers the topics of a robot that are not in a profile.
func (g *register) addOwn(r *worlds.Robot) {
	for i := range r.Sensors {
		c := &r.Sensors[i]
		g.topics[levelTopic(g.version, r, c)], g.services[setLevelService(g.version, r, c)] = use{}, use{}
		for _, s := range truthStreams {
			if c.Annotate {
				g.topics[truthTopic(g.version, r, c, s.name)] = use{}
			}
		}
	}
	for _, name := range radioTopics(g.version, g.world, r) {
		g.topics[name] = use{}
	}
	for _, wait := range g.world.Time.WaitFor {
		if wait.Robot == r.Name && (wait.Answer == "ack" || wait.Order == timesync.OrderAll) {
			g.topics[ackTopic(g.version, r)] = use{}
		}
	}
}

// addPublication registers a publication. It returns an error if the topic's name belongs to the simulator itself, or
// if the message type contradicts another use of the topic. again reports whether the same entry was registered before
// for another profile or robot.
func (g *register) addPublication(u use, again bool) error {
	if have, known := g.topics[u.by.Name]; known && have.by == nil || !again && reserved(u.by.Name) {
		return g.violation(u, fmt.Sprintf("topic %s is the simulator's own", u.by.Name))
	}
	if !again {
		if err := errors.Join(g.sameFrame(u), g.sameRecorded(u)); err != nil {
			return err
		}
	}
	return g.addSubscription(u, again)
}

// addSubscription registers a use of a topic. It returns an error if the type contradicts another use, or if two
// publications have the same name because of the name of a sensor.
func (g *register) addSubscription(u use, again bool) error {
	have, known := g.topics[u.by.Name]
	if !known {
		g.topics[u.by.Name] = u
		return nil
	}
	if err := g.sameThing(have, u, again); err != nil {
		return err
	}
	return g.differ("topic", have, u)
}

// addServer registers a service. It returns an error if another server has a service of the same name.
func (g *register) addServer(u use, again bool) error {
	have, known := g.services[u.by.Name]
	switch {
	case !known:
		g.services[u.by.Name] = u
		return g.addAction(u)
	case have.by == nil:
		return g.violation(u, fmt.Sprintf("service %s is the simulator's own", u.by.Name))
	case again:
		return g.differ("service", have, u)
	}
	have, u = wrongLast(have, u)
	return g.violation(u, fmt.Sprintf("service %s is provided by profile %s too", u.by.Name, have.profile))
}

// addAction registers the topics of an action. It returns an error if one of them has another use. It does nothing for
// a service.
func (g *register) addAction(u use) error {
	for _, topic := range u.by.ActionTopics() {
		name := u.by.Name + "/" + topic
		if _, known := g.topics[name]; known || reserved(name) {
			return g.violation(u, fmt.Sprintf("topic %s of the action has another use", name))
		}
		g.topics[name] = use{}
	}
	return nil
}

// differ returns an error if two uses of the same name have different types.
func (g *register) differ(what string, have, u use) error {
	if have.by == nil || have.by.Type == u.by.Type && have.by.MD5 == u.by.MD5 {
		return nil
	}
	have, u = wrongLast(have, u)
	here, there := u.by.Type, have.by.Type
	if here == there {
		name := "md5 sum"
		if g.version == msg.ROS2 {
			name = "hash"
		}
		sum := func(u use) string { return strings.TrimPrefix(u.by.MD5, "RIHS01_") }
		here, there = fmt.Sprintf("%s (%s %.8s)", here, name, sum(u)), fmt.Sprintf("%s (%.8s)", there, sum(have))
	}
	return g.violation(u, fmt.Sprintf("%s %s has type %s here, and %s in profile %s", what, u.by.Name, here, there,
		have.profile))
}

// wrongLast orders two contradictory uses so that the second one is the use to report. That is normally the later use,
// b. If only a is renamed, it is a.
func wrongLast(a, b use) (use, use) {
	if a.by.Renamed && !b.by.Renamed {
		return b, a
	}
	return a, b
}

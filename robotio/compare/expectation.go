package compare

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
)

// expectation is a name that a profile expects.
type expectation struct {
	*mapping.Entry // nil for a parameter
	side           Side
	name           string
	robot          *string // namespace of the robot; nil for names that robots share
	rate           float64 // rate of a publication, Hz; 0 if unknown
	everyStep      bool    // a simulator with longer steps may publish less often than rate
	quiet          string  // why a publication may be silent; empty if it must not be silent
	level          string  // level of the sensor in the world
	unfed          bool    // whether the sensor does not feed the publication at this level
	optional       bool    // a robot need not have it
	// whether only omnipitch has the name, not the simulator or the robots that the profile models
	extra bool
	value any // value of a parameter; nil if unknown
}

// kinds returns the entries of a profile, grouped by their sides.
func kinds(p *mapping.Compiled) []struct {
	side    Side
	entries []*mapping.Entry
} {
	topics, services := slices.Clone(p.Subscriptions), []*mapping.Entry(nil)
	for _, e := range p.Servers {
		switch { // an action's other topics and services come with that of its goals
		case e.Action == nil:
			services = append(services, e)
		case e.Action.ROS2 != nil:
			services = append(services, e.GoalService())
		default:
			topics = append(topics, e.GoalTopic())
		}
	}
	return []struct {
		side    Side
		entries []*mapping.Entry
	}{{Publishes, slices.Concat(p.Publications, p.Replies)}, {Subscribes, topics}, {Serves, services},
		{Calls, p.Callers}}
}

// expectWorld returns the expectations of a profile for robots of a world.
func expectWorld(p *mapping.Compiled, w *worlds.World, robots []int) (all []expectation) {
	for _, robot := range robots {
		c := p.NewContext(w, robot)
		for _, kind := range kinds(p) {
			for _, i := range mapping.Instances(kind.entries, c) {
				e := expectation{Entry: i.Entry, side: kind.side, name: i.Name, extra: p.Extra(i.Entry.Pattern())}
				if i.Context.Robot != nil && !strings.HasPrefix(i.Plain, "/") {
					ns := mapping.Namespace(p.Version, i.Context.Robot)
					e.robot = &ns
				}
				if s := i.Context.Sensor; s != nil && e.Publish != nil {
					e.level = string(s.Level)
					if e.unfed = !e.FedAt(s.Level); e.unfed {
						e.quiet = "at level " + e.level
					} else {
						e.rate = s.Rate
					}
				}
				e.setPace()
				all = append(all, e)
			}
		}
	}
	if len(robots) > 0 {
		c := p.NewContext(w, robots[0])
		for i := range p.Parameters {
			all = append(all, expectation{side: Parameter, name: p.Parameters[i].Name, value: p.Parameters[i].Value(&c),
				extra: p.Extra(p.Parameters[i].Name)})
		}
	}
	return all
}

// setPace sets quiet and, for publications of a robot or of the world, rate and everyStep.
func (e *expectation) setPace() {
	if e.Publish == nil {
		return
	}
	if e.Publish.Rate > 0 {
		e.rate, e.everyStep = 1/e.Publish.Rate.Seconds(), true
	}
	switch {
	case e.Publish.When != "":
		e.quiet = "while " + e.Publish.When + " is zero"
	case e.Publish.Beside:
		e.quiet = "until something makes the sensor observe"
	}
}

// braces matches quantities in names.
var braces = regexp.MustCompile(`\{[^}]*\}`)

// matcher returns the expression that matches all names of a pattern, after a prefix. A quantity matches any name.
func matcher(prefix, pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^" + prefix)
	last := 0
	for _, span := range braces.FindAllStringIndex(pattern, -1) {
		b.WriteString(regexp.QuoteMeta(pattern[last:span[0]]) + "[A-Za-z][A-Za-z0-9_]*")
		last = span[1]
	}
	b.WriteString(regexp.QuoteMeta(pattern[last:]) + "$")
	return regexp.MustCompile(b.String())
}

// absolute reports whether the name of an entry is absolute. Other names are relative to a robot's namespace.
func absolute(e *mapping.Entry) bool {
	return e.From() == "world" || strings.HasPrefix(e.Pattern(), "/")
}

// expectGraph returns the expectations of a profile for robots in the given namespaces, without a world. t holds the
// known texts in names. A robot is assumed to have exactly the sensors whose topics exist.
func expectGraph(p *mapping.Compiled, namespaces []string, s *system, t texts) (all []expectation) {
	for _, kind := range kinds(p) { // names that robots share
		for _, entry := range kind.entries {
			if pattern := "/" + strings.TrimPrefix(entry.Pattern(), "/"); absolute(entry) && !strings.Contains(pattern,
				"{robot}") {
				e := expectation{Entry: entry, side: kind.side, extra: p.Extra(entry.Pattern())}
				e.setPace()
				for name, there := range t.names(pattern, namespaces) {
					e.optional = !there
					all = append(all, e.named(name, s)...)
				}
			}
		}
	}
	for _, ns := range namespaces {
		for _, kind := range kinds(p) {
			for _, entry := range kind.entries {
				if absolute(entry) && !strings.Contains(entry.Pattern(), "{robot}") {
					continue
				}
				e := expectation{Entry: entry, side: kind.side, robot: &ns, extra: p.Extra(entry.Pattern())}
				e.setPace()
				if from := entry.From(); from != "world" && from != "robot" {
					e.optional, e.quiet = true, "of a sensor that the robot may lack, or at another level"
				}
				name := strings.ReplaceAll(entry.Pattern(), "{robot}", base(ns))
				if !strings.HasPrefix(name, "/") {
					name = "/" + strings.TrimPrefix(ns+"/"+name, "/")
				}
				for name := range t.names(name, namespaces) {
					all = append(all, e.named(name, s)...)
				}
			}
		}
	}
	for i := range p.Parameters {
		e := expectation{side: Parameter, name: p.Parameters[i].Name, extra: p.Extra(p.Parameters[i].Name)}
		e.value, _ = p.Parameters[i].Constant()
		all = append(all, e)
	}
	return all
}

// named returns one expectation for each name in the system that matches a pattern, which may contain quantities in
// braces. If no name matches, it returns one expectation with the pattern as its name.
func (e expectation) named(pattern string, s *system) (all []expectation) {
	e.name = pattern
	if !braces.MatchString(pattern) {
		return []expectation{e}
	}
	is := matcher("", pattern)
	for _, n := range s.names(e.side) {
		if is.MatchString(n) {
			found := e
			found.name = n
			all = append(all, found)
		}
	}
	if all == nil {
		return []expectation{e}
	}
	return all
}

// findRobots returns the namespaces that contain names of a profile's robots. A namespace counts if it contains at
// least half as many names as the namespace with the most names. Fewer names are no evidence, because a name such as
// odom occurs in many places.
func findRobots(p *mapping.Compiled, s *system) (namespaces []string) {
	votes, sure := map[string]int{}, map[string]bool{}
	for _, kind := range kinds(p) {
		for _, e := range kind.entries {
			if absolute(e) || braces.MatchString(e.Pattern()) || kind.side == Calls {
				continue
			}
			is := matcher("(/.*)?/", e.Pattern())
			for _, name := range s.simulators(kind.side) {
				if m := is.FindStringSubmatch(name); m != nil {
					ns := strings.Trim(m[1], "/")
					votes[ns]++
					sure[ns] = sure[ns] || e.More() == ""
				}
			}
		}
	}
	most := 0
	for _, n := range votes {
		most = max(most, n)
	}
	for _, ns := range slices.Sorted(maps.Keys(votes)) {
		// A namespace that contains only names of a further sensor is the namespace of that sensor, if its parent is
		// the namespace of a robot.
		sensor := !sure[ns] && sure[strings.Trim(path.Dir("/"+ns), "/")]
		if 2*votes[ns] >= most && !sensor {
			namespaces = append(namespaces, ns)
		}
	}
	return namespaces
}

// removeDuplicates keeps one of several expectations with the same side and name. Cameras of different kinds can have
// the same name. It prefers the expectation whose type is the type that the master knows, then an expectation without
// braces in its name, then an expectation that must not be silent. The rate of a topic that several sensors feed is
// unknown.
func removeDuplicates(all []expectation, s *system) (kept []expectation) {
	type key struct {
		side Side
		name string
	}
	at := map[key]int{}
	weight := func(e *expectation) (n int) {
		if e.Entry == nil {
			return 0
		}
		if s.Types[e.name] == e.Type {
			n += 4
		}
		if !braces.MatchString(e.Pattern()) {
			n += 2
		}
		if e.quiet == "" {
			n++
		}
		return n
	}
	for _, e := range all {
		k := key{e.side, e.name}
		i, known := at[k]
		switch {
		case !known:
			at[k] = len(kept)
			kept = append(kept, e)
		default:
			have := kept[i]
			if weight(&e) > weight(&have) {
				kept[i] = e
			}
			switch {
			case have.unfed != e.unfed: // only the sensor that feeds the topic counts
				kept[i].rate = max(have.rate, e.rate)
			default:
				kept[i].rate = 0
			}
		}
	}
	return kept
}

// same reports whether two parameters have the same value. An int equals a float64 of the same number.
func same(want, found any) bool {
	if x, ok := number(want); ok {
		y, ok := number(found)
		return ok && x == y
	}
	switch want := want.(type) {
	case []any:
		list, ok := found.([]any)
		return ok && slices.EqualFunc(want, list, same)
	case map[string]any:
		table, ok := found.(map[string]any)
		return ok && maps.EqualFunc(want, table, same)
	}
	return fmt.Sprintf("%T %v", want, want) == fmt.Sprintf("%T %v", found, found)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

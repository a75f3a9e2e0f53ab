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
	*mapping.Entry // nil of a parameter
	side           Side
	name           string
	robot          *string // namespace; nil of what robots share
	rate           float64 // of a publication, Hz; 0: unknown
	everyStep      bool    // of a rate: or as often as the simulator steps
	quiet          string  // why it may be silent; empty: it may not
	level          string  // of the sensor, as the world has it
	unfed          bool    // at that level
	optional       bool    // a robot need not have it
	extra          bool    // what the profile is after does not have it
	value          any     // of a parameter; nil: unknown
}

// kinds are a profile's entries, each with its side.
func kinds(p *mapping.Compiled) []struct {
	side    Side
	entries []*mapping.Entry
} {
	return []struct {
		side    Side
		entries []*mapping.Entry
	}{{Publishes, p.Publications}, {Subscribes, p.Subscriptions}, {Serves, p.Servers}, {Calls, p.Callers}}
}

// ofWorld are what a profile expects of robots of a world.
func ofWorld(p *mapping.Compiled, w *worlds.World, robots []int) (all []expectation) {
	for _, robot := range robots {
		c := p.NewContext(w, robot)
		for _, kind := range kinds(p) {
			for _, i := range mapping.Instances(kind.entries, c) {
				e := expectation{Entry: i.Entry, side: kind.side, name: i.Name, extra: p.Extra(i.Entry.Pattern())}
				if i.Context.Robot != nil && !strings.HasPrefix(i.Plain, "/") {
					ns := mapping.Namespace(i.Context.Robot)
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
				e.paced()
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

// paced notes how often a publication of the robot's or the world's comes.
func (e *expectation) paced() {
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

// braces are quantities in names.
var braces = regexp.MustCompile(`\{[^}]*\}`)

// matcher returns what matches names that a pattern stands for, below a prefix.
func matcher(prefix, pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^" + prefix)
	last := 0
	for _, at := range braces.FindAllStringIndex(pattern, -1) {
		b.WriteString(regexp.QuoteMeta(pattern[last:at[0]]) + "[A-Za-z][A-Za-z0-9_]*")
		last = at[1]
	}
	b.WriteString(regexp.QuoteMeta(pattern[last:]) + "$")
	return regexp.MustCompile(b.String())
}

// absolute tells whether an entry's name is not below a robot's namespace.
func absolute(e *mapping.Entry) bool {
	return e.From() == "world" || strings.HasPrefix(e.Pattern(), "/")
}

// ofGraph are what a profile expects of robots in these namespaces, whose texts are known as far as t has them. Sensors
// are those whose topics there are.
func ofGraph(p *mapping.Compiled, namespaces []string, s *system, t texts) (all []expectation) {
	for _, kind := range kinds(p) { // what robots share
		for _, entry := range kind.entries {
			if pattern := "/" + strings.TrimPrefix(entry.Pattern(), "/"); absolute(entry) && !strings.Contains(pattern,
				"{robot}") {
				e := expectation{Entry: entry, side: kind.side, extra: p.Extra(entry.Pattern())}
				e.paced()
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
				e.paced()
				if from := entry.From(); from != "world" && from != "robot" {
					e.optional, e.quiet = true, "of a sensor that the robot may not have, or at another level"
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

// named returns the expectation for every name in the system that a name with quantities in braces stands for; without
// any, as it is.
func (e expectation) named(name string, s *system) (all []expectation) {
	e.name = name
	if !braces.MatchString(name) {
		return []expectation{e}
	}
	is := matcher("", name)
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

// findRobots returns the namespaces in which the system has what a simulator would have of a profile's robots. Of
// several that fit, those count that have at least half as much as the one that has most: a name such as odom is found
// in many places.
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
		// What has names alone that a further sensor's topics have too is a sensor's, if its robot is there.
		sensor := !sure[ns] && sure[strings.Trim(path.Dir("/"+ns), "/")]
		if 2*votes[ns] >= most && !sensor {
			namespaces = append(namespaces, ns)
		}
	}
	return namespaces
}

// onceEach leaves one of the expectations that have a side and a name in common, as cameras of several kinds have: the
// one whose type the master names, whose name is written out, or that must not be silent, in this order. Of a topic
// that several feed the rate is unknown.
func onceEach(all []expectation, s *system) (kept []expectation) {
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
			case have.unfed != e.unfed: // the one that is fed says how often
				kept[i].rate = max(have.rate, e.rate)
			default:
				kept[i].rate = 0
			}
		}
	}
	return kept
}

// same tells whether a parameter has a value: numbers may be whole or not.
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

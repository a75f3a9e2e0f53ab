package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

// Options of a comparison.
type Options struct {
	Profile *mapping.Compiled
	World   *worlds.World // whose robots are expected, with their sensors and rates; nil: those that are found
	Port    int           // of the master: robots of a world that have another of their own are left out
	Robots  []string      // namespaces of the robots that are expected, with or without slashes at their ends; nil: all of the world, or found
	For     time.Duration // how long rates are measured, wall time
}

// ErrNoRobots says that a system has nothing by which robots of a profile could be found.
var ErrNoRobots = errors.New("no robots")

// Run compares the system at a node's master with a profile. It fails with ErrNoRobots, when the master does not answer, and when ctx ends.
func Run(ctx context.Context, n *ros1.Node, opts Options) (*Report, error) {
	s, err := survey(ctx, n)
	if err != nil {
		return nil, err
	}
	report := &Report{Profile: opts.Profile.Name}
	for _, ns := range opts.Robots {
		report.Robots = append(report.Robots, strings.Trim(ns, "/"))
	}
	var all []expectation
	if opts.World != nil {
		robots := robotsOf(opts.World, opts.Profile.Name, opts.Port, report.Robots)
		report.Robots = nil
		for _, i := range robots {
			report.Robots = append(report.Robots, mapping.Namespace(&opts.World.Robots[i]))
		}
		all = ofWorld(opts.Profile, opts.World, robots)
	} else {
		if report.Robots == nil {
			report.Robots = findRobots(opts.Profile, s)
		}
		all = ofGraph(opts.Profile, report.Robots, s)
	}
	all = onceEach(all, s)
	if len(report.Robots) == 0 && !slices.ContainsFunc(all, func(e expectation) bool { return e.side != Parameter && s.has(&e) }) {
		return nil, fmt.Errorf("%w: nothing at this master has the names of profile %s", ErrNoRobots, opts.Profile.Name)
	}
	s.ask(ctx, all)
	var topics []string
	for i := range all {
		if e := &all[i]; e.measured(s) {
			topics = append(topics, e.name)
		}
	}
	r, err := s.measure(ctx, topics, opts.For)
	if err != nil {
		return nil, err
	}
	if r.clock {
		factor := r.sim.Seconds() / r.wall.Seconds()
		report.RealTimeFactor = &factor
	}
	for i := range all {
		report.Rows = append(report.Rows, s.row(&all[i], r))
	}
	report.Rows = append(report.Rows, uncommanded(report.Rows)...)
	report.Rows = append(report.Rows, s.misnamed(all, report)...)
	return report, nil
}

// robotsOf are the robots of a world at a master that have a profile, or all if none has; of these, those in namespaces unless there are none.
func robotsOf(w *worlds.World, profile string, port int, namespaces []string) (robots []int) {
	own := slices.ContainsFunc(w.Robots, func(r worlds.Robot) bool { return r.ROS1.MasterPort != 0 && r.ROS1.MasterPort == port })
	speaks := false
	for i := range w.Robots {
		r := &w.Robots[i]
		there := r.ROS1.MasterPort == 0 && !own || own && r.ROS1.MasterPort == port
		if !there || namespaces != nil && !slices.Contains(namespaces, mapping.Namespace(r)) {
			continue
		}
		has := slices.Contains(mapping.ProfilesOf(r), profile)
		if has && !speaks {
			speaks, robots = true, nil
		}
		if has || !speaks {
			robots = append(robots, i)
		}
	}
	return robots
}

// has tells whether somebody does something with a name.
func (s *system) has(e *expectation) bool {
	if e.side == Serves || e.side == Calls {
		return len(s.Services[e.name]) > 0
	}
	return len(s.Publishers[e.name])+len(s.Subscribers[e.name]) > 0
}

// measured tells whether a topic's rate is measured. To subscribe to images, or to what comes with them, makes a simulator draw them: that is
// measured where others subscribe too.
func (e *expectation) measured(s *system) bool {
	switch e.side {
	case Publishes:
		images := len(e.Publish.Levels) > 0 && !slices.ContainsFunc(e.Publish.Levels, func(l abstraction.Level) bool { return l != abstraction.Raw && l != abstraction.Ideal })
		return len(s.Publishers[e.name]) > 0 && (!images || len(s.Subscribers[e.name]) > 0)
	case Subscribes:
		return len(s.Publishers[e.name]) > 0
	}
	return false
}

// row compares one name.
func (s *system) row(e *expectation, r *rates) Row {
	row := Row{Name: e.name, Side: e.side, Robot: e.robot}
	if e.Entry != nil {
		row.Expected.Type, row.Expected.MD5 = e.Type, e.MD5
	}
	switch e.side {
	case Publishes:
		s.topicRow(&row, e)
		if len(row.Found.By) == 0 {
			if e.optional && len(row.Found.To) == 0 {
				row.judge(Absent)
			} else {
				row.judge(Missing)
			}
			break
		}
		row.rate(e, r)
		if len(row.Found.To) == 0 {
			row.judge(NobodyListens)
		}
	case Subscribes:
		s.topicRow(&row, e)
		row.Found.Rate = r.of(e.name)
		switch {
		case len(row.Found.To) > 0 && len(row.Found.By) > 0:
		case len(row.Found.To) > 0:
			row.judge(NobodyPublishes)
		case e.optional && len(row.Found.By) == 0:
			row.judge(Absent)
		default:
			row.judge(Missing)
		}
	case Serves, Calls:
		s.serviceRow(&row, e)
	case Parameter:
		s.parameterRow(&row, e)
	}
	row.judge(OK)
	return row
}

// topicRow judges the types of who publishes and subscribes.
func (s *system) topicRow(row *Row, e *expectation) {
	row.Found.By, row.Found.To = s.Publishers[e.name], s.Subscribers[e.name]
	for _, node := range row.Found.By {
		a, asked := s.publishers[endpoint{e.name, node}]
		if !asked || a.err != nil {
			row.judge(OutOfReach, fmt.Sprintf("%s publishes it, and does not say as what: %v", node, a.err))
			continue
		}
		if row.Found.Type == "" || a.is.MD5 != e.MD5 {
			row.Found.Type, row.Found.MD5 = a.is.Name, a.is.MD5
		}
		if a.is.Name != e.Type || a.is.MD5 != e.MD5 {
			row.judge(OtherType, otherType(node, e.Topic, a.is))
		}
	}
	for _, node := range row.Found.To {
		a, asked := s.subscribed[node]
		if !asked || a.err != nil {
			row.judge(OutOfReach, fmt.Sprintf("%s subscribes to it, and does not say as what: %v", node, a.err))
			continue
		}
		if typ := a.is[e.name]; typ != "" && typ != "*" && typ != e.Type {
			row.judge(OtherType, fmt.Sprintf("%s subscribes to it as %s", node, typ))
		}
	}
}

// otherType says how a publisher's type differs.
func otherType(node string, want, found *msg.Definition) string {
	if found.Name != want.Name {
		return fmt.Sprintf("%s publishes %s", node, found.Name)
	}
	return fmt.Sprintf("%s publishes another %s, md5 sum %s where %s is expected: %s", node, found.Name, found.MD5, want.MD5, difference(want, found))
}

// Limits on rates: of few messages none can be told, and machines are busy. Guesses.
const (
	fewMessages = 5
	rateShare   = 0.2
)

// rate judges how often a topic comes.
func (row *Row) rate(e *expectation, r *rates) {
	found := r.of(e.name)
	row.Found.Rate = found
	if e.rate == 0 {
		return
	}
	want, most := e.rate, e.rate
	if e.everyStep && r.ticks > 0 && r.span() > 0 {
		want = min(want, float64(r.ticks)/r.span()) // a simulator publishes no oftener than it steps, and may tick less often
	}
	row.Expected.Rate = &want
	if found == nil || want*r.span() < fewMessages || row.Amiss {
		return
	}
	if *found > most*(1+rateShare) || !(*found >= want*(1-rateShare)) && e.quiet == "" {
		row.judge(OtherRate)
		if len(row.Found.By) > 1 {
			row.Details = append(row.Details, "it is published by "+strings.Join(row.Found.By, " and "))
		}
		if *found == 0 && e.level != "" {
			row.Details = append(row.Details, "it is silent, which the world's level "+e.level+" does not have it be: another level may be set")
		}
	}
}

// serviceRow judges who provides a service.
func (s *system) serviceRow(row *Row, e *expectation) {
	row.Found.By = s.Services[e.name]
	if len(row.Found.By) == 0 {
		if e.side == Calls {
			row.judge(NobodyServes)
		} else {
			row.judge(Missing)
		}
		return
	}
	a, asked := s.services[e.name]
	if !asked || a.err != nil {
		row.judge(OutOfReach, fmt.Sprintf("%s serves it, and does not say as what: %v", row.Found.By[0], a.err))
		return
	}
	row.Found.Type, row.Found.MD5 = a.is.Type, a.is.MD5
	if a.is.MD5 != e.MD5 {
		row.judge(OtherType, fmt.Sprintf("%s serves %s, md5 sum %s where %s is expected", row.Found.By[0], a.is.Type, a.is.MD5, e.MD5))
	}
}

// parameterRow judges a parameter.
func (s *system) parameterRow(row *Row, e *expectation) {
	row.Expected.Value = e.value
	a := s.parameters[e.name]
	switch {
	case unset(a.err):
		row.judge(Missing)
	case a.err != nil:
		row.judge(OutOfReach, a.err.Error())
	default:
		row.Found.Value = a.is
		if e.value != nil && !same(e.value, a.is) {
			row.judge(OtherValue)
		}
	}
}

// uncommanded are robots of whose topics of commands nobody publishes any. Profiles offer several: that nobody publishes one is no mistake.
func uncommanded(rows []Row) (robots []Row) {
	waiting := map[string][]string{}
	commanded := map[string]bool{}
	var order []string
	for i := range rows {
		switch r := &rows[i]; {
		case r.Side != Subscribes || r.Robot == nil || len(r.Found.To) == 0:
		case len(r.Found.By) > 0:
			commanded[*r.Robot] = true
		default:
			if waiting[*r.Robot] == nil {
				order = append(order, *r.Robot)
			}
			waiting[*r.Robot] = append(waiting[*r.Robot], r.Name)
		}
	}
	for _, ns := range order {
		if !commanded[ns] {
			row := Row{Name: "/" + ns, Side: Subscribes, Robot: &ns}
			row.judge(Uncommanded, "nobody publishes any of "+strings.Join(waiting[ns], ", "))
			robots = append(robots, row)
		}
	}
	return robots
}

// common are topics that every system may have.
var common = []string{"/clock", "/rosout", "/rosout_agg"}

// misnamed are topics that the profile does not know, of which there is one half alone, and whose names end as those of a topic whose other
// half is the simulator's. It counts the other topics.
func (s *system) misnamed(all []expectation, report *Report) (rows []Row) {
	known := map[string]bool{}
	byEnd := map[Side]map[string][]string{Publishes: {}, Subscribes: {}}
	for i := range all {
		e := &all[i]
		if names := byEnd[e.side]; names != nil {
			known[e.name] = true
			names[base(e.name)] = append(names[base(e.name)], e.name)
		}
	}
	for _, topic := range s.topics() {
		if known[topic] || slices.Contains(common, topic) {
			continue
		}
		by, to := s.Publishers[topic], s.Subscribers[topic]
		side := Publishes
		if len(to) == 0 {
			side = Subscribes
		}
		var ends []string
		for end := range byEnd[side] {
			ends = append(ends, end)
		}
		slices.Sort(ends)
		end := base(topic)
		if byEnd[side][end] == nil {
			end = rules.Nearest(end, ends)
		}
		if len(by) > 0 && len(to) > 0 || end == "" {
			report.Others++
			continue
		}
		row := Row{Name: topic, Side: Nobody, Found: Thing{Type: s.Types[topic], By: by, To: to}}
		half := strings.Join(to, ", ") + " subscribes to it, and nobody publishes it"
		if side == Subscribes {
			half = strings.Join(by, ", ") + " publishes it, and nobody subscribes to it"
		}
		row.judge(Misnamed, fmt.Sprintf("%s; did you mean %s?", half, likest(topic, byEnd[side][end])))
		rows = append(rows, row)
	}
	return rows
}

// likest returns the name that shares most elements with a name, from the end.
func likest(name string, names []string) (best string) {
	parts := strings.Split(name, "/")
	most := -1
	for _, other := range names {
		theirs := strings.Split(other, "/")
		n := 0
		for n < min(len(parts), len(theirs)) && parts[len(parts)-1-n] == theirs[len(theirs)-1-n] {
			n++
		}
		if n > most {
			best, most = other, n
		}
	}
	return best
}

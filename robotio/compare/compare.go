package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/worlds"
)

// Options of a comparison.
type Options struct {
	Profile *mapping.Compiled
	World   *worlds.World // whose robots are expected, with their sensors and rates; nil: those that are found
	Port    int           // of the master: robots of a world that have another of their own are left out
	// namespaces of the robots that are expected, with or without slashes at their ends; nil: all of the world, or
	// found
	Robots []string
	For    time.Duration // how long rates are measured, wall time
}

// ErrNoRobots says that a system has nothing by which robots of a profile could be found.
var ErrNoRobots = errors.New("no robots")

// Run compares the system at a node's master with a profile. It fails with ErrNoRobots, when the master does not
// answer, and when ctx ends.
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
	var t texts
	if opts.World != nil {
		robots := robotsOf(opts.World, opts.Profile.Name, opts.Port, report.Robots)
		report.Robots = nil
		for _, i := range robots {
			report.Robots = append(report.Robots, mapping.Namespace(&opts.World.Robots[i]))
		}
		t = textsOfWorld(opts.Profile, opts.World)
		all = ofWorld(opts.Profile, opts.World, robots)
	} else {
		if report.Robots == nil {
			report.Robots = findRobots(opts.Profile, s)
		}
		t = s.texts(ctx, opts.Profile)
		all = ofGraph(opts.Profile, report.Robots, s, t)
	}
	all = onceEach(all, s)
	if len(report.Robots) == 0 && !slices.ContainsFunc(all, func(e expectation) bool {
		return e.side != Parameter &&
			s.has(&e)
	}) {
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
	s.suggest(all, report)
	report.Rows = append(report.Rows, uncommanded(report.Rows)...)
	report.Rows = append(report.Rows, s.misnamed(all, t.ofOtherTeam(opts.Profile), report)...)
	return report, nil
}

// robotsOf are the robots of a world at a master that have a profile, or one that includes it, or all if none has; of
// these, those in namespaces unless there are none.
func robotsOf(w *worlds.World, profile string, port int, namespaces []string) (robots []int) {
	own := slices.ContainsFunc(w.Robots, func(r worlds.Robot) bool {
		return r.ROS1.MasterPort != 0 &&
			r.ROS1.MasterPort == port
	})
	known := map[string]bool{profile: true}
	is := func(name string) bool {
		if _, ok := known[name]; !ok {
			p, err := mapping.Load(name)
			known[name] = err == nil && p.Includes(profile)
		}
		return known[name]
	}
	speaks := false
	for i := range w.Robots {
		r := &w.Robots[i]
		there := r.ROS1.MasterPort == 0 && !own || own && r.ROS1.MasterPort == port
		if !there || namespaces != nil && !slices.Contains(namespaces, mapping.Namespace(r)) {
			continue
		}
		has := slices.ContainsFunc(mapping.ProfilesOf(r), is)
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

// measured tells whether a topic's rate is measured. To subscribe to images, or to what comes with them, makes a
// simulator draw them: that is measured where others subscribe too.
func (e *expectation) measured(s *system) bool {
	switch e.side {
	case Publishes:
		images := len(e.Publish.Levels) > 0 && !slices.ContainsFunc(e.Publish.Levels,
			func(l abstraction.Level) bool { return l != abstraction.Raw && l != abstraction.Ideal })
		return len(s.Publishers[e.name]) > 0 && (!images || len(s.Subscribers[e.name]) > 0)
	case Subscribes:
		return len(s.Publishers[e.name]) > 0
	}
	return false
}

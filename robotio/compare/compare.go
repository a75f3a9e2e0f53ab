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
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
)

// Options of a comparison.
type Options struct {
	Profile *mapping.Compiled
	// if not nil, the robots of this world are expected, with their sensors and rates; if nil, the robots that are
	// found
	World *worlds.World
	Port  int // ROS 1: port of the master; robots of World that have their own master at another port are left out
	// namespaces of the expected robots, with or without slashes at their ends; if nil, all robots of the world, or all
	// that are found
	Robots []string
	For    time.Duration // wall time for which rates are measured
}

// ErrNoRobots means that no name in the system matches a name of the profile's robots.
var ErrNoRobots = errors.New("no robots")

// Run compares the system that a node belongs to with a profile for its version of ROS. In ROS 2 it leaves out
// parameters. It returns ErrNoRobots, or an error if the master does not answer or ctx ends.
func Run(ctx context.Context, n wire.Node, opts Options) (*Report, error) {
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
		robots, err := robotsOf(opts.World, opts.Profile, opts.Port, report.Robots)
		if err != nil {
			return nil, err
		}
		report.Robots = nil
		for _, i := range robots {
			report.Robots = append(report.Robots, mapping.Namespace(opts.Profile.Version, &opts.World.Robots[i]))
		}
		t = textsOfWorld(opts.Profile, opts.World)
		all = expectWorld(opts.Profile, opts.World, robots)
	} else {
		if report.Robots == nil {
			report.Robots = findRobots(opts.Profile, s)
		}
		t = s.texts(ctx, opts.Profile)
		all = expectGraph(opts.Profile, report.Robots, s, t)
	}
	if n.Version() == msg.ROS2 {
		all = slices.DeleteFunc(all, func(e expectation) bool { return e.side == Parameter })
	}
	all = removeDuplicates(all, s)
	if len(report.Robots) == 0 && !slices.ContainsFunc(all, func(e expectation) bool {
		return e.side != Parameter && s.has(&e)
	}) {
		return nil, fmt.Errorf("%w: no topic or service there matches profile %s", ErrNoRobots,
			opts.Profile.Name)
	}
	s.queryNodes(ctx, all)
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

// robotsOf returns the indices of a world's robots at a master. It leaves out robots without the profile, unless no
// robot has the profile. A robot with a profile that includes the given profile counts as having it. If namespaces is
// not nil, robotsOf leaves out robots in other namespaces.
func robotsOf(w *worlds.World, profile *mapping.Compiled, port int, namespaces []string) (robots []int, err error) {
	v, profilesOf := profile.Version, mapping.ProfilesOf
	if v == msg.ROS2 {
		all, err := mapping.CompileAll(w, v, "")
		if err != nil {
			return nil, err
		}
		profilesOf = func(r *worlds.Robot) []string { return mapping.ProfilesOn(v, r, all) }
	}
	own := slices.ContainsFunc(w.Robots, func(r worlds.Robot) bool {
		return r.ROS1.MasterPort != 0 && r.ROS1.MasterPort == port
	})
	known := map[string]bool{profile.Name: true}
	is := func(name string) bool {
		if _, ok := known[name]; !ok {
			p, err := mapping.LoadFor(v, name)
			known[name] = err == nil && p.Includes(profile.Name)
		}
		return known[name]
	}
	found := false
	for i := range w.Robots {
		r := &w.Robots[i]
		there := v == msg.ROS2 || r.ROS1.MasterPort == 0 && !own || own && r.ROS1.MasterPort == port
		if !there || namespaces != nil && !slices.Contains(namespaces, mapping.Namespace(v, r)) {
			continue
		}
		has := slices.ContainsFunc(profilesOf(r), is)
		if has && !found {
			found, robots = true, nil
		}
		if has || !found {
			robots = append(robots, i)
		}
	}
	return robots, nil
}

// has reports whether any node uses the name of an expectation.
func (s *system) has(e *expectation) bool {
	if e.side == Serves || e.side == Calls {
		return len(s.Services[e.name]) > 0
	}
	return len(s.Publishers[e.name])+len(s.Subscribers[e.name]) > 0
}

// measured reports whether a topic's rate is measured. Subscribing to images, or to topics computed from images, makes
// a simulator render. So these topics are measured only if other nodes subscribe too.
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

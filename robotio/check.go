package robotio

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Check returns all errors of a world and of its robots' profiles because of which NewBridge would fail on ROS 1. If a
// robot has a table ros2, Check also checks the world for ROS 2.
func Check(w *worlds.World) error {
	err := CheckFor(w, msg.ROS1, "")
	given := func(r worlds.Robot) bool { return !reflect.ValueOf(r.ROS2).IsZero() }
	if err == nil && slices.ContainsFunc(w.Robots, given) {
		err = CheckFor(w, msg.ROS2, "")
	}
	return err
}

// CheckFor is like Check for a version of ROS. The distribution selects the definitions of messages on ROS 2, see
// msg.LoadROS2; if it is empty, it is jazzy.
func CheckFor(w *worlds.World, v msg.Version, distribution string) error {
	_, err := check(w, v, distribution)
	return err
}

// check compiles the profiles of a world's robots and checks all names and types that a bridge would use.
func check(w *worlds.World, v msg.Version, distribution string) (map[string]*mapping.Compiled, error) {
	all, err := mapping.CompileAll(w, v, distribution)
	names := w.Locate(robotNames(v, w))
	errs := []error{err, names, w.Locate(frameNames(w)), w.Locate(thingNames(v, w, all)),
		w.Locate(radioTypes(v, w, all))}
	wrong := schema.FailedIn(names)
	masters := map[int]*register{} // see masterOf
	for i := range w.Robots {
		port := masterOf(v, w, i)
		if masters[port] == nil {
			masters[port] = &register{version: v, world: w, profiles: all, wrong: wrong, taken: newClaims(),
				topics: map[string]use{clockTopic: {}, speedTopic: {}}, services: map[string]use{predictService: {}},
				frames: map[string]use{}, packed: map[string]use{}, reported: map[rename]bool{}}
		}
		errs = append(errs, masters[port].robot(i))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return all, nil
}

// masterOf returns the port of a robot's master, or 0 for the common master and for ROS 2, which has no masters. If the
// port in the world file is invalid, masterOf returns a number that is different for each robot.
func masterOf(v msg.Version, w *worlds.World, robot int) int {
	if v == msg.ROS2 {
		return 0
	}
	if !w.NoErrorAt(fmt.Sprintf("robot[%d].ros1.master_port", robot)) {
		return -1 - robot
	}
	return w.Robots[robot].ROS1.MasterPort
}

// checkName returns an error if a version of ROS does not allow a name.
func checkName(v msg.Version, name string) error {
	if v == msg.ROS2 && strings.Contains(name, "__") {
		return fmt.Errorf("name = %q: must not have two underscores in a row on ROS 2", name)
	}
	return graph.Check(name)
}

// underscores returns the part of a rule for names that tells the use of underscores.
func underscores(v msg.Version) string {
	if v == msg.ROS2 {
		return "_ (never two in a row)"
	}
	return "_"
}

// wholeName returns the rule for the names of topics and services.
func wholeName(v msg.Version) string {
	return fmt.Sprintf("must be letters, digits, %s and /, a letter first, to be a name on ROS %d", underscores(v), v)
}

// namespacePath returns the path in the world file of the key that gives a robot its namespace: that of a version of
// ROS, or the robot's name.
func namespacePath(v msg.Version, w *worlds.World, robot int) (path, key string) {
	at, r := fmt.Sprintf("robot[%d]", robot), &w.Robots[robot]
	switch {
	case v == msg.ROS2 && r.ROS2.Namespace != "":
		return at + ".ros2", "namespace"
	case r.ROS1.Namespace == "" || v == msg.ROS2 && r.ROS1.MasterPort != 0:
		return at, "name"
	}
	return at + ".ros1", "namespace"
}

// robotNames returns an error for each name, namespace and rename of a robot that a version of ROS does not allow, and
// for each namespace that several robots have.
func robotNames(v msg.Version, w *worlds.World) error {
	piece := fmt.Sprintf("must be letters, digits and %s, a letter first, because names on ROS %d contain it",
		underscores(v), v)
	whole := wholeName(v)
	taken := map[string]string{}
	var errs []error
	for i := range w.Robots {
		r, at := &w.Robots[i], fmt.Sprintf("robot[%d]", i)
		space, in := mapping.Namespace(v, r), &schema.Violation{Value: r.Name}
		if in.Path, in.Key = namespacePath(v, w, i); in.Key == "namespace" {
			in.Value = cmp.Or(r.ROS2.Namespace, r.ROS1.Namespace)
			if v == msg.ROS1 {
				in.Value = r.ROS1.Namespace
			}
		}
		master := fmt.Sprintf("%d/%s", masterOf(v, w, i), space)
		switch {
		case checkName(v, "/"+space) != nil:
			if in.Rule = whole; in.Key == "name" {
				in.Rule = fmt.Sprintf("%s, or give ros%d.namespace", piece, v)
			}
			errs = append(errs, in)
		case ownNamespace(space) != "" || ownNamespace(r.Name) != "":
			if in.Rule = ownNamespace(space); in.Rule == "" {
				in.Path, in.Key, in.Value, in.Rule = at, "name", r.Name, ownNamespace(r.Name)
			}
			errs = append(errs, in)
		case taken[master] != "":
			in.Rule = fmt.Sprintf("is already the namespace of %s: give each its own", taken[master])
			if v == msg.ROS1 {
				in.Rule += ", or a ros1.master_port"
			}
			errs = append(errs, in)
		default:
			taken[master] = r.Name
		}
		for j := range r.Sensors {
			if name := r.Sensors[j].Name; checkName(v, name) != nil {
				errs = append(errs, &schema.Violation{Path: fmt.Sprintf("%s.sensor[%d]", at, j), Key: "name",
					Value: name, Rule: piece})
			}
		}
		for _, from := range slices.Sorted(maps.Keys(mapping.Renames(v, r))) {
			if to := mapping.Renames(v, r)[from]; checkName(v, to) != nil || to == "/" || strings.HasPrefix(to, "~") {
				errs = append(errs, renaming(v, i, from, to, whole))
			}
		}
	}
	return errors.Join(errs...)
}

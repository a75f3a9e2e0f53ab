package robotio

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Check returns all errors of a world and of its robots' profiles because of which NewBridge would fail.
func Check(w *worlds.World) error {
	_, err := check(w)
	return err
}

// check compiles the profiles of a world's robots and checks all names and types that a bridge would use.
func check(w *worlds.World) (map[string]*mapping.Compiled, error) {
	all, err := mapping.CompileAll(w)
	names := w.Locate(robotNames(w))
	errs := []error{err, names, w.Locate(frameNames(w)), w.Locate(thingNames(w, all)), w.Locate(radioTypes(w, all))}
	wrong := schema.FailedIn(names)
	masters := map[int]*register{} // see masterOf
	for i := range w.Robots {
		port := masterOf(w, i)
		if masters[port] == nil {
			masters[port] = &register{world: w, profiles: all, wrong: wrong, taken: newClaims(),
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

// masterOf returns the port of a robot's master, or 0 for the common master. If the port in the world file is invalid,
// masterOf returns a number that is different for each robot.
func masterOf(w *worlds.World, robot int) int {
	if !w.NoErrorAt(fmt.Sprintf("robot[%d].ros1.master_port", robot)) {
		return -1 - robot
	}
	return w.Robots[robot].ROS1.MasterPort
}

// robotNames returns an error for each name, namespace and rename of a robot that ROS 1 does not allow, and for each
// namespace that several robots have.
func robotNames(w *worlds.World) error {
	const piece, whole = "must be letters, digits and _, a letter first, because names on ROS 1 contain it",
		"must be letters, digits, _ and /, a letter first, to be a name on ROS 1"
	taken := map[string]string{}
	var errs []error
	for i := range w.Robots {
		r, at := &w.Robots[i], fmt.Sprintf("robot[%d]", i)
		in := &schema.Violation{Path: at + ".ros1", Key: "namespace", Value: r.ROS1.Namespace}
		if r.ROS1.Namespace == "" {
			in.Path, in.Key, in.Value = at, "name", r.Name
		}
		master := fmt.Sprintf("%d/%s", masterOf(w, i), mapping.Namespace(r))
		switch {
		case graph.Check("/"+mapping.Namespace(r)) != nil:
			if in.Rule = whole; r.ROS1.Namespace == "" {
				in.Rule = piece + ", or give ros1.namespace"
			}
			errs = append(errs, in)
		case ownNamespace(mapping.Namespace(r)) != "" || ownNamespace(r.Name) != "":
			if in.Rule = ownNamespace(mapping.Namespace(r)); in.Rule == "" {
				in.Path, in.Key, in.Value, in.Rule = at, "name", r.Name, ownNamespace(r.Name)
			}
			errs = append(errs, in)
		case taken[master] != "":
			in.Rule = fmt.Sprintf("is already the namespace of %s: give each its own, or a ros1.master_port",
				taken[master])
			errs = append(errs, in)
		default:
			taken[master] = r.Name
		}
		for j := range r.Sensors {
			if name := r.Sensors[j].Name; graph.Check(name) != nil {
				errs = append(errs, &schema.Violation{Path: fmt.Sprintf("%s.sensor[%d]", at, j), Key: "name",
					Value: name, Rule: piece})
			}
		}
		for _, from := range slices.Sorted(maps.Keys(r.ROS1.Rename)) {
			if to := r.ROS1.Rename[from]; graph.Check(to) != nil || to == "/" || strings.HasPrefix(to, "~") {
				errs = append(errs, renaming(i, from, to, whole))
			}
		}
	}
	return errors.Join(errs...)
}

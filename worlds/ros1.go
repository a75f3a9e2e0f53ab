package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// ROS1 is how a robot is met on ROS 1.
type ROS1 struct {
	Profiles   []string          `toml:"profiles" minlen:"1" doc:"what its software speaks: names of profiles that ship (omnipitch ros profiles lists them) or paths"`
	Namespace  string            `toml:"namespace" doc:"before relative names; / for none; the robot's name if left out"`
	MasterPort int               `toml:"master_port" range:"[0, 65535]" doc:"of a master of the robot's own on loopback, for software with absolute names; 0: it shares the simulation's"`
	Rename     map[string]string `toml:"rename" doc:"other names for topics and services of its profiles, as in \"camera/image_raw\" = \"/tiscamera/image_raw\""`
}

// SetDefaults is NuBot's software, and standard messages beside it.
func (r *ROS1) SetDefaults() { r.Profiles = []string{"nubot", "standard"} }

// BindNode makes paths of profiles start from the folder of the file that names them.
func (r *ROS1) BindNode(n *schema.Node) error {
	err := n.Bind(r)
	key := n.Get("profiles")
	if key == nil {
		return err
	}
	from := key.File()
	for i, name := range r.Profiles {
		if isPath(name) {
			r.Profiles[i] = besides(from, name)
		}
	}
	return err
}

// ownMasters reports robots that want the same port for masters of their own.
func (w *World) ownMasters() error {
	taken := map[int]string{}
	var errs []error
	for i := range w.Robots {
		r := &w.Robots[i]
		if other, ok := taken[r.ROS1.MasterPort]; ok && r.ROS1.MasterPort != 0 {
			errs = append(errs, &schema.Violation{Path: fmt.Sprintf("robot[%d].ros1", i), Key: "master_port",
				Value: r.ROS1.MasterPort, Rule: "is already that of " + other})
		}
		taken[r.ROS1.MasterPort] = r.Name
	}
	return errors.Join(errs...)
}

package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// ROS1 is the interface of a robot on ROS 1.
type ROS1 struct {
	Profiles   []string          `toml:"profiles" minlen:"1" doc:"messages that the robot's software uses: names of shipped profiles (omnipitch ros profiles lists them) or paths"`
	Namespace  string            `toml:"namespace" doc:"namespace of relative names; / for none; left out, the robot's name"`
	MasterPort int               `toml:"master_port" range:"[0, 65535]" doc:"port on loopback of the robot's own master, for software with absolute names; 0: the robot shares the simulation's master"`
	Rename     map[string]string `toml:"rename" doc:"other names for topics and services of its profiles, as in \"camera/image_raw\" = \"/tiscamera/image_raw\""`
}

// SetDefaults sets the profile of NuBot's software, and the profile of standard messages in addition.
func (r *ROS1) SetDefaults() { r.Profiles = []string{"nubot", "standard"} }

// BindNode makes the paths of profiles relative to the folder of the file that gives them.
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

// validateMasters reports robots that have their own ROS masters at the same port.
func (w *World) validateMasters() error {
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

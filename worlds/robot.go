package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Robot is a robot of a world, or a robot model. A robot model has no name and no pose.
type Robot struct {
	Name       string                   `toml:"name" required:"true" match:"name" fixed:"true" doc:"name, which is the prefix of the robot's topics"`
	About      string                   `toml:"about" doc:"in a model, one sentence for omnipitch worlds"`
	Model      string                   `toml:"model" doc:"name of a robot model, or a path; keys here override the model's"`
	URDF       string                   `toml:"urdf" fixed:"true" doc:"URDF file of ROS that describes the robot, relative to the folder of this one; keys here and in the model override what it gives. A model given by a .urdf file sets it"`
	MJCF       string                   `toml:"mjcf" fixed:"true" doc:"MJCF file of MuJoCo that describes the robot, in the same way as urdf. A model given by a .xml file sets it"`
	Team       physics.Team             `toml:"team" oneof:"cyan|magenta" doc:"team, shown by the colour card; cyan attacks the goal at +x"`
	Number     int                      `toml:"number" range:"[1, 500]" doc:"number on the shirt, unique in the team; 1 is by custom the goalkeeper. Left out, the number at the end of the robot's name if it is free; otherwise 1 for a robot with an extension, and the next free number from 2 on for others"`
	Pose       Pose                     `toml:"pose"`
	Absent     bool                     `toml:"absent" fixed:"true" doc:"whether the robot is missing until action spawn brings it"`
	Body       physics.Body             `toml:"body" required:"true"`
	Drive      physics.Drive            `toml:"drive" required:"true"`
	Kicker     *physics.Kicker          `toml:"kicker" doc:"kicker; without it the robot cannot kick"`
	Dribbler   *physics.Dribbler        `toml:"dribbler" doc:"dribbler; without it the robot cannot hold the ball"`
	Extension  *physics.KeeperExtension `toml:"extension" was:"frame" doc:"extension of a goalkeeper; without it the robot cannot extend"`
	Motion     *physics.MotionControl   `toml:"motion" doc:"how a robot with legs handles falls and kicks; without it, it does neither"`
	Animations []Animation              `toml:"animation" merge:"name" maxlen:"64" doc:"animations that action play_animation plays, of a robot that a URDF or MJCF file describes"`
	Skin       Skin                     `toml:"skin" doc:"look and paint of the robot"`
	Player     *Player                  `toml:"player" doc:"scripted player that moves the robot until its own program commands it"`
	ROS1       ROS1                     `toml:"ros1" doc:"interface of the robot on ROS 1"`
	ROS2       ROS2                     `toml:"ros2" doc:"interface of the robot on ROS 2, where it differs from that on ROS 1"`
	Radio      *radio.Config            `toml:"radio" doc:"radio by which its program talks to teammates; without it the simulation carries no such messages"`
	Sensors    []sensors.Config         `toml:"sensor" merge:"name" maxlen:"64"`

	described *described            // nil: no file describes the robot
	joints    []string              // its joints that wheels turn
	look      *articulated.Look     // its visual shapes
	mechanism articulated.Mechanism // its joints that move
	playable  []physics.Animation   // Animations, once its joints are known
}

// SetDefaults sets the default team, and the defaults of those keys of the drive that files rarely give.
func (r *Robot) SetDefaults() {
	r.Team = physics.Cyan
	r.Drive.SetDefaults()
	r.ROS1.SetDefaults()
}

// BindNode first reads the robot's model. The world's tables for the robot's model and team override the model, and the
// robot's own keys override them all.
func (r *Robot) BindNode(n *schema.Node) error {
	s := sourcesOf(n)
	n = s.withDefaults(n)
	key := n.Get("model")
	if key == nil {
		if n.Get("body") == nil && n.Get("drive") == nil && !isDescribed(n) {
			return errors.Join(bodiless(n), r.bindWithoutModel(n))
		}
		return r.bindOver(n)
	}
	name, ok := key.Text()
	if !ok {
		return r.bindWithoutModel(n) // here it reports that the model must be a name
	}
	var errs []error
	for _, other := range key.Alternatives() {
		if name, ok := other.Text(); ok {
			if _, err := s.open(robotModels, name, key.File()); err != nil {
				errs = append(errs, other.Errorf("%w", err))
			}
		}
	}
	if errs != nil {
		return errors.Join(append(errs, r.bindWithoutModel(n))...)
	}
	model, err := s.open(robotModels, name, key.File())
	if err != nil {
		return errors.Join(key.Errorf("%w", err), r.bindWithoutModel(n))
	}
	return r.explainKindless(r.bindOver(n, model.Root()), name, model.Root().File())
}

// bindOver binds a robot over its model, if it has one.
func (r *Robot) bindOver(n *schema.Node, model ...*schema.Node) error {
	all := n.Over(model...)
	if isDescribed(all) {
		return r.bindDescribed(n, model)
	}
	err := n.Bind(r, model...)
	if drive := all.Get("drive"); drive != nil && drive.IsTable() {
		if key := drive.Get("differential"); key != nil {
			err = errors.Join(err, key.Errorf("needs a robot that a URDF or MJCF file describes"))
		}
	}
	if key := all.Get("animation"); key != nil && err == nil {
		err = key.Errorf("needs a robot that a URDF or MJCF file describes")
	}
	return err
}

// explainKindless extends the error about a sensor without a kind. It adds that the robot's model has no sensor with
// that name, because often the name is misspelt.
func (r *Robot) explainKindless(err error, model, filename string) error {
	list := schema.Flatten(err)
	for i, e := range list {
		missing, ok := errors.AsType[*schema.Error](e)
		if !ok || missing.Key != "kind" || missing.Value != "" || missing.File == filename {
			continue
		}
		var names []string
		var name string
		for j := range r.Sensors {
			c := &r.Sensors[j]
			if c.Kind != "" {
				names = append(names, c.Name)
			} else if strings.HasSuffix(missing.Where, fmt.Sprintf(".sensor[%d]", j)) {
				name = c.Name
			}
		}
		if name == "" {
			continue
		}
		explained := *missing
		explained.Rule = fmt.Sprintf("must be given for a new sensor, and model %s has none named %q", model, name)
		if near := rules.DidYouMean(name, names); near != "" {
			explained.Rule += near
		} else if n := len(names); 0 < n && n <= 12 {
			explained.Rule += "; the robot has " + strings.Join(names, ", ")
		}
		list[i] = &explained
	}
	return errors.Join(list...)
}

// bindWithoutModel reports the other errors of a robot whose model cannot be read. It does not report keys that are
// missing but would come from the model.
func (r *Robot) bindWithoutModel(n *schema.Node) error {
	r.Body.Radius, r.Drive.Level = 1, physics.WheelsDrive // sets these values so that they are not reported as missing
	r.Kicker, r.Dribbler, r.Extension = &physics.Kicker{MaxSpeed: 1, LobAngle: 1}, &physics.Dribbler{MaxAngle: 1},
		new(physics.KeeperExtension)
	return n.Bind(r)
}

// bodiless returns an error for a robot that gives neither a model nor a body. Often such a robot is meant to change a
// robot of an included world, and its name is misspelt.
func bodiless(n *schema.Node) error {
	rule := "must be given, or body and drive"
	if name := n.Get("name"); name != nil {
		if text, ok := name.Text(); ok {
			rule = fmt.Sprintf("%q has neither model nor body", text)
			if s := sourcesOf(n); len(s.included) > 0 {
				others := slices.DeleteFunc(slices.Clone(s.robots()), func(name string) bool { return name == text })
				rule += ", and no included world has such a robot" + rules.DidYouMean(text, others)
			}
		}
	}
	return &schema.Violation{Key: "model", Rule: rule}
}

func (r *Robot) physics() physics.Robot {
	return physics.Robot{
		Name: r.Name, Team: r.Team, Number: r.Number, Pose: r.Pose.Spatial(), Absent: r.Absent,
		Body: r.Body, Drive: r.Drive, Kicker: r.Kicker, Dribbler: r.Dribbler, Extension: r.Extension,
		Joints: r.mechanism.Joints, Trunk: r.mechanism.Trunk, Apart: r.mechanism.Apart,
		Animations: r.playable, Motion: r.Motion,
	}
}

// validateHeads reports events that give a command to a head's controller at a time at which the camera delivers
// images. At such a time the robot's own software turns the head.
func (w *World) validateHeads() error {
	var order []int
	for i := range w.Events {
		// the time of other events is unknown
		if e := &w.Events[i]; e.When == nil && e.After == "" && e.Every == 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w.Events[a].At, w.Events[b].At) })
	type camera struct{ robot, sensor string }
	levels := map[camera]abstraction.Level{} // level of each camera, as set by the events so far
	var errs []error
	for _, i := range order {
		key, a, err := w.Events[i].Action()
		// validateEvents reports such an event
		if err != nil || a == nil || !w.NoErrorAt(fmt.Sprintf("event[%d]", i)) || a.Validate(w) != nil {
			continue
		}
		var commanded camera
		switch a := a.(type) {
		case *action.SetLevel:
			levels[camera{a.Robot, a.Sensor}] = a.Level
			continue
		case *action.LookAt:
			commanded = camera{a.Robot, a.Sensor}
		case *action.SetHeadMode:
			commanded = camera{a.Robot, a.Sensor}
		}
		c, known := w.Sensor(commanded.robot, commanded.sensor)
		if !known { // the action does not command a head, or the sensor belongs to a model that could not be read
			continue
		}
		if level := cmp.Or(levels[commanded], c.Level); level.Rendered() {
			errs = append(errs, &schema.Violation{Path: fmt.Sprintf("event[%d].%s", i, key), Key: "sensor",
				Value: commanded.sensor,
				Rule: fmt.Sprintf("is at level %s then: must be at features, objects or truth; at %s the head can be "+
					"aimed", level, level)})
		}
	}
	return errors.Join(errs...)
}

// Player is the scripted player of a robot.
type Player struct{ player.Choice }

// BindNode reads only the file in which the player is given last, and no file below it. The player thus replaces the
// whole player of an included file or a model, because a robot has only one behaviour.
func (p *Player) BindNode(n *schema.Node) error { return n.Top().Bind(p) }

// validatePlayers reports players without a behaviour, and behaviours that name something the world does not have.
func (w *World) validatePlayers() error {
	var errs []error
	for i := range w.Robots {
		path := fmt.Sprintf("robot[%d].player", i)
		if w.Robots[i].Player == nil || !w.NoErrorAt(path) || !w.NoErrorAt(fmt.Sprintf("robot[%d].kicker", i)) ||
			!w.NoErrorAt(fmt.Sprintf("robot[%d].dribbler", i)) {
			continue
		}
		errs = append(errs, condition.Below(path, w.Robots[i].Player.Validate(w.Robots[i].Name, w)))
	}
	return errors.Join(errs...)
}

// ROS1 is the interface of a robot on ROS 1.
type ROS1 struct {
	Profiles   []string          `toml:"profiles" minlen:"1" doc:"messages that the robot's software uses: names of shipped profiles (omnipitch ros profiles lists them) or paths"`
	Namespace  string            `toml:"namespace" doc:"namespace of relative names; / for none; left out, the robot's name"`
	MasterPort int               `toml:"master_port" range:"[0, 65535]" doc:"port on loopback of the robot's own master, for software with absolute names; 0: the robot shares the simulation's master"`
	Rename     map[string]string `toml:"rename" doc:"other names for topics and services of its profiles, as in \"camera/image_raw\" = \"/tiscamera/image_raw\""`
}

// ROS2 is the interface of a robot on ROS 2. A key that is left out has the value of the interface on ROS 1.
type ROS2 struct {
	Profiles  []string          `toml:"profiles" doc:"messages that the robot's software uses on ROS 2; left out, those of ros1 that are for ROS 2, or standard if there is none"`
	Namespace string            `toml:"namespace" doc:"namespace of relative names on ROS 2; / for none; left out, that of ros1, or the robot's name if it has its own master there"`
	Rename    map[string]string `toml:"rename" doc:"other names for topics and services of its profiles on ROS 2, as in odom = \"wheel/odometry\"; those of ros1 do not count there"`
}

// SetDefaults sets the profile of NuBot's software, and the profile of standard messages in addition.
func (r *ROS1) SetDefaults() { r.Profiles = []string{"nubot", "standard"} }

// BindNode makes the paths of profiles relative to the folder of the file that gives them.
func (r *ROS1) BindNode(n *schema.Node) error {
	err := n.Bind(r)
	findProfiles(n, r.Profiles)
	return err
}

// BindNode makes the paths of profiles relative to the folder of the file that gives them.
func (r *ROS2) BindNode(n *schema.Node) error {
	err := n.Bind(r)
	findProfiles(n, r.Profiles)
	return err
}

// findProfiles makes the paths in the key profiles relative to the folder of the file that gives them.
func findProfiles(n *schema.Node, profiles []string) {
	key := n.Get("profiles")
	if key == nil {
		return
	}
	from := key.File()
	for i, name := range profiles {
		if isPath(name) {
			profiles[i] = besides(from, name)
		}
	}
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

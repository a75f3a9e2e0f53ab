package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Robot is one robot of a world, or a robot model, which leaves out the name and the pose.
type Robot struct {
	Name      string                   `toml:"name" required:"true" match:"name" fixed:"true" doc:"prefix of the robot's topics"`
	About     string                   `toml:"about" doc:"one sentence for omnipitch worlds, in a model"`
	Model     string                   `toml:"model" doc:"the name of a robot model or a path; keys here override it"`
	Team      physics.Team             `toml:"team" oneof:"cyan|magenta" doc:"colour card; cyan attacks the goal at +x"`
	Number    int                      `toml:"number" range:"[1, 500]" doc:"on the shirt, another for each robot of a team; 1 is the goalkeeper by custom. If left out the next that is free, from 2 on; 1 for a robot with an extension"`
	Pose      Pose                     `toml:"pose"`
	Body      physics.Body             `toml:"body" required:"true"`
	Drive     physics.Drive            `toml:"drive" required:"true"`
	Kicker    *physics.Kicker          `toml:"kicker" doc:"without it the robot cannot kick"`
	Dribbler  *physics.Dribbler        `toml:"dribbler" doc:"without it the robot cannot hold the ball"`
	Extension *physics.KeeperExtension `toml:"extension" was:"frame" doc:"what a goalkeeper can extend; without it nothing"`
	Skin      Skin                     `toml:"skin" doc:"how it is painted"`
	Player    *Player                  `toml:"player" doc:"moves the robot without a program, until its own program commands it"`
	ROS1      ROS1                     `toml:"ros1" doc:"how it is met on ROS 1"`
	Radio     *radio.Config            `toml:"radio" doc:"by which its program tells its mates what it will; without it the simulation has no part in that"`
	Sensors   []sensors.Config         `toml:"sensor" merge:"name" maxlen:"64"`
}

// SetDefaults is the team of a robot that names none, and what few drives set.
func (r *Robot) SetDefaults() {
	r.Team = physics.Cyan
	r.Drive.SetDefaults()
	r.ROS1.SetDefaults()
}

// BindNode reads the robot's model first, which the tables of its model and its team in the world override, and all of
// them its own keys.
func (r *Robot) BindNode(n *schema.Node) error {
	s := sourcesOf(n)
	n = s.withDefaults(n)
	key := n.Get("model")
	if key == nil {
		if n.Get("body") == nil && n.Get("drive") == nil {
			return errors.Join(bodiless(n), r.bindWithoutModel(n))
		}
		return n.Bind(r)
	}
	name, ok := key.Text()
	if !ok {
		return r.bindWithoutModel(n) // says that a name is wanted
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
	return r.explainKindless(n.Bind(r, model.Root()), name, model.Root().File())
}

// explainKindless says of a sensor without a kind that the robot's model, read from a file, has none of that name:
// often one of the model's, misspelt.
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

// bindWithoutModel finds what else is wrong with a robot whose model is not to be had; what it lacks is not its fault.
func (r *Robot) bindWithoutModel(n *schema.Node) error {
	r.Body.Radius, r.Drive.Level = 1, physics.WheelsDrive // no longer empty, so no longer missing
	r.Kicker, r.Dribbler, r.Extension = &physics.Kicker{MaxSpeed: 1, LobAngle: 1}, &physics.Dribbler{MaxAngle: 1},
		new(physics.KeeperExtension)
	return n.Bind(r)
}

// bodiless reports a robot that says nothing of what it is: often the name of an included world's robot, misspelt.
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
		Name: r.Name, Team: r.Team, Number: r.Number, Pose: r.Pose.Spatial(),
		Body: r.Body, Drive: r.Drive, Kicker: r.Kicker, Dribbler: r.Dribbler, Extension: r.Extension,
	}
}

package action

import (
	"cmp"
	"errors"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// SetHeadMode sets the mode of the controller of a camera's head. The action takes over from the robot's own head
// controller, so the camera must be at a level without images.
type SetHeadMode struct {
	Robot  string           `toml:"robot" required:"true"`
	Sensor string           `toml:"sensor" required:"true"`
	Mode   sensors.HeadMode `toml:"mode" required:"true" oneof:"hold|search|track|scan|scan_high|down|forward|up" doc:"mode: stay; search for the object, then stay; search for the object and follow it; sweep the field, or what is around and above it, without end; look ahead and down, horizontally, or up"`
	Object string           `toml:"object" doc:"what to search for or follow: ball, or left out; goal_post, goal_minus or goal_plus (posts of one end); robot, cyan, magenta, teammate or opponent (robots whose card the camera sees); obstacle; or the name or the kind of a body"`
	Number int              `toml:"number" range:"[0, 500]" doc:"number of the robot, if object is a team, teammate or opponent; 0 is any"`
	Other  string           `toml:"other" doc:"second object; mode track follows both by turns of 2 s"`
}

func (m *SetHeadMode) Validate(w World) error {
	if err := validateHead(m.Robot, m.Sensor, w); err != nil {
		return err
	}
	if m.Other != "" && m.Mode != sensors.HeadTrack {
		return violation("other", m.Other, errors.New("needs mode track"))
	}
	r, err := w.FindRobot(m.Robot)
	if err != nil {
		return violation("robot", m.Robot, err)
	}
	return errors.Join(violation("object", m.Object, m.wrongObject(m.Object, w)),
		violation("other", m.Other, m.wrongObject(m.Other, w)), violation("number", m.Number, m.wrongNumber(&r, w)))
}

func (m *SetHeadMode) wrongObject(name string, w World) error {
	if name == m.Robot {
		return errors.New("must not be the robot itself")
	}
	if _, ok := headObject(name, ""); !ok && w.FindBodies(name, 1) != nil {
		return errors.New("must be ball, goal_post, goal_minus, goal_plus, robot, cyan, magenta, teammate, opponent, " +
			"obstacle, or the name or the kind of a body")
	}
	return nil
}

func (m *SetHeadMode) wrongNumber(r *physics.Robot, w World) error {
	o, _ := headObject(m.Object, r.Team)
	switch team := physics.Team(o.Team); {
	case m.Number == 0:
		return nil
	case team == "":
		return errors.New("needs cyan, magenta, teammate or opponent as the object")
	case team == r.Team && m.Number == r.Number:
		return errors.New("must not be the robot's own")
	default:
		return w.FindNumber(team, m.Number)
	}
}

func (m *SetHeadMode) Do(s Simulation) error {
	me, err := s.Robot(m.Robot)
	if err != nil {
		return err
	}
	c := sensors.HeadCommand{Mode: m.Mode}
	sought := cmp.Or(m.Object, string(abstraction.BallKind))
	for to, name := range map[*sensors.HeadObject]string{&c.Object: sought, &c.Other: m.Other} {
		o, ok := headObject(name, me.Team)
		if !ok {
			o = sensors.HeadObject{Name: name}
			if _, err := s.Robot(name); err == nil {
				o.Kind = abstraction.RobotKind
			}
		}
		*to = o
	}
	for _, r := range s.Robots() {
		if m.Number != 0 && string(r.Team) == c.Object.Team && r.Number == m.Number {
			c.Object.Name = r.Name
		}
	}
	return command(s, m.Robot, m.Sensor, c)
}

// headObject returns the object that a word stands for, in a command to a robot of the team own. It returns false for
// other words, which may be names of bodies. The empty word is no object.
func headObject(word string, own physics.Team) (o sensors.HeadObject, ok bool) {
	switch kind := abstraction.Kind(word); kind {
	case abstraction.BallKind, abstraction.PostKind, abstraction.RobotKind, abstraction.ObstacleKind, "":
		return sensors.HeadObject{Kind: kind}, true
	}
	rival := physics.Cyan
	if own == physics.Cyan {
		rival = physics.Magenta
	}
	switch word {
	case "goal_minus", "goal_plus":
		return sensors.HeadObject{Kind: abstraction.PostKind, Name: "post_" + strings.TrimPrefix(word, "goal_")}, true
	case "cyan", "magenta":
		return sensors.HeadObject{Kind: abstraction.RobotKind, Team: word}, true
	case "teammate":
		return sensors.HeadObject{Kind: abstraction.RobotKind, Team: string(own)}, true
	case "opponent":
		return sensors.HeadObject{Kind: abstraction.RobotKind, Team: string(rival)}, true
	}
	return o, false
}

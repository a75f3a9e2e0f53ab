package mapping

import (
	"strings"

	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
)

// Status names the fields of a message that say what a robot does.
type Status struct {
	Each        string   `toml:"each" doc:"an array of messages whose elements contain the fields; left out: the message itself contains them"`
	Number      string   `toml:"number" doc:"field with a robot's number; with each, only the element with the robot's own number counts"`
	Known       string   `toml:"known" doc:"field that is 0 or false while the other fields mean nothing"`
	Role        string   `toml:"role" doc:"field with the robot's role in its team: a text or a number"`
	RoleNames   []string `toml:"role_names" doc:"names of the numbers 0, 1, 2, … of role; other numbers are shown themselves"`
	Action      string   `toml:"action" doc:"field with what the robot does at present: a text or a number"`
	ActionNames []string `toml:"action_names" doc:"names of the numbers 0, 1, 2, … of action"`
	Side        string   `toml:"side" doc:"field with the side of the field on which the robot's team attacks: a text or a number"`
	SideNames   []string `toml:"side_names" doc:"names of the numbers 0, 1, 2, … of side"`
	Dribbling   string   `toml:"dribbling" doc:"field that is not 0 while the robot dribbles the ball, as it believes"`
}

const (
	statusNumber = iota
	statusKnown
	statusRole
	statusAction
	statusSide
	statusDribbling
	statusFields
)

// fields returns the paths of the fields, in the order of the constants. The path of a field that is left out is "".
func (s *Status) fields() [statusFields]string {
	return [statusFields]string{s.Number, s.Known, s.Role, s.Action, s.Side, s.Dribbling}
}

// read returns the status of the robot with the given number, or nil if no element has it.
func (s *Status) read(elements [][]dynamic.Scalar, number int) *belief.Status {
	for _, v := range elements {
		if s.Each != "" && s.Number != "" && v[statusNumber].Number != float64(number) ||
			s.Known != "" && v[statusKnown].Number == 0 {
			continue
		}
		b := &belief.Status{}
		if s.Role != "" {
			b.Role = nameOf(v[statusRole], s.RoleNames)
		}
		if s.Action != "" {
			b.Action = nameOf(v[statusAction], s.ActionNames)
		}
		if s.Side != "" {
			b.Side = nameOf(v[statusSide], s.SideNames)
		}
		if s.Dribbling != "" {
			b.Dribbling = new(v[statusDribbling].Number != 0)
		}
		return b
	}
	return nil
}

// nameOf returns the text of a role or an action, cut to belief.MaxText bytes, or the name of its number.
func nameOf(v dynamic.Scalar, names []string) string {
	if v.IsText {
		return strings.ToValidUTF8(v.Text[:min(len(v.Text), belief.MaxText)], "")
	}
	if i := int(v.Number); i >= 0 && i < len(names) && float64(i) == v.Number {
		return names[i]
	}
	return numberText(v.Number)
}

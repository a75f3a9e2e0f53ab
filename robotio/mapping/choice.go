package mapping

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// Choice reads from a service's request which model the response describes, and in which frame.
type Choice struct {
	picker *dynamic.Picker
	link   bool // the request names a link of the model
}

// newChoice compiles the keys model, link and relative_to of a service with the given request.
func newChoice(request *msg.Definition, s *Service) (*Choice, error) {
	if s.Model != "" && s.Link != "" {
		return nil, fmt.Errorf("must have only one of model and link")
	}
	fields := slices.DeleteFunc([]string{s.Model, s.Link, s.Frame}, func(f string) bool { return f == "" })
	for _, f := range fields {
		if !isText(request, []string{f}) {
			return nil, fmt.Errorf("%s has no text %s", request.Name, f)
		}
	}
	p, err := newPicker(request, fields)
	return &Choice{p, s.Link != ""}, err
}

// Choose sets the model that the quantities of the response describe. It fails if there is no such model or frame. The
// context must have the state of the world.
func (x *Choice) Choose(c *quantity.Context, request []byte) error {
	values, err := x.picker.Pick(request)
	if err != nil {
		return err
	}
	frame := ""
	if len(values) > 1 {
		frame = values[1].Text
	}
	return c.Choose(values[0].Text, frame, x.link)
}

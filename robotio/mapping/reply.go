package mapping

import (
	"errors"
	"maps"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// Reply describes a topic on which each message of another topic is answered.
type Reply struct {
	Topic   string         `toml:"topic" required:"true" doc:"name, as topic of publish"`
	Type    string         `toml:"type" required:"true" doc:"package/Type of the replies"`
	To      string         `toml:"to" required:"true" doc:"topic of a subscribe entry for robots; each of its messages gets one reply"`
	Request map[string]any `toml:"request" doc:"what message uses of the answered one, by name: a field, or { field = \"header\", json = \"api_id\" }. The text request.NAME is empty if the field is not there"`
	Message map[string]any `toml:"message" doc:"values of the fields of the reply, from quantities of the robot, request.NAME, answer.error, which is empty for a message that is understood, and answer.actions, the number of its actions for which the robot has the parts"`
	ROS     msg.Version    `toml:"ros" range:"[0, 2]" doc:"version of ROS on which the entry exists; 0: every version that the profile speaks"`

	Origin `toml:"-"`
}

// requestTexts reads the texts of a message that its reply uses.
type requestTexts struct {
	*Actions
	sources []source
}

func (c *Compiled) reply(r *Reply) (*Entry, error) {
	e := &Entry{Origin: r.Origin, version: c.Version, key: "topic", pattern: r.Topic, from: quantity.Robot}
	path := c.where(e)
	if err := c.topic(e, r.Type); err != nil {
		return e, err
	}
	for _, s := range c.Subscriptions {
		if s.Pattern() == r.To && s.from == quantity.Robot && s.Topic != nil {
			e.To = append(e.To, s)
		}
	}
	if e.To == nil {
		return e, broken(path, "to", r.To, errors.New("is the topic of no subscribe entry for robots"))
	}
	known, err := e.readRequest(r.Request, path+".request")
	var errs [2]error
	e.Template, errs[0] = newTemplate(e.Topic, r.Message, templateConfig{
		known: quantity.Of(quantity.Robot, nil).With(quantity.OfReply()).With(known), units: r.units, frame: c.Frame,
		path: path + ".message", from: quantity.Robot})
	if e.Template != nil && e.TeamMessages() {
		err = errors.Join(err, broken(path, "message", "team_messages", errors.New("is no list of replies")))
	}
	errs[1] = checkPattern(path, "topic", r.Topic, quantity.Of(quantity.Robot, nil))
	return e, errors.Join(append(errs[:], err)...)
}

// readRequest compiles the key request, and returns the quantities that it makes.
func (e *Entry) readRequest(request map[string]any, path string) (*quantity.Set, error) {
	known := quantity.NewSet()
	a := &actionCompiler{actionConfig: actionConfig{def: e.To[0].Topic, path: path}, Actions: &Actions{}}
	e.request = &requestTexts{Actions: a.Actions}
	for i, name := range slices.Sorted(maps.Keys(request)) {
		var s source
		field, err := s.compile(request[name], true, units{1, 1}, quantity.Plain)
		if err == nil {
			err = s.checkJSON(a.def, field)
		}
		if err != nil {
			a.fail(path, name, "%v", err)
		}
		a.use(&s, field, path, name)
		e.request.sources = append(e.request.sources, s)
		known.Texts["request."+name] = func(c *quantity.Context) string { return c.Request[i] }
	}
	a.pick()
	return known, errors.Join(a.errs...)
}

// Answers returns the subscriptions whose messages a reply answers.
func (i *Instance) Answers() []Instance { return Instances(i.To, i.Context) }

// AppendReply appends the reply to a message, whose outcome is c.Answer.
func (i *Instance) AppendReply(into []byte, c *quantity.Context, message []byte) []byte {
	c.Request = c.Request[:0]
	values, _, err := i.request.picker.PickLists(message, false)
	for k := range i.request.sources {
		text := ""
		if err == nil {
			text = i.request.sources[k].asText(values)
		}
		c.Request = append(c.Request, text)
	}
	return i.Template.Append(into, c)
}

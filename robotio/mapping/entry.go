package mapping

import (
	"cmp"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Entry is one compiled entry of a profile: a publish, subscribe, reply, service, call or belief.
type Entry struct {
	Origin
	Type, MD5 string                 // MD5 is the type's hash on ROS 2
	Topic     *msg.Definition        // publish, subscribe, reply, belief: definition of the messages
	Service   *msg.ServiceDefinition // service, call: definition of the service; nil for an action
	Action    *msg.ActionDefinition  // service: definition of the action; nil for a service
	Template  *Template              // publish, reply: fills messages; service: fills responses; call: fills requests
	Feedback  *Template              // service: fills the feedback of an action; nil if it gives none
	Actions   *Actions               // subscribe and service: the actions that a message causes

	Publish   *Publish // publish: the entry in the profile
	Queue     int      // publish: length of the queue of a slow subscriber; 0 for the default
	OwnErrors bool     // service: whether the response has a field for errors
	To        []*Entry // reply: the subscriptions whose messages it answers
	Refuse    string   // service: why it can carry out no request; empty if it can
	Choice    *Choice  // service: which model the response describes; nil if it describes none

	key, pattern, more string          // key of the name in the profile, and its value; publish: also the value of more
	suffix             string          // end of the name that is not in the profile, see GoalTopic
	version            msg.Version     // version of ROS on which the entry exists
	from               quantity.Source // source of the quantities, or the actor that does the actions
	content            quantity.Content
	reading            reflect.Type // publish: required type of Observation.Reading; nil for any type
	on                 quantity.Number
	request            *requestTexts // reply: what it uses of the message
	belief             *Belief       // belief: the entry in the profile
	needs              string        // publish, subscribe and service: see Publish.Needs
}

// visionQueue is the length of the queues of images and of vision results. It has room for the message in transit and
// the next message.
const visionQueue = 2

func (c *Compiled) publication(p *Publish) (*Entry, error) {
	e := &Entry{Origin: p.Origin, version: c.Version, Publish: p, Queue: p.Queue, key: "topic",
		pattern: p.Topic, more: p.More, from: p.From, needs: p.Needs, content: quantity.ContentOf(p.From, p.Levels)}
	if e.Queue == 0 && e.content != quantity.Mixed {
		e.Queue = visionQueue
	}
	if reading := sensors.Kind(p.From).Reading(); reading != nil {
		e.reading = reflect.PointerTo(reflect.TypeOf(reading))
	}
	path := c.where(e)
	if err := c.topic(e, p.Type); err != nil {
		return e, err
	}
	cfg := templateConfig{
		known: quantity.Of(p.From, p.Levels), units: p.units, frame: c.Frame, when: p.When,
		path: path + ".message", entry: path, from: p.From, levels: p.Levels, find: c.message,
	}
	if p.Frame != "" {
		cfg.frame = p.Frame
	} else if p.From == quantity.World {
		cfg.frame = quantity.MapFrame
	}
	var err error
	e.Template, err = newTemplate(e.Topic, p.Message, cfg)
	return e, errors.Join(err, checkPattern(path, "topic", p.Topic, cfg.known), checkPattern(path, "more", p.More,
		cfg.known))
}

func (c *Compiled) subscription(s *Subscribe) (*Entry, error) {
	e := &Entry{Origin: s.Origin, version: c.Version, key: "topic", pattern: s.Topic, from: quantity.Source(s.From),
		needs: s.Needs}
	path := c.where(e)
	if err := c.topic(e, s.Type); err != nil {
		return e, err
	}
	var err error
	e.Actions, err = newActions(actionConfig{e.Topic, s.Do, s.Accepts, s.Only, e.from, s.units, c.Names, path + ".do"})
	return e, errors.Join(err, checkPattern(path, "topic", s.Topic, quantity.Of(e.from, nil)))
}

func (c *Compiled) server(s *Service) (*Entry, error) {
	e := &Entry{Origin: s.Origin, version: c.Version, key: "name", pattern: s.Name, from: quantity.Source(s.From),
		Refuse: s.Refuse, needs: s.Needs}
	path := c.where(e)
	request, response, err := c.served(e, s.Type)
	if err != nil {
		return e, err
	}
	var answerErr error
	e.Actions, err = newActions(actionConfig{request, s.Do, s.Accepts, nil, e.from, s.units, c.Names,
		path + ".do"})
	if s.Model != "" || s.Link != "" {
		var choiceErr error
		if e.Choice, choiceErr = newChoice(request, s); choiceErr != nil {
			err = errors.Join(err, &schema.Violation{Path: path, Rule: choiceErr.Error()})
		}
	}
	e.Template, answerErr = newTemplate(response, s.Answer, templateConfig{
		known: quantity.Of(quantity.World, nil).With(quantity.OfAnswer()), units: s.units, frame: c.Frame,
		path: path + ".answer"})
	if s.Feedback != nil && e.Action == nil {
		err = errors.Join(err, &schema.Violation{Path: path, Key: "feedback", Rule: "only actions have feedback"})
	} else if s.Feedback != nil {
		var feedbackErr error
		e.Feedback, feedbackErr = newTemplate(e.Action.Feedback, s.Feedback, templateConfig{
			known: quantity.Of(e.from, nil), units: s.units, frame: c.Frame, path: path + ".feedback", from: e.from})
		err = errors.Join(err, feedbackErr)
	}
	e.OwnErrors = slices.Contains(slices.Collect(maps.Values(s.Answer)), any("answer.done"))
	return e, errors.Join(err, answerErr, checkPattern(path, "name", s.Name, quantity.Of(e.from, nil)))
}

func (c *Compiled) caller(call *Call) (*Entry, error) {
	e := &Entry{Origin: call.Origin, version: c.Version, key: "service", pattern: call.Service,
		from: quantity.Source(call.From)}
	path := c.where(e)
	if err := c.srv(e, call.Type); err != nil {
		return e, err
	}
	known := quantity.Of(e.from, nil)
	cfg := templateConfig{known: known, units: call.units, frame: c.Frame, path: path + ".request", entry: path,
		from: e.from}
	var errs []error
	var ok bool
	if e.on, ok = known.Numbers[call.On]; !ok {
		on := compiler{cfg, encoding{}, &errs, new(quantity.Needs), new(bool)}
		on.path = path
		on.unknown("on", call.On, "number", names(known.Numbers))
	}
	var err error
	e.Template, err = newTemplate(e.Service.Request, call.Request, cfg)
	errs = append(errs, err)
	return e, errors.Join(append(errs, checkPattern(path, "service", call.Service, known))...)
}

// topic sets the message type of an entry; name is the name of the type.
func (c *Compiled) topic(e *Entry, name string) error {
	def, err := c.message(name)
	if err != nil {
		return broken(c.where(e), "type", name, err)
	}
	e.Topic, e.Type, e.MD5 = def, def.Name, cmp.Or(def.MD5, def.Hash)
	return nil
}

// srv sets the service type of an entry; name is the name of the type.
func (c *Compiled) srv(e *Entry, name string) error {
	def, err := c.service(name)
	if err != nil {
		return broken(c.where(e), "type", name, err)
	}
	e.Service, e.Type, e.MD5 = def, def.Name, cmp.Or(def.MD5, def.Hash)
	return nil
}

// served sets the type of a service or an action, given by its name. It returns the definitions of request and
// response.
func (c *Compiled) served(e *Entry, name string) (request, response *msg.Definition, err error) {
	if a, err := c.Library.Action(name); err == nil {
		if a.ROS2 != nil {
			e.Type, e.MD5 = a.Name, a.ROS2.Hash
		} else if err := c.topic(e, name); err != nil {
			return nil, nil, err
		}
		e.Action, e.Topic = a, nil
		return a.Goal, a.Result, nil
	}
	if err := c.srv(e, name); err != nil {
		return nil, nil, err
	}
	return e.Service.Request, e.Service.Response, nil
}

// actionTopics are the names of an action's topics of ROS 1, below the name of the action. Clients publish the first
// two.
var actionTopics = []string{"goal", "cancel", "status", "result", "feedback"}

// ActionTopics returns the names of an action's topics, below the name of the action. A service has none. On ROS 2 an
// action has services for what clients send.
func (e *Entry) ActionTopics() []string {
	switch {
	case e.Action == nil:
		return nil
	case e.Action.ROS2 != nil:
		return []string{"_action/status", "_action/feedback"}
	}
	return actionTopics
}

// GoalTopic returns an entry of an action's topic of goals of ROS 1.
func (e *Entry) GoalTopic() *Entry {
	topic, def := *e, e.Action.ActionGoal
	topic.Topic, topic.Type, topic.MD5, topic.suffix = def, def.Name, def.MD5, "/"+actionTopics[0]
	return &topic
}

// GoalService returns an entry of the service of an action of ROS 2 that takes goals.
func (e *Entry) GoalService() *Entry {
	service, def := *e, e.Action.ROS2.SendGoal
	service.Service, service.Type, service.MD5, service.suffix = def, def.Name, def.Hash, "/_action/send_goal"
	return &service
}

func checkPattern(path, key, pattern string, known *quantity.Set) error {
	if _, err := newPattern(pattern, known.Texts); err != nil {
		return broken(path, key, pattern, err)
	}
	return nil
}

// where returns the path of an entry in the profile's file. If the entry comes from an included profile, where returns
// the name of that profile and the path in its file.
func (c *Compiled) where(e *Entry) string {
	if e.Profile != c.Name {
		return e.Profile + ": " + e.Path
	}
	return e.Path
}

// LocateName adds the place of an entry's name in the profile's file to an error about the name.
func (c *Compiled) LocateName(i *Instance, err error) error {
	return c.Locate(broken(c.where(i.Entry), i.key, i.pattern, err))
}

// FedAt reports whether the sensor feeds the publication when the sensor runs at the given level.
func (e *Entry) FedAt(level abstraction.Level) bool {
	return e.Publish.Levels == nil || level.In(e.Publish.Levels)
}

// FedBy reports whether an observation feeds the publication. It also checks the data. A Go program may have added a
// level at which an observation lacks data that this kind of sensor usually has.
func (e *Entry) FedBy(o *sensors.Observation) bool {
	return e.FedAt(o.Level) && e.content.In(o) && (o.Overlay != nil || o.Color == nil || e.Overlay() == 0) &&
		(e.reading == nil || e.reading == reflect.TypeOf(o.Reading))
}

// Overlay returns the parts of Observation.Overlay that the publication reads at levels with images.
func (e *Entry) Overlay() sensors.OverlayParts { return e.Template.needs.Overlay }

// Believed reports whether the publication reads Context.Believed.
func (e *Entry) Believed() bool { return e.Template.needs.Beliefs }

// TeamMessages reports whether the publication reads what teammates tell a robot.
func (e *Entry) TeamMessages() bool { return e.Template.team }

// Marked reports whether the publication reads Context.HiddenMarks.
func (e *Entry) Marked() bool { return e.Template.needs.Marks }

// On returns the current value of the quantity whose changes make the simulator call the service.
func (e *Entry) On(c *quantity.Context) float64 { return e.on.Get(c) }

// Pattern returns the entry's name in the profile, with quantities in braces. The name is absolute if it begins with /
// or if the entry is the world's. Otherwise it is relative to the robot's namespace.
func (e *Entry) Pattern() string { return e.pattern + e.suffix }

// More returns the pattern for the topics of further sensors of the same kind, or "" if the entry has none.
func (e *Entry) More() string { return e.more }

// From returns the source of the entry's quantities. For an entry whose messages cause actions, it returns the actor of
// these actions.
func (e *Entry) From() quantity.Source { return e.from }

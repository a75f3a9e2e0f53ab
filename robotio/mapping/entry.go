package mapping

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
)

// Entry is one publish, subscribe, service, call or belief of a profile, compiled.
type Entry struct {
	Origin
	Type, MD5 string
	Topic     *msg.Definition        // of publish, subscribe and belief
	Service   *msg.ServiceDefinition // of service and call
	Template  *Template              // publish: fills the message; service: the response; call: the request
	Actions   *Actions               // subscribe and service: what a message causes

	Publish   *Publish // of publish
	Queue     int      // publish: messages kept for a slow subscriber; 0: the default
	OwnErrors bool     // service: the response has a field for errors

	key, pattern, more, from string
	content                  content      // publish: of a camera's observation
	reading                  reflect.Type // publish: of an observation without an image; nil: any
	on                       number       // call
	belief                   *Belief      // of belief
}

// Values of from in profiles beside the kinds of sensors.
const (
	fromWorld = "world"
	fromRobot = "robot"
	// fromCameras is every camera of any kind.
	fromCameras = "cameras"
)

// visionQueue is the depth of queues of images and of what vision finds in them: the message on its way, and the next.
const visionQueue = 2

// mapFrame is the frame of the world, REP 105.
const mapFrame = "map"

func (c *Compiled) publication(p *Publish) (*Entry, error) {
	e := &Entry{Origin: p.Origin, Publish: p, Queue: p.Queue, key: "topic", pattern: p.Topic, more: p.More,
		from: string(p.From), content: contentOf(string(p.From), p.Levels)}
	if e.Queue == 0 && e.content != mixed {
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
		known: quantitiesOf(string(p.From), p.Levels), units: p.units, frame: c.Frame, when: p.When,
		path: path + ".message", entry: path, from: string(p.From), levels: p.Levels,
	}
	if p.Frame != "" {
		cfg.frame = p.Frame
	} else if p.From == fromWorld {
		cfg.frame = mapFrame
	}
	var err error
	e.Template, err = newTemplate(e.Topic, p.Message, cfg)
	return e, errors.Join(err, checkPattern(path, "topic", p.Topic, cfg.known), checkPattern(path, "more", p.More,
		cfg.known))
}

func (c *Compiled) subscription(s *Subscribe) (*Entry, error) {
	e := &Entry{Origin: s.Origin, key: "topic", pattern: s.Topic, from: string(s.From)}
	path := c.where(e)
	if err := c.topic(e, s.Type); err != nil {
		return e, err
	}
	var err error
	e.Actions, err = newActions(do{e.Topic, s.Do, s.Accepts, e.from, s.units, c.Names, path + ".do"})
	return e, errors.Join(err, checkPattern(path, "topic", s.Topic, quantitiesOf(e.from, nil)))
}

func (c *Compiled) server(s *Service) (*Entry, error) {
	e := &Entry{Origin: s.Origin, key: "name", pattern: s.Name, from: s.From}
	path := c.where(e)
	if err := c.srv(e, s.Type); err != nil {
		return e, err
	}
	var err, answerErr error
	e.Actions, err = newActions(do{e.Service.Request, s.Do, s.Accepts, s.From, s.units, c.Names, path + ".do"})
	e.Template, answerErr = newTemplate(e.Service.Response, s.Answer, templateConfig{known: answerQuantities(),
		units: s.units, frame: c.Frame, path: path + ".answer"})
	e.OwnErrors = slices.Contains(slices.Collect(maps.Values(s.Answer)), any("answer.done"))
	return e, errors.Join(err, answerErr, checkPattern(path, "name", s.Name, quantitiesOf(s.From, nil)))
}

func (c *Compiled) caller(call *Call) (*Entry, error) {
	e := &Entry{Origin: call.Origin, key: "service", pattern: call.Service, from: call.From}
	path := c.where(e)
	if err := c.srv(e, call.Type); err != nil {
		return e, err
	}
	known := quantitiesOf(call.From, nil)
	cfg := templateConfig{known: known, units: call.units, frame: c.Frame, path: path + ".request", entry: path,
		from: call.From}
	var errs []error
	var ok bool
	if e.on, ok = known.Numbers[call.On]; !ok {
		on := compiler{cfg, &errs, new(sensors.OverlayParts)}
		on.path = path
		on.unknown("on", call.On, numbers)
	}
	var err error
	e.Template, err = newTemplate(e.Service.Request, call.Request, cfg)
	errs = append(errs, err)
	return e, errors.Join(append(errs, checkPattern(path, "service", call.Service, known))...)
}

// topic looks up the type of an entry's messages.
func (c *Compiled) topic(e *Entry, name string) error {
	def, err := c.message(name)
	if err != nil {
		return broken(c.where(e), "type", name, err)
	}
	e.Topic, e.Type, e.MD5 = def, def.Name, def.MD5
	return nil
}

// srv looks up the type of an entry's service.
func (c *Compiled) srv(e *Entry, name string) error {
	def, err := c.service(name)
	if err != nil {
		return broken(c.where(e), "type", name, err)
	}
	e.Service, e.Type, e.MD5 = def, def.Name, def.MD5
	return nil
}

func checkPattern(path, key, pattern string, known *quantities) error {
	if _, err := newPattern(pattern, known.Texts); err != nil {
		return broken(path, key, pattern, err)
	}
	return nil
}

// where is the path of an entry in the profile's file, or, of one that it includes, its place there.
func (c *Compiled) where(e *Entry) string {
	if e.Profile != c.Name {
		return e.Profile + ": " + e.Path
	}
	return e.Path
}

// LocateName puts an error about an entry's name at its place in the profile's file.
func (c *Compiled) LocateName(i *Instance, err error) error {
	return c.Locate(broken(c.where(i.Entry), i.key, i.pattern, err))
}

// FedAt tells whether a level of its sensor feeds a publication.
func (e *Entry) FedAt(level abstraction.Level) bool {
	return e.Publish.Levels == nil || level.In(e.Publish.Levels)
}

// FedBy tells whether an observation feeds a publication. One of a level that a Go program has plugged in need not hold
// what its kind does.
func (e *Entry) FedBy(o *sensors.Observation) bool {
	return e.FedAt(o.Level) && e.content.in(o) && (o.Overlay != nil || o.Color == nil || e.Overlay() == 0) &&
		(e.reading == nil || e.reading == reflect.TypeOf(o.Reading))
}

// Overlay is what a publication reads, at levels with images, from the Overlay of an observation; 0: nothing.
func (e *Entry) Overlay() sensors.OverlayParts { return e.Template.overlay }

// On is the value of the quantity whose changes a call reports.
func (e *Entry) On(c *Context) float64 { return e.on.get(c) }

// Pattern is the entry's name in the profile, with quantities in braces; below a robot's namespace unless it begins
// with / or is the world's.
func (e *Entry) Pattern() string { return e.pattern }

// More returns the pattern of the names of further sensors of the kind; empty if there is none.
func (e *Entry) More() string { return e.more }

// From is what an entry is about: world, robot, a kind of sensor, or cameras.
func (e *Entry) From() string { return e.from }

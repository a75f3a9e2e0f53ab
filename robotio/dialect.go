package robotio

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// dialect is a profile with everything in it compiled. It does not change, and all robots that speak it share it.
type dialect struct {
	*mapping.Profile
	publish   []*mapping.Template[*scene]
	subscribe []*subscription
	services  []*service
	calls     []*outcall
	params    []param
	msgs      map[string]*msg.Definition // that entries have named
	srvs      map[string]*msg.ServiceDefinition
	failed    map[string]error
	taken     int // of maxTaken
}

// maxTaken bounds what the messages of a profile take, in bytes, far above those of any that people write: thousands of
// entries may each have a large one.
const maxTaken = 16 << 20

// message looks the type of an entry up.
func (d *dialect) message(name string) (*msg.Definition, error) {
	return lookUp(d, name, d.msgs, d.Library.Message, func(def *msg.Definition) int { return len(def.Text) }, entryOf)
}

// service does the same with a service's.
func (d *dialect) service(name string) (*msg.ServiceDefinition, error) {
	return lookUp(d, name, d.srvs, d.Library.Service,
		func(def *msg.ServiceDefinition) int { return len(def.Request.Text) + len(def.Response.Text) },
		func(def *msg.ServiceDefinition) int { return entryOf(def.Request) + entryOf(def.Response) })
}

// entryOf is about what is made of a message for an entry, in bytes.
func entryOf(def *msg.Definition) int { return def.MinSize + 128*def.Leaves }

// lookUp looks each type up once, and counts what it takes, once and for each entry.
func lookUp[D any](d *dialect, name string, known map[string]D, find func(string) (D, error), once, each func(D) int) (def D, err error) {
	if d.taken > maxTaken {
		return def, fmt.Errorf("is one too many: a profile's messages take at most %d MiB with their definitions", maxTaken>>20)
	}
	def, ok := known[name]
	if !ok {
		if err := d.failed[name]; err != nil {
			return def, err
		}
		if def, err = find(name); err != nil {
			d.failed[name] = err
			return def, err
		}
		known[name] = def
		d.taken += once(def)
	}
	d.taken += each(def)
	return def, nil
}

// subscription is what a profile has done with a topic.
type subscription struct {
	def *msg.Definition
	*order
}

// service is the same of a service, and what it answers.
type service struct {
	def *msg.ServiceDefinition
	*order
	answer *mapping.Template[*scene]
	owns   bool // the answer tells of errors itself
}

// outcall is a service that is called when a word's value changes.
type outcall struct {
	def     *msg.ServiceDefinition
	on      number
	request *mapping.Template[*scene]
}

// param is a parameter; its value is a constant, or text with words in braces.
type param struct {
	name  string
	value any
	text  func([]byte, *scene) []byte
}

// compile compiles a profile. Its error joins everything that is wrong, with its place in the file.
func compile(p *mapping.Profile) (*dialect, error) {
	d := &dialect{Profile: p, msgs: map[string]*msg.Definition{}, srvs: map[string]*msg.ServiceDefinition{}, failed: map[string]error{}}
	err := errors.Join(d.compilePublish(), d.compileSubscribe(), d.compileServices(), d.compileCalls(), d.compileParams())
	if err = p.Locate(err); err != nil {
		return nil, err
	}
	return d, nil
}

func broken(path, key string, value any, err error) error {
	return &schema.Violation{Path: path, Key: key, Value: value, Rule: err.Error()}
}

// where is the path of an entry in the profile's file, or, of one that it includes, its place there.
func (d *dialect) where(at mapping.Stands) string {
	if at.In != d.Name {
		return at.In + ": " + at.Path
	}
	return at.Path
}

// config is what templates are compiled with.
func (d *dialect) config(w words, units mapping.Units, path string) mapping.Config[*scene] {
	return mapping.Config[*scene]{Words: w, Units: units, Frame: d.Frame, Stamp: "stamp", Path: path}
}

func (d *dialect) compilePublish() error {
	var errs []error
	for i := range d.Publish {
		e, path := &d.Publish[i], d.where(d.Publish[i].Stands)
		def, err := d.message(e.Type)
		if err != nil {
			errs = append(errs, broken(path, "type", e.Type, err))
			continue
		}
		w := wordsOf(e.From, e.Levels)
		cfg := d.config(w, mapping.UnitsOf(e.Length, e.Angle), path+".message")
		cfg.When = e.When
		if e.Frame != "" {
			cfg.Frame = e.Frame
		} else if e.From == fromWorld {
			cfg.Frame = mapFrame
		}
		tpl, err := mapping.Compile(def, e.Message, cfg)
		d.publish = append(d.publish, tpl)
		errs = append(errs, err, checkText(path, "topic", e.Topic, w), checkText(path, "more", e.More, w))
	}
	return errors.Join(errs...)
}

// mapFrame is the frame of the world, REP 105.
const mapFrame = "map"

func checkText(path, key, pattern string, w words) error {
	if _, err := mapping.Text(pattern, w.Texts); err != nil {
		return broken(path, key, pattern, err)
	}
	return nil
}

func (d *dialect) compileSubscribe() error {
	var errs []error
	for i := range d.Subscribe {
		e, path := &d.Subscribe[i], d.where(d.Subscribe[i].Stands)
		def, err := d.message(e.Type)
		if err != nil {
			errs = append(errs, broken(path, "type", e.Type, err))
			continue
		}
		o, err := newOrder(def, e.Do, obeyerOf(e.From), mapping.UnitsOf(e.Length, e.Angle).Scale, path+".do")
		d.subscribe = append(d.subscribe, &subscription{def, o})
		errs = append(errs, err, checkText(path, "topic", e.Topic, wordsOf(e.From, nil)))
	}
	return errors.Join(errs...)
}

// obeyerOf says whose verbs count for a subscription.
func obeyerOf(from string) string {
	if from == fromRobot || from == fromWorld {
		return from
	}
	return forCamera
}

func (d *dialect) compileServices() error {
	var errs []error
	for i := range d.Services {
		e, path := &d.Services[i], d.where(d.Services[i].Stands)
		def, err := d.service(e.Type)
		if err != nil {
			errs = append(errs, broken(path, "type", e.Type, err))
			continue
		}
		o, err := newOrder(def.Request, e.Do, e.From, mapping.UnitsOf(e.Length, e.Angle).Scale, path+".do")
		answer, answerErr := mapping.Compile(def.Response, e.Answer, d.config(outcomeWords().words, mapping.UnitsOf(e.Length, e.Angle), path+".answer"))
		errs = append(errs, err, answerErr, checkText(path, "name", e.Name, wordsOf(e.From, nil)))
		owns := slices.Contains(slices.Collect(maps.Values(e.Answer)), any("answer.done"))
		d.services = append(d.services, &service{def, o, answer, owns})
	}
	return errors.Join(errs...)
}

func (d *dialect) compileCalls() error {
	var errs []error
	for i := range d.Calls {
		e, path := &d.Calls[i], d.where(d.Calls[i].Stands)
		def, err := d.service(e.Type)
		if err != nil {
			errs = append(errs, broken(path, "type", e.Type, err))
			continue
		}
		w := wordsOf(e.From, nil)
		on, ok := w.Numbers[e.On]
		if !ok {
			errs = append(errs, broken(path, "on", e.On, errors.New("is no number here")))
		}
		request, err := mapping.Compile(def.Request, e.Request, d.config(w, mapping.UnitsOf(e.Length, e.Angle), path+".request"))
		errs = append(errs, err, checkText(path, "service", e.Service, w))
		d.calls = append(d.calls, &outcall{def, on, request})
	}
	return errors.Join(errs...)
}

func (d *dialect) compileParams() error {
	var errs []error
	w := worldWords().words
	for _, name := range slices.Sorted(maps.Keys(d.Params)) {
		p := param{name: name, value: wireValue(d.Params[name])}
		errs = append(errs, checkParam(p))
		if pattern, ok := p.value.(string); ok {
			var err error
			if p.text, err = mapping.Text(pattern, w.Texts); err != nil {
				errs = append(errs, broken("params", schema.KeyText(name), pattern, err))
			}
		}
		d.params = append(d.params, p)
	}
	return errors.Join(errs...)
}

// dialects are those of a world, by the names of their profiles.
type dialects map[string]*dialect

// load compiles the profiles of all robots of a world.
func load(w *worlds.World) (dialects, error) {
	all := dialects{}
	var loader mapping.Loader
	var errs []error
	for i := range w.Robots {
		for _, name := range profilesOf(&w.Robots[i]) {
			if _, done := all[name]; done {
				continue
			}
			p, err := loader.Load(name)
			if err != nil {
				all[name] = nil
				errs = append(errs, unreadable(w, i, name, err))
				continue
			}
			if all[name], err = compile(p); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return all, errors.Join(errs...)
}

// unreadable puts an error about a profile at the robot that names it, unless it has a place in the profile's own file.
func unreadable(w *worlds.World, robot int, name string, err error) error {
	if _, placed := errors.AsType[*schema.Error](err); placed {
		return err
	}
	return w.Locate(broken(fmt.Sprintf("robot[%d].ros1", robot), "profiles", name, err))
}

// profilesOf are a robot's; one that was built in Go without any has the default.
func profilesOf(r *worlds.Robot) []string {
	if len(r.ROS1.Profiles) == 0 {
		var d worlds.ROS1
		d.SetDefaults()
		return d.Profiles
	}
	return r.ROS1.Profiles
}

// Types returns the message and service types of all profiles of the bridge's robots; of types of the same name the last counts.
func (b *Bridge) Types() *msg.Library {
	types := &msg.Library{}
	for _, name := range slices.Sorted(maps.Keys(b.dialects)) {
		types.Merge(b.dialects[name].Library)
	}
	return types
}

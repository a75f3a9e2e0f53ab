package mapping

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Compiled is a profile with everything in it compiled. It does not change, and all robots with the profile share it.
type Compiled struct {
	*Profile
	Publications, Subscriptions, Servers, Callers, Beliefs []*Entry
	Parameters                                             []Parameter

	msgs   map[string]*msg.Definition // that entries have named
	srvs   map[string]*msg.ServiceDefinition
	failed map[string]error
	taken  int // of maxTaken
}

// Compile compiles a profile. Its error joins everything that is wrong, with its place in the file.
func Compile(p *Profile) (*Compiled, error) {
	c := &Compiled{Profile: p, msgs: map[string]*msg.Definition{}, srvs: map[string]*msg.ServiceDefinition{},
		failed: map[string]error{}}
	var errs [7]error
	c.Publications, errs[0] = compileEach(p.Publish, c.publication)
	c.Subscriptions, errs[1] = compileEach(p.Subscribe, c.subscription)
	c.Servers, errs[2] = compileEach(p.Services, c.server)
	c.Callers, errs[3] = compileEach(p.Calls, c.caller)
	c.Parameters, errs[4] = parameters(p)
	errs[5] = p.checkExtras()
	c.Beliefs, errs[6] = compileEach(p.Beliefs, c.believing)
	if err := p.Locate(errors.Join(errs[:]...)); err != nil {
		return nil, err
	}
	return c, nil
}

func compileEach[E any](list []E, compile func(*E) (*Entry, error)) (entries []*Entry, err error) {
	var errs []error
	for i := range list {
		e, err := compile(&list[i])
		entries, errs = append(entries, e), append(errs, err)
	}
	return entries, errors.Join(errs...)
}

// CompileAll compiles the profiles of all robots of a world, by their names; those that are wrong are nil. Its error
// joins everything that is wrong.
func CompileAll(w *worlds.World) (map[string]*Compiled, error) {
	all := map[string]*Compiled{}
	l := loader{in: w.Source()}
	var errs []error
	for i := range w.Robots {
		for _, name := range ProfilesOf(&w.Robots[i]) {
			if _, done := all[name]; done {
				continue
			}
			p, err := l.Load(name)
			if err == nil {
				all[name], err = Compile(p)
			} else {
				all[name], err = nil, unreadable(w, i, name, err)
			}
			errs = append(errs, err)
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

// ProfilesOf are a robot's; one that was built in Go without any has the default.
func ProfilesOf(r *worlds.Robot) []string {
	if len(r.ROS1.Profiles) == 0 {
		var d worlds.ROS1
		d.SetDefaults()
		return d.Profiles
	}
	return r.ROS1.Profiles
}

func broken(path, key string, value any, err error) error {
	return &schema.Violation{Path: path, Key: key, Value: value, Rule: err.Error()}
}

// maxTaken bounds what the messages of a profile take, in bytes, far above those of any that people write: thousands of
// entries may each have a large one.
const maxTaken = 16 << 20

// message looks the type of an entry up.
func (c *Compiled) message(name string) (*msg.Definition, error) {
	find := func(name string) (*msg.Definition, error) {
		def, err := c.Library.Message(name)
		return def, c.meant(err, name, ".msg")
	}
	return lookUp(c, name, c.msgs, find, func(def *msg.Definition) int { return len(def.Text) }, entryOf)
}

// service does the same with a service's.
func (c *Compiled) service(name string) (*msg.ServiceDefinition, error) {
	find := func(name string) (*msg.ServiceDefinition, error) {
		def, err := c.Library.Service(name)
		return def, c.meant(err, name, ".srv")
	}
	return lookUp(c, name, c.srvs, find,
		func(def *msg.ServiceDefinition) int { return len(def.Request.Text) + len(def.Response.Text) },
		func(def *msg.ServiceDefinition) int { return entryOf(def.Request) + entryOf(def.Response) })
}

// entryOf is about what is made of a message for an entry, in bytes.
func entryOf(def *msg.Definition) int { return def.MinSize + 128*def.Leaves }

// lookUp looks each type up once, and counts what it takes, once and for each entry.
func lookUp[D any](c *Compiled, name string, known map[string]D, find func(string) (D, error), once,
	each func(D) int) (def D, err error) {
	if c.taken > maxTaken {
		return def, fmt.Errorf("is one too many: a profile's messages take at most %d MiB with their definitions",
			maxTaken>>20)
	}
	def, ok := known[name]
	if !ok {
		if err := c.failed[name]; err != nil {
			return def, err
		}
		if def, err = find(name); err != nil {
			c.failed[name] = err
			return def, err
		}
		known[name] = def
		c.taken += once(def)
	}
	c.taken += each(def)
	return def, nil
}

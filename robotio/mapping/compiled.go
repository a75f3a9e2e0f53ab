package mapping

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Compiled is a compiled profile. A Compiled never changes, so all robots with the profile share it.
type Compiled struct {
	*Profile
	Publications, Subscriptions, Replies, Servers, Callers, Beliefs []*Entry
	Parameters                                                      []Parameter

	msgs   map[string]*msg.Definition        // message types that entries name
	srvs   map[string]*msg.ServiceDefinition // service types that entries name
	failed map[string]error                  // errors of message and service types, by the type's name
	bytes  int                               // estimated memory of the definitions, bytes; see maxTypeBytes
}

// Compile compiles a profile. The returned error joins all errors in the profile, each with its place in the file.
func Compile(p *Profile) (*Compiled, error) {
	c := &Compiled{Profile: p, msgs: map[string]*msg.Definition{}, srvs: map[string]*msg.ServiceDefinition{},
		failed: map[string]error{}}
	var errs [8]error
	c.Publications, errs[0] = compileEach(p.Publish, c.publication)
	c.Subscriptions, errs[1] = compileEach(p.Subscribe, c.subscription)
	c.Servers, errs[2] = compileEach(p.Services, c.server)
	c.Callers, errs[3] = compileEach(p.Calls, c.caller)
	c.Parameters, errs[4] = parameters(p)
	errs[5] = p.checkExtras()
	c.Beliefs, errs[6] = compileEach(p.Beliefs, c.belief)
	c.Replies, errs[7] = compileEach(p.Replies, c.reply)
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

// CompileAll compiles the profiles of all robots of a world for a version of ROS and returns them by name. For a
// profile with errors, the value in the map is nil. The returned error joins all errors. On ROS 2, distribution selects
// the definitions of messages, see msg.LoadROS2; if it is empty, it is jazzy.
func CompileAll(w *worlds.World, v msg.Version, distribution string) (map[string]*Compiled, error) {
	all, skipped := map[string]*Compiled{}, map[string]bool{}
	l := newLoader(w.Source(), v, distribution)
	var errs []error
	compile := func(robot int, name string) {
		if _, done := all[name]; done || skipped[name] {
			return
		}
		p, err := l.Load(name)
		_, other := errors.AsType[otherVersionError](err)
		switch {
		case err == nil:
			all[name], err = Compile(p)
		case other && v == msg.ROS2 && len(w.Robots[robot].ROS2.Profiles) == 0:
			skipped[name], err = true, nil // the profile is one of ROS 1, see ProfilesOn
		default:
			if other {
				err = fmt.Errorf("%s %w", name, err)
			}
			all[name], err = nil, unreadable(w, robot, name, v, err)
		}
		errs = append(errs, err)
	}
	for i := range w.Robots {
		for _, name := range named(&w.Robots[i], v) {
			compile(i, name)
		}
		for _, name := range ProfilesOn(v, &w.Robots[i], all) {
			compile(i, name)
		}
	}
	return all, errors.Join(errs...)
}

// unreadable adds the place in the world file where a robot names a profile to an error of loading the profile. If the
// error has a place in the profile itself, unreadable returns it unchanged.
func unreadable(w *worlds.World, robot int, name string, v msg.Version, err error) error {
	if _, placed := errors.AsType[*schema.Error](err); placed {
		return err
	}
	return w.Locate(broken(ProfilesPath(w, robot, v), "profiles", name, err))
}

// ProfilesPath returns the path of the table of a world file that names a robot's profiles for a version of ROS.
func ProfilesPath(w *worlds.World, robot int, v msg.Version) string {
	if v == msg.ROS2 && len(w.Robots[robot].ROS2.Profiles) == 0 {
		v = msg.ROS1
	}
	return fmt.Sprintf("robot[%d].ros%d", robot, v)
}

// standard is the profile that a robot has on ROS 2 if it has no other.
const standard = "standard"

// named returns the names of profiles that the world file gives a robot for a version of ROS. Without names for ROS 2,
// it returns those for ROS 1.
func named(r *worlds.Robot, v msg.Version) []string {
	if v == msg.ROS2 && len(r.ROS2.Profiles) > 0 {
		return r.ROS2.Profiles
	}
	return ProfilesOf(r)
}

// ProfilesOn returns the names of a robot's profiles on a version of ROS. A robot without profiles for ROS 2 has those
// of its profiles for ROS 1 that are for both, and if there is none, profile standard. The argument all has the
// profiles that CompileAll has returned for this version.
func ProfilesOn(v msg.Version, r *worlds.Robot, all map[string]*Compiled) []string {
	names := named(r, v)
	if v == msg.ROS1 || len(r.ROS2.Profiles) > 0 {
		return names
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, has := all[name]; return !has })
	if len(names) == 0 {
		return []string{standard}
	}
	return names
}

// ProfilesOf returns the names of a robot's profiles on ROS 1. If a Go program has built the robot without profiles,
// ProfilesOf returns the names of the default profiles.
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

// maxTypeBytes is the maximum memory for the messages of a profile, in bytes. Real profiles need far less. Without a
// limit, a profile with thousands of entries could use a large message in each of them.
const maxTypeBytes = 16 << 20

// message returns the definition of the message type with the given name.
func (c *Compiled) message(name string) (*msg.Definition, error) {
	find := func(name string) (*msg.Definition, error) {
		def, err := c.Library.Message(name)
		return def, c.typeHint(err, name, ".msg")
	}
	return lookUp(c, name, c.msgs, find, func(def *msg.Definition) int { return len(def.Text) }, entryBytes)
}

// service returns the definition of the service type with the given name.
func (c *Compiled) service(name string) (*msg.ServiceDefinition, error) {
	find := func(name string) (*msg.ServiceDefinition, error) {
		def, err := c.Library.Service(name)
		return def, c.typeHint(err, name, ".srv")
	}
	return lookUp(c, name, c.srvs, find,
		func(def *msg.ServiceDefinition) int { return len(def.Request.Text) + len(def.Response.Text) },
		func(def *msg.ServiceDefinition) int { return entryBytes(def.Request) + entryBytes(def.Response) })
}

// entryBytes estimates the memory of an entry with one message, in bytes.
func entryBytes(def *msg.Definition) int { return def.MinSize + 128*def.Leaves }

// lookUp returns the definition of the type with the given name. It calls find only the first time that the name is
// looked up, and stores the definition in known. lookUp adds estimates of memory to c.bytes: ofType(definition) when it
// adds a definition, and ofEntry(definition) at each call.
func lookUp[D any](c *Compiled, name string, known map[string]D, find func(string) (D, error), ofType,
	ofEntry func(D) int) (def D, err error) {
	if c.bytes > maxTypeBytes {
		return def, fmt.Errorf("is one too many: a profile's messages take at most %d MiB with their definitions",
			maxTypeBytes>>20)
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
		c.bytes += ofType(def)
	}
	c.bytes += ofEntry(def)
	return def, nil
}

// dialectLibraries returns the message types of each dialect that ships with omnipitch, by the dialect's name.
var dialectLibraries = sync.OnceValue(func() map[string]*msg.Library {
	all := map[string]*msg.Library{}
	for _, dialect := range msg.Dialects() {
		all[dialect] = &msg.Library{}
		if err := all[dialect].AddDialect(dialect); err != nil {
			panic(err) // the definitions are embedded
		}
	}
	return all
})

// typeHint adds a hint to an error about a type that the profile's library lacks. The hint says that the name is a
// service or a message, or which dialects have the type, or it suggests a similar name. ext is .msg for a message and
// .srv for a service.
func (c *Compiled) typeHint(err error, name, ext string) error {
	const mostHints = 100 // a guess; limits the time for a profile that is full of errors
	if _, known := c.Library.Source(name + ext); known || err == nil || len(c.failed) >= mostHints {
		return err
	}
	otherExt, other, names := ".srv", "a service", (*msg.Library).Messages
	if ext == ".srv" {
		otherExt, other, names = ".msg", "a message", (*msg.Library).Services
	}
	if _, known := c.Library.Source(name + otherExt); known {
		return fmt.Errorf("is %s", other)
	}
	if _, known := c.Library.Source(name + "Action.msg"); known && ext == ".srv" {
		return fmt.Errorf("is an action: write %sAction", name)
	}
	if c.Version == msg.ROS2 {
		if _, action := c.Library.ROS2Action(name); action == nil {
			return errors.New("is an action: only a service entry can have it")
		}
		if near := rules.Nearest(name, names(c.Library)); near != "" {
			return fmt.Errorf("%w; did you mean %s?", err, near)
		}
		return fmt.Errorf("%w; types must name a folder of .msg and .srv files of ROS 2", err)
	}
	dialects := slices.DeleteFunc(msg.Dialects(), func(d string) bool {
		_, known := dialectLibraries()[d].Source(name + ext)
		return !known || slices.Contains(c.Types, d)
	})
	if i := slices.Index(dialects, "std"); i > 0 { // other dialects repeat the types of std
		dialects[0], dialects[i] = dialects[i], dialects[0]
	}
	if len(dialects) > 0 {
		add := fmt.Sprintf("add %q to types", dialects[0])
		if len(c.Types) == 0 {
			add = fmt.Sprintf("types is empty: add types = [%q]", dialects[0])
		}
		if len(dialects) > 1 {
			add += " (or " + strings.Join(dialects[1:], ", ") + ")"
		}
		return fmt.Errorf("%w; %s", err, add)
	}
	if near := rules.Nearest(name, names(c.Library)); near != "" {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return fmt.Errorf("%w; types must name its dialect, one of %s, or a folder of .msg and .srv files", err,
		strings.Join(msg.Dialects(), ", "))
}

package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Profile is one profile's file. It is what the file says; see Compiled for what can be used.
type Profile struct {
	About     string            `toml:"about" doc:"one sentence for omnipitch ros profiles"`
	Include   []string          `toml:"include" doc:"profiles to start from, by name or path; what stands here replaces theirs of the same topic or name"`
	Types     []string          `toml:"types" doc:"where message types are looked up: dialects that ship (std, nubot, simatch, hawking, coach4sim, single_nubot_gazebo, humanoid, humanoid_may2017), or folders of .msg and .srv files; later ones win"`
	Length    string            `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths, and of speeds per second"`
	Angle     string            `toml:"angle" oneof:"rad|deg" doc:"unit of angles, and of rates of turn per second"`
	Frame     string            `toml:"frame" doc:"frame_id of headers of which a message says nothing else"`
	Names     map[string]string `toml:"names" doc:"what the software calls things of the world, as in ball = \"football\""`
	Turned    []physics.Team    `toml:"turned" oneof:"cyan|magenta" doc:"teams whose robots' bodies have their back in front for the software: the orientations of models, and those that place takes, are half a turn from the robots' own"`
	Reach     *physics.Reach    `toml:"reach" doc:"where the ball is that its robots can hold and kick: of dribble and kick that say no reach of their own, of ball.reachable and answer.reachable; left out: where the dribbler reaches, and kicked is what is held"`
	Params    map[string]any    `toml:"params" doc:"parameters that are set for it: constants, text with {quantities}, or a quantity as { number = \"field.length\", length = \"m\" }"`
	Extras    []string          `toml:"extras" doc:"topics, services and parameters, as they are written here or in what is included, that the simulator or the robots that the profile is after do not have: ros profiles --compare does not miss them"`
	Publish   []Publish         `toml:"publish"`
	Subscribe []Subscribe       `toml:"subscribe"`
	Services  []Service         `toml:"service"`
	Calls     []Call            `toml:"call"`
	Beliefs   []Belief          `toml:"belief"`

	Name    string       `toml:"-"` // as it was asked for
	Library *msg.Library `toml:"-"` // of Types

	file  *schema.File
	bases []string // the profiles that it includes, those that these include among them
	ships bool
}

// Ships tells whether the profile ships with omnipitch.
func (p *Profile) Ships() bool { return p.ships }

// Includes tells whether the profile includes one of a name, by others too.
func (p *Profile) Includes(name string) bool { return slices.Contains(p.bases, name) }

// SetDefaults are those of ROS.
func (p *Profile) SetDefaults() {
	p.Length, p.Angle, p.Frame = "m", "rad", "{robot}"
}

// Origin says in which profile an entry stands, and where, whichever profile includes it.
type Origin struct {
	Profile string // the profile's name
	Path    string // publish[2]

	units units // of the entry
}

// Publish is one topic that the simulator publishes, or one for every sensor of a kind.
type Publish struct {
	Topic   string              `toml:"topic" required:"true" doc:"relative to the robot's namespace unless it begins with /; {robot}, {sensor} and {team} stand for names"`
	More    string              `toml:"more" doc:"topic of further sensors of the kind, with {sensor} in it; without it the first alone has one, unless topic has {sensor}"`
	Type    string              `toml:"type" required:"true" doc:"package/Type of its messages"`
	From    Source              `toml:"from" required:"true" doc:"a kind of sensor, cameras for those of all kinds, the robot, or the world, of which there is one topic"`
	Levels  []abstraction.Level `toml:"levels" oneof:"raw|ideal|pose|features|objects|truth" doc:"of the sensor, at which it is fed; all if left out"`
	Rate    time.Duration       `toml:"period_ms" range:"[0, 3600000]" doc:"of robot and world; 0: once, latched"`
	When    string              `toml:"when" doc:"a quantity: while it is zero nothing is published"`
	Alone   bool                `toml:"alone" doc:"nothing is published while another node publishes the topic"`
	Beside  bool                `toml:"beside" doc:"is published with the sensor's observations; subscribing to it alone does not make the sensor observe"`
	Frame   string              `toml:"frame" doc:"frame_id of headers of which the message says nothing else"`
	Length  string              `toml:"length" oneof:"m|cm|mm" doc:"unit here; the profile's if left out"`
	Queue   int                 `toml:"queue" range:"[0, 65536]" doc:"messages kept for a slow subscriber; 0: 2 of images and of what vision finds, else 10"`
	Message map[string]any      `toml:"message" doc:"what its fields hold"`

	Origin `toml:"-"`
}

// Source is what the quantities of a topic are from: a kind of sensor, cameras of all kinds, the robot, or the world.
type Source string

// Choices are the sources that there are.
func (Source) Choices() []string {
	return append(sensors.Kind("").Choices(), fromCameras, fromRobot, fromWorld)
}

// Actor is what acts on messages: the robot, the world, or each camera of a kind.
type Actor string

// Choices are the actors that there are.
func (Actor) Choices() []string {
	all := []string{fromRobot, fromWorld}
	for _, k := range sensors.Kinds() {
		if k.TakesImages() {
			all = append(all, string(k))
		}
	}
	return all
}

// Subscribe is a topic whose messages cause actions.
type Subscribe struct {
	Topic   string              `toml:"topic" required:"true" doc:"as that of publish"`
	Type    string              `toml:"type" required:"true" doc:"package/Type of its messages"`
	From    Actor               `toml:"for" doc:"whose actions they are: the robot's, the world's, of which there is one topic, or those of every camera of a kind with a head"`
	Do      map[string]any      `toml:"do" required:"true" doc:"what is done with which fields"`
	Accepts map[string][]string `toml:"accepts" doc:"texts that fields of the message may have; with others nothing is done, and who asks is told"`
	Length  string              `toml:"length" oneof:"m|cm|mm" doc:"unit here; the profile's if left out"`

	Origin `toml:"-"`
}

// SetDefaults makes it the robot's.
func (s *Subscribe) SetDefaults() { s.From = "robot" }

// Service is a service that the simulator provides.
type Service struct {
	Name    string              `toml:"name" required:"true" doc:"as the topic of publish"`
	Type    string              `toml:"type" required:"true" doc:"package/Type"`
	From    string              `toml:"for" oneof:"robot|world" doc:"whose actions they are"`
	Do      map[string]any      `toml:"do" doc:"what is done with which fields of the request"`
	Accepts map[string][]string `toml:"accepts" doc:"texts that fields of the request may have; with others nothing is done, and who asks is told"`
	Answer  map[string]any      `toml:"answer" doc:"what the fields of the response hold"`
	Length  string              `toml:"length" oneof:"m|cm|mm" doc:"unit here; the profile's if left out"`

	Origin `toml:"-"`
}

// SetDefaults makes it the robot's.
func (s *Service) SetDefaults() { s.From = "robot" }

// Call is a service of another node that the simulator calls when a quantity changes.
type Call struct {
	Service string         `toml:"service" required:"true" doc:"as the topic of publish"`
	Type    string         `toml:"type" required:"true" doc:"package/Type"`
	From    string         `toml:"from" oneof:"robot|world" doc:"whose quantities"`
	On      string         `toml:"on" required:"true" doc:"the quantity whose changes are reported; its first value is not"`
	Request map[string]any `toml:"request" doc:"what the fields of the request hold"`
	Length  string         `toml:"length" oneof:"m|cm|mm" doc:"unit here; the profile's if left out"`

	Origin `toml:"-"`
}

// SetDefaults makes it about the robot.
func (c *Call) SetDefaults() { c.From = "robot" }

// setOrigins gives each entry its place in the file, and the profile's units and frame where it has none of its own: a
// profile that includes this one may have others. So it does with parameters that hold quantities.
func (p *Profile) setOrigins() {
	origin := func(list string, i int, length string) Origin {
		return Origin{p.Name, fmt.Sprintf("%s[%d]", list, i), unitsOf(cmp.Or(length, p.Length), p.Angle)}
	}
	for i := range p.Publish {
		e := &p.Publish[i]
		e.Origin = origin("publish", i, e.Length)
		if e.Frame == "" && e.From != fromWorld {
			e.Frame = p.Frame
		}
	}
	for i := range p.Subscribe {
		p.Subscribe[i].Origin = origin("subscribe", i, p.Subscribe[i].Length)
	}
	for i := range p.Services {
		p.Services[i].Origin = origin("service", i, p.Services[i].Length)
	}
	for i := range p.Calls {
		p.Calls[i].Origin = origin("call", i, p.Calls[i].Length)
	}
	for i := range p.Beliefs {
		b := &p.Beliefs[i]
		b.Origin = Origin{p.Name, fmt.Sprintf("belief[%d]", i), unitsOf(cmp.Or(b.Length, p.Length),
			cmp.Or(b.Angle, p.Angle))}
	}
	for name, value := range p.Params {
		if n, ok := p.numberOf(value); ok {
			p.Params[name] = n
		}
	}
}

// Locate gives rules that the profile breaks a place in its file.
func (p *Profile) Locate(err error) error { return p.file.Locate(err) }

// Extra tells whether the simulator or the robots that a profile is after do not have what it names so.
func (p *Profile) Extra(name string) bool { return slices.Contains(p.Extras, name) }

// names are those of all entries and parameters.
func (p *Profile) names() (all []string) {
	for i := range p.Publish {
		all = append(all, p.Publish[i].Topic)
	}
	for i := range p.Subscribe {
		all = append(all, p.Subscribe[i].Topic)
	}
	for i := range p.Services {
		all = append(all, p.Services[i].Name)
	}
	for i := range p.Calls {
		all = append(all, p.Calls[i].Service)
	}
	return slices.AppendSeq(all, maps.Keys(p.Params))
}

// addExtras adds those of a profile that p includes, but for what p has of its own. It comes before the entries are
// merged.
func (p *Profile) addExtras(base *Profile) {
	own := p.names()
	for _, name := range base.Extras {
		if !slices.Contains(own, name) && !p.Extra(name) {
			p.Extras = append(p.Extras, name)
		}
	}
}

// checkExtras fails on extras that name nothing.
func (p *Profile) checkExtras() error {
	if len(p.Extras) == 0 {
		return nil
	}
	all := p.names()
	var errs []error
	for i, name := range p.Extras {
		if slices.Contains(all, name) {
			continue
		}
		rule := "is no topic, service or parameter of the profile"
		if near := rules.Nearest(name, all); near != "" {
			rule += fmt.Sprintf(", did you mean %q?", near)
		}
		errs = append(errs, broken("", fmt.Sprintf("extras[%d]", i), name, errors.New(rule)))
	}
	return errors.Join(errs...)
}

package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Profile is the content of a profile's file. The function Compile makes it usable.
type Profile struct {
	About     string            `toml:"about" doc:"one sentence for omnipitch ros profiles"`
	Speaks    []msg.Version     `toml:"ros" range:"[1, 2]" minlen:"1" doc:"versions of ROS that the profile is for"`
	Include   []string          `toml:"include" doc:"other profiles, by name or path, whose entries this profile has too; an entry here replaces an included one with the same topic or name"`
	Types     []string          `toml:"types" doc:"sources of message types: dialects that ship (std, nubot, simatch, hawking, coach4sim, single_nubot_gazebo, humanoid, humanoid_may2017), or folders of .msg, .srv and .action files; of two types with the same name the later one counts"`
	Length    string            `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths; speeds are in this unit per second"`
	Angle     string            `toml:"angle" oneof:"rad|deg" doc:"unit of angles; angular velocities are in this unit per second"`
	Frame     string            `toml:"frame" doc:"frame_id of headers of which a message says nothing else"`
	Names     map[string]string `toml:"names" doc:"the software's names of things of the world, as in ball = \"football\""`
	Links     quantity.Links    `toml:"links" doc:"the software's names of the links of Gazebo's models, as in ball = \"chassis\"; link if left out, and for all other models"`
	Turned    []physics.Team    `toml:"turned" oneof:"cyan|magenta" doc:"teams whose robots the software sees turned by half a turn: the orientations of models, and those that place receives, differ by half a turn from the robots' own"`
	Reach     *physics.Reach    `toml:"reach" doc:"the region in which robots can hold and kick the ball, for ball.reachable, answer.reachable, and every dribble and kick without a reach; left out: the region of the dribbler, and a kick needs a held ball"`
	Params    map[string]any    `toml:"params" doc:"parameters to set: constants, text with {quantities}, a quantity as { number = \"field.length\", length = \"m\" }, or a list of texts as { each = \"classes\", text = \"{name}\" }"`
	Extras    []string          `toml:"extras" doc:"topics, services and parameters of this profile, or of included ones, that the modelled simulator or robots do not have; ros profiles --compare does not expect them"`
	Publish   []Publish         `toml:"publish"`
	Subscribe []Subscribe       `toml:"subscribe"`
	Replies   []Reply           `toml:"reply"`
	Services  []Service         `toml:"service"`
	Calls     []Call            `toml:"call"`
	Beliefs   []Belief          `toml:"belief"`

	Name    string       `toml:"-"` // the name or path that was passed to Load
	Library *msg.Library `toml:"-"` // message types that the key Types names
	Version msg.Version  `toml:"-"` // version of ROS for which the profile was loaded

	file  *schema.File
	bases []string // names of the directly and indirectly included profiles
	ships bool
}

// Versions lists the versions of ROS on which an entry of the profile exists, such as 1, 2. The argument is the
// entry's key ros.
func (p *Profile) Versions(of msg.Version) string {
	if of != 0 {
		return strconv.Itoa(int(of))
	}
	var all []string
	for _, v := range p.Speaks {
		all = append(all, strconv.Itoa(int(v)))
	}
	return strings.Join(all, ", ")
}

// Ships reports whether the profile ships with omnipitch.
func (p *Profile) Ships() bool { return p.ships }

// Includes reports whether the profile includes the profile with the given name, directly or indirectly.
func (p *Profile) Includes(name string) bool { return slices.Contains(p.bases, name) }

// SetDefaults sets the version to ROS 1, the units to those of ROS, and the frame to the robot's name.
func (p *Profile) SetDefaults() {
	p.Speaks = []msg.Version{msg.ROS1}
	p.Length, p.Angle, p.Frame = "m", "rad", "{robot}"
}

// Origin is the place of an entry: the profile whose file contains the entry, and the path of the entry in that file.
type Origin struct {
	Profile string // the profile's name
	Path    string // path in the profile's file, such as publish[2]

	units units // units of the entry
}

// Publish describes a topic that the simulator publishes. If its source is a kind of sensor, each sensor of that kind
// can have such a topic.
type Publish struct {
	Topic   string              `toml:"topic" required:"true" doc:"name, relative to the robot's namespace unless it begins with /; {robot}, {sensor} and {team} are replaced by names"`
	More    string              `toml:"more" doc:"topic of the second and further sensors of the kind, with {sensor} in it; if left out and topic has no {sensor}, only the first sensor has a topic"`
	Type    string              `toml:"type" required:"true" doc:"package/Type of its messages"`
	From    quantity.Source     `toml:"from" required:"true" doc:"source of the quantities: a kind of sensor, cameras (all kinds of them), robot, or world (one topic for all robots)"`
	Levels  []abstraction.Level `toml:"levels" oneof:"raw|ideal|pose|features|objects|truth" doc:"levels of the sensor that feed the topic; all if left out"`
	Rate    time.Duration       `toml:"period_ms" range:"[0, 3600000]" doc:"sim time between messages from robot or world; 0: one latched message"`
	When    string              `toml:"when" doc:"a quantity; while it is zero, nothing is published"`
	Alone   bool                `toml:"alone" doc:"nothing is published while another node publishes the topic"`
	Beside  bool                `toml:"beside" doc:"the topic is published with the sensor's observations, but a subscriber of this topic alone does not make the sensor observe"`
	Frame   string              `toml:"frame" doc:"frame_id of headers that message does not set"`
	Length  string              `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths in this entry; the profile's if left out"`
	Queue   int                 `toml:"queue" range:"[0, 65536]" doc:"length of the queue for a slow subscriber; 0: 2 messages for images and vision results, else 10"`
	Message map[string]any      `toml:"message" doc:"values of the fields of the message"`
	ROS     msg.Version         `toml:"ros" range:"[0, 2]" doc:"version of ROS on which the entry exists; 0: every version that the profile speaks"`

	Needs string `toml:"needs" oneof:"|ball|goals|lines|pieces|urdf|joints" doc:"part of the world that the topic is about; a world without it has no such topic; pieces are walls, boxes, cylinders and maps; urdf is a URDF of the robot, and joints a file of any format that describes it"`

	Unless sensors.Kind `toml:"unless" doc:"a kind of sensor: a robot that has such a sensor has no such topic"`

	BestEffort bool `toml:"best_effort" doc:"on ROS 2, lost messages are not sent again; subscribers that ask for reliable messages do not connect"`

	Origin `toml:"-"`
}

// Actor says who does the actions that messages cause: the robot, the world, or each camera of a kind.
type Actor string

// Choices returns all actors.
func (Actor) Choices() []string {
	all := []string{string(quantity.Robot), string(quantity.World)}
	for _, k := range sensors.Kinds() {
		if k.TakesImages() {
			all = append(all, string(k))
		}
	}
	return all
}

// Subscribe describes a topic whose messages cause actions.
type Subscribe struct {
	Topic   string              `toml:"topic" required:"true" doc:"name, as topic of publish"`
	Type    string              `toml:"type" required:"true" doc:"package/Type of its messages"`
	From    Actor               `toml:"for" doc:"actor of the actions: robot, world (one topic for all robots), or a kind of camera (one topic for each camera with a head)"`
	Do      map[string]any      `toml:"do" required:"true" doc:"actions that a message causes, with their arguments"`
	Accepts map[string][]string `toml:"accepts" doc:"allowed texts of fields of the message; a message with another text is refused"`
	Only    map[string]any      `toml:"only" doc:"a condition: a field of the message, written as for an argument of do. If it is 0, the message is for other entries of this topic. Its key and holds another condition, which must hold too"`
	Needs   string              `toml:"needs" oneof:"|urdf|joints|odometry" doc:"urdf: only robots that are described in URDF have such a topic; joints: only robots that a file of any format describes; odometry: only robots with such a sensor"`
	Length  string              `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths in this entry; the profile's if left out"`
	ROS     msg.Version         `toml:"ros" range:"[0, 2]" doc:"version of ROS on which the entry exists; 0: every version that the profile speaks"`

	Origin `toml:"-"`
}

// SetDefaults sets the actor to the robot.
func (s *Subscribe) SetDefaults() { s.From = "robot" }

// Service describes a service or an action that the simulator serves. The goal of an action is its request, and the
// result is its response. The goal succeeds when its actions have been carried out. It is rejected if they are invalid,
// and aborted if they fail, or if they contain a kick and the ball is out of reach.
type Service struct {
	Name     string              `toml:"name" required:"true" doc:"name, as topic of publish"`
	Type     string              `toml:"type" required:"true" doc:"package/Type of a service, or package/TypeAction of an action, on ROS 2 also package/Type"`
	From     string              `toml:"for" oneof:"robot|world" doc:"actor of the actions"`
	Do       map[string]any      `toml:"do" doc:"actions that a request causes, with their arguments"`
	Accepts  map[string][]string `toml:"accepts" doc:"allowed texts of fields of the request; a request with another text is refused"`
	Refuse   string              `toml:"refuse" doc:"a sentence why no request can be carried out; answer.error is this sentence"`
	Model    string              `toml:"model" doc:"field of the request that names a model of Gazebo, which the quantities model.… of the response describe"`
	Link     string              `toml:"link" doc:"the same for a field that names a model's link, as in football::ball"`
	Frame    string              `toml:"relative_to" doc:"field of the request that names the model or link in whose frame the response describes the model; empty, world and map mean the world"`
	Answer   map[string]any      `toml:"answer" doc:"values of the fields of the response"`
	Feedback map[string]any      `toml:"feedback" doc:"of an action that plays an animation: values of the fields of its feedback, from quantities of the robot"`
	Needs    string              `toml:"needs" oneof:"|urdf|joints" doc:"only robots that have it serve this: urdf or joints, as of subscribe"`
	Length   string              `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths in this entry; the profile's if left out"`
	ROS      msg.Version         `toml:"ros" range:"[0, 2]" doc:"version of ROS on which the entry exists; 0: every version that the profile speaks"`

	Origin `toml:"-"`
}

// SetDefaults sets the actor to the robot.
func (s *Service) SetDefaults() { s.From = "robot" }

// Call describes a service of another node. The simulator calls the service when a quantity changes.
type Call struct {
	Service string         `toml:"service" required:"true" doc:"name, as topic of publish"`
	Type    string         `toml:"type" required:"true" doc:"package/Type"`
	From    string         `toml:"from" oneof:"robot|world" doc:"source of the quantities"`
	On      string         `toml:"on" required:"true" doc:"the quantity whose changes cause calls; its first value causes none"`
	Request map[string]any `toml:"request" doc:"values of the fields of the request"`
	Length  string         `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths in this entry; the profile's if left out"`
	ROS     msg.Version    `toml:"ros" range:"[0, 2]" doc:"version of ROS on which the entry exists; 0: every version that the profile speaks"`

	Origin `toml:"-"`
}

// SetDefaults sets the source to the robot.
func (c *Call) SetDefaults() { c.From = "robot" }

// setOrigins sets the place of each entry. If an entry or a parameter has no units or no frame of its own, setOrigins
// gives it the units or the frame of its profile, because a profile that includes this profile may have others.
func (p *Profile) setOrigins() {
	origin := func(list string, i int, length string) Origin {
		return Origin{p.Name, fmt.Sprintf("%s[%d]", list, i), unitsOf(cmp.Or(length, p.Length), p.Angle)}
	}
	for i := range p.Publish {
		e := &p.Publish[i]
		e.Origin = origin("publish", i, e.Length)
		if e.Frame == "" && e.From != quantity.World {
			e.Frame = p.Frame
		}
	}
	for i := range p.Subscribe {
		p.Subscribe[i].Origin = origin("subscribe", i, p.Subscribe[i].Length)
	}
	for i := range p.Replies {
		p.Replies[i].Origin = origin("reply", i, "")
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
		} else if l, ok := listOf(value); ok {
			p.Params[name] = l
		}
	}
}

// keepEntries removes the entries of other versions of ROS. Their origins must have been set.
func (p *Profile) keepEntries(v msg.Version) {
	other := func(of msg.Version) bool { return of != 0 && of != v }
	p.Publish = slices.DeleteFunc(p.Publish, func(e Publish) bool { return other(e.ROS) })
	p.Subscribe = slices.DeleteFunc(p.Subscribe, func(e Subscribe) bool { return other(e.ROS) })
	p.Replies = slices.DeleteFunc(p.Replies, func(e Reply) bool { return other(e.ROS) })
	p.Services = slices.DeleteFunc(p.Services, func(e Service) bool { return other(e.ROS) })
	p.Calls = slices.DeleteFunc(p.Calls, func(e Call) bool { return other(e.ROS) })
	p.Beliefs = slices.DeleteFunc(p.Beliefs, func(e Belief) bool { return other(e.ROS) })
}

// Locate adds the places in the profile's file to the violations in an error.
func (p *Profile) Locate(err error) error { return p.file.Locate(err) }

// Extra reports whether Extras contains the name.
func (p *Profile) Extra(name string) bool { return slices.Contains(p.Extras, name) }

// names returns the names of all entries and parameters.
func (p *Profile) names() (all []string) {
	for i := range p.Publish {
		all = append(all, p.Publish[i].Topic)
	}
	for i := range p.Subscribe {
		all = append(all, p.Subscribe[i].Topic)
	}
	for i := range p.Replies {
		all = append(all, p.Replies[i].Topic)
	}
	for i := range p.Services {
		all = append(all, p.Services[i].Name)
	}
	for i := range p.Calls {
		all = append(all, p.Calls[i].Service)
	}
	return slices.AppendSeq(all, maps.Keys(p.Params))
}

// addExtras adds the extras of an included profile to p, except the names for which p has entries. It must be called
// before the entries are merged.
func (p *Profile) addExtras(base *Profile) {
	own := p.names()
	for _, name := range base.Extras {
		if !slices.Contains(own, name) && !p.Extra(name) {
			p.Extras = append(p.Extras, name)
		}
	}
}

// checkExtras returns an error for each element of Extras that is not the name of an entry or a parameter. Extras count
// on ROS 1 only.
func (p *Profile) checkExtras() error {
	if len(p.Extras) == 0 || p.Version == msg.ROS2 {
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

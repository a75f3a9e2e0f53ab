package mapping

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Belief is a topic on which a robot's own programs say what they believe.
type Belief struct {
	Topic     string    `toml:"topic" required:"true" doc:"as that of publish; what the simulator itself publishes there is no belief"`
	Type      string    `toml:"type" required:"true" doc:"package/Type of its messages; of a publisher of another type the fields are looked for by their names"`
	In        string    `toml:"in" oneof:"team|world|robot|header" doc:"the frame of its places: the team's field frame, x towards the opponent's goal; the world's; the robot's, x forward; or what frame_id of the message's header says, map, world, field, or a name that ends in base_link or base_footprint"`
	Length    string    `toml:"length" oneof:"m|cm|mm" doc:"unit here; the profile's if left out"`
	Angle     string    `toml:"angle" oneof:"rad|deg" doc:"unit here; the profile's if left out"`
	Pose      *Believed `toml:"pose" doc:"where the robot is"`
	Ball      *Believed `toml:"ball" doc:"where the ball is"`
	Obstacles *Believed `toml:"obstacles" doc:"where others are"`
	Path      *Believed `toml:"path" doc:"where the robot will go"`

	Origin `toml:"-"`
}

// SetDefaults has places in the team's frame.
func (b *Belief) SetDefaults() { b.In = "team" }

// Believed says in which fields of a message places stand.
type Believed struct {
	Each        string `toml:"each" doc:"an array of messages, whose elements have the fields; left out: the message itself has them"`
	X           string `toml:"x" doc:"field, as pose.position.x"`
	Y           string `toml:"y" doc:"field"`
	Z           string `toml:"z" doc:"field; left out: on the floor"`
	Distance    string `toml:"distance" doc:"field, with bearing instead of x and y: in the robot's frame"`
	Bearing     string `toml:"bearing" doc:"field, anticlockwise from the robot's front"`
	Heading     string `toml:"heading" doc:"field"`
	Orientation string `toml:"orientation" doc:"field of type geometry_msgs/Quaternion, instead of heading"`
	Number      string `toml:"number" doc:"field with a robot's number, or # for an element's place in the array, from 1 on; with each, of pose, ball and path those elements count that have the robot's own"`
	Known       string `toml:"known" doc:"field that is 0, or false, while the place is not known"`
}

// fields are the paths of all fields that are named, in the order of the constants below; "" of those that are not.
func (b *Believed) fields() [believedFields]string {
	f := [believedFields]string{b.X, b.Y, b.Z, b.Distance, b.Bearing, b.Heading, "", "", "", "", b.Number, b.Known}
	if b.Number == "#" {
		f[fieldNumber] = ""
	}
	if b.Orientation != "" {
		for i, part := range [...]string{"x", "y", "z", "w"} {
			f[fieldQX+i] = b.Orientation + "." + part
		}
	}
	return f
}

const (
	fieldX = iota
	fieldY
	fieldZ
	fieldDistance
	fieldBearing
	fieldHeading
	fieldQX
	fieldQY
	fieldQZ
	fieldQW
	fieldNumber
	fieldKnown
	believedFields
)

// Kinds of beliefs, as they stand in Said.
const (
	poseKind = iota
	ballKind
	obstaclesKind
	pathKind
	kinds
)

// beliefKinds are the keys of the kinds.
var beliefKinds = []string{"pose", "ball", "obstacles", "path"}

func (b *Belief) kinds() [kinds]*Believed { return [4]*Believed{b.Pose, b.Ball, b.Obstacles, b.Path} }

// believing compiles a belief.
func (c *Compiled) believing(b *Belief) (*Entry, error) {
	e := &Entry{Origin: b.Origin, key: "topic", pattern: b.Topic, from: fromRobot, belief: b}
	path := c.where(e)
	if err := c.topic(e, b.Type); err != nil {
		return e, err
	}
	var errs []error
	none := true
	for i, p := range b.kinds() {
		if p == nil {
			continue
		}
		none = false
		at := path + "." + beliefKinds[i]
		polar := p.Distance != "" || p.Bearing != ""
		switch {
		case polar && (p.X != "" || p.Y != ""):
			errs = append(errs, broken(at, "distance", p.Distance,
				errors.New("stands instead of x and y: leave one of the two out")))
		case polar && (p.Distance == "" || p.Bearing == ""):
			errs = append(errs, broken(at, "bearing", p.Bearing, errors.New("distance and bearing stand together")))
		case !polar && (p.X == "" || p.Y == ""):
			errs = append(errs, broken(at, "x", p.X, errors.New("x and y stand together, or distance and bearing "+
				"instead")))
		}
		if p.Heading != "" && p.Orientation != "" {
			errs = append(errs, broken(at, "orientation", p.Orientation,
				errors.New("stands instead of heading: leave one of the two out")))
		}
		if i == poseKind && p.Heading == "" && p.Orientation == "" {
			errs = append(errs, broken(at, "heading", p.Heading, errors.New("a pose needs heading, or orientation")))
		}
	}
	if none {
		errs = append(errs, broken(path, "topic", b.Topic,
			errors.New("says nothing: give pose, ball, obstacles or path")))
	}
	if errs == nil {
		_, err := newBeliefReader(e.Topic, b)
		for _, err := range schema.Flatten(err) {
			errs = append(errs, broken(path, "type", b.Type, err))
		}
	}
	return e, errors.Join(append(errs, checkPattern(path, "topic", b.Topic, quantitiesOf(fromRobot, nil)))...)
}

// Believing is what an instance of a belief reads from messages.
type Believing struct {
	*beliefReader
	units units
	team  physics.Team
	own   int // number of the robot
}

// Said is what one message says.
type Said struct {
	Stamp    time.Duration         // of the header
	HasStamp bool                  // there is one that is not zero
	Kinds    [kinds]*belief.Belief // pose, ball, obstacles, path
}

// Believing returns what reads beliefs from messages of a publisher with a definition. It fails where that lacks a
// field.
func (i *Instance) Believing(def *msg.Definition) (*Believing, error) {
	r, err := newBeliefReader(def, i.belief)
	if err != nil {
		return nil, err
	}
	return &Believing{r, i.units, i.Context.Robot.Team, i.Context.Robot.Number}, nil
}

// Read reads the message in b; of one that was cut, what stands there. It returns false if nothing in it can be placed.
func (r *Believing) Read(b []byte, cut bool) (said Said, ok bool) {
	values, lists, err := r.picker.Pick(b, cut)
	if err != nil {
		return said, false
	}
	in := r.of.In
	if in == "header" {
		in = frameOf(values[slotFrame].Text)
	}
	if in == "" {
		return said, false
	}
	if s := values[slotStamp].Number; r.stamped && s > 0 && s < 1e9 { // more seconds than a simulation has
		said.Stamp, said.HasStamp = time.Duration(math.Round(s*1e9)), true
	}
	for k, p := range r.of.kinds() {
		if p == nil {
			continue
		}
		said.Kinds[k] = r.kind(k, p, in, values, lists)
		ok = ok || said.Kinds[k] != nil
	}
	return said, ok
}

// kind reads the places of one kind; nil: the message says nothing of it.
func (r *Believing) kind(k int, p *Believed, in string, values []Value, lists []pickedList) *belief.Belief {
	at := &r.at[k]
	if at.list < 0 {
		return r.belief(p, in, [][]Value{values[at.first : at.first+believedFields]}, 0, k)
	}
	l := &lists[at.list]
	if !l.came {
		return nil
	}
	return r.belief(p, in, l.elements, l.leftOut, k)
}

func (r *Believing) belief(p *Believed, in string, elements [][]Value, leftOut, kind int) *belief.Belief {
	b := &belief.Belief{Relative: in == "robot" || p.Distance != "", LeftOut: leftOut}
	for i, v := range elements {
		if p.Number == "#" {
			v[fieldNumber].Number = float64(i + 1)
		}
		if p.Each != "" && p.Number != "" && kind != obstaclesKind && int(v[fieldNumber].Number) != r.own {
			continue
		}
		if p.Known != "" && v[fieldKnown].Number == 0 {
			continue
		}
		at := r.place(p, v)
		if !at.Finite() {
			continue
		}
		if in == "team" && !b.Relative && r.team == physics.Magenta {
			at = at.Turned()
		}
		b.Places = append(b.Places, at)
		if kind == poseKind || kind == ballKind {
			break
		}
	}
	return b
}

func (r *Believing) place(p *Believed, v []Value) (at belief.Place) {
	length, angle := 1/r.units.perMetre, 1/r.units.perRadian
	if p.Distance != "" {
		sin, cos := math.Sincos(v[fieldBearing].Number * angle)
		at.X, at.Y = cos*v[fieldDistance].Number*length, sin*v[fieldDistance].Number*length
	} else {
		at.X, at.Y = v[fieldX].Number*length, v[fieldY].Number*length
	}
	if p.Z != "" {
		at.Z = v[fieldZ].Number * length
	}
	switch {
	case p.Heading != "":
		at.Heading, at.HasHeading = v[fieldHeading].Number*angle, true
	case p.Orientation != "":
		x, y, z, w := v[fieldQX].Number, v[fieldQY].Number, v[fieldQZ].Number, v[fieldQW].Number
		if n := x*x + y*y + z*z + w*w; n > 1e-6 { // an orientation that was not filled in is none
			at.Heading, at.HasHeading = math.Atan2(2*(w*z+x*y), w*w+x*x-y*y-z*z), true
		}
	}
	if n := v[fieldNumber].Number; p.Number != "" && n >= 1 && n < 1000 {
		at.Number = int(n)
	}
	return at
}

// frameOf returns the frame that a header names; empty: one that the simulator does not know, such as that of a robot's
// odometry.
func frameOf(id string) string {
	id = strings.TrimPrefix(id, "/")
	switch last := id[strings.LastIndexByte(id, '/')+1:]; {
	case id == "map" || id == "world":
		return "world"
	case id == "field":
		return "team"
	case last == "base_link" || last == "base_footprint":
		return "robot"
	}
	return ""
}

// beliefReader reads the fields of a belief from messages of one definition.
type beliefReader struct {
	of      *Belief
	picker  *listPicker
	stamped bool
	at      [kinds]beliefAt
}

// beliefAt is where the fields of a kind are picked: a list, or -1 and the first of the values.
type beliefAt struct{ list, first int }

// Slots of the values that come before those of kinds.
const (
	slotStamp = iota
	slotFrame
	firstSlot
)

func newBeliefReader(def *msg.Definition, b *Belief) (*beliefReader, error) {
	r := &beliefReader{of: b, stamped: def.HasHeader()}
	values := []string{"", ""}
	if r.stamped {
		values[slotStamp], values[slotFrame] = stampPath, "header.frame_id"
	} else if b.In == "header" {
		return nil, errors.New("in = \"header\": the message has none")
	}
	var lists []listPaths
	for k, p := range b.kinds() {
		if p == nil {
			continue
		}
		fields := p.fields()
		if p.Each == "" {
			r.at[k] = beliefAt{-1, len(values)}
			values = append(values, fields[:]...)
			continue
		}
		most := belief.MaxObstacles
		if k == pathKind {
			most = belief.MaxPath
		}
		r.at[k] = beliefAt{list: len(lists)}
		lists = append(lists, listPaths{p.Each, fields[:], most})
	}
	var err error
	r.picker, err = newListPicker(def, values, lists)
	return r, err
}

// stampPath is the field of a header's time.
const stampPath = "header.stamp"

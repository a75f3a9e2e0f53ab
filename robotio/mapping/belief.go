package mapping

import (
	"cmp"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Belief is a topic on which a robot's programs publish estimated positions of the robot, the ball and other things,
// and what the robot does.
type Belief struct {
	Topic     string    `toml:"topic" required:"true" doc:"name, as topic of publish; messages of the simulator itself are ignored"`
	Type      string    `toml:"type" required:"true" doc:"package/Type of its messages; if a publisher has another type, its fields are found by name"`
	In        string    `toml:"in" oneof:"team|world|robot|header" doc:"coordinate frame of the positions: team, the team's field frame with x towards the opponents' goal; world; robot, with x forward; or header, the frame_id of the message's header, which must be map, world, field, or a name that ends in base_link or base_footprint"`
	Length    string    `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths in this entry; the profile's if left out"`
	Angle     string    `toml:"angle" oneof:"rad|deg" doc:"unit of angles in this entry; the profile's if left out"`
	Pose      *Believed `toml:"pose" doc:"pose of the robot"`
	Ball      *Believed `toml:"ball" doc:"position of the ball"`
	Obstacles *Believed `toml:"obstacles" doc:"positions of other robots and obstacles"`
	Path      *Believed `toml:"path" doc:"path that the robot plans to follow, or its target alone; the last point is the target"`
	Velocity  *Believed `toml:"velocity" doc:"velocity of the robot over the floor, in lengths per second along the axes of the frame"`
	Status    *Status   `toml:"status" doc:"role and action of the robot, and whether it dribbles the ball"`

	Origin `toml:"-"`
}

// SetDefaults sets the frame of the positions to the team's field frame.
func (b *Belief) SetDefaults() { b.In = "team" }

// Believed names the fields of a message that hold the positions of one kind of thing, or a velocity.
type Believed struct {
	In          string `toml:"in" oneof:"team|world|robot|header" doc:"coordinate frame of this kind, if it is not that of the entry"`
	Each        string `toml:"each" doc:"an array of messages whose elements contain the fields; left out: the message itself contains them"`
	X           string `toml:"x" doc:"field, as pose.position.x"`
	Y           string `toml:"y" doc:"field"`
	Z           string `toml:"z" doc:"field; left out: on the floor"`
	Distance    string `toml:"distance" doc:"field, instead of x and y and together with bearing, in the robot's frame"`
	Bearing     string `toml:"bearing" doc:"field, anticlockwise from the robot's front"`
	Heading     string `toml:"heading" doc:"field"`
	Orientation string `toml:"orientation" doc:"field of type geometry_msgs/Quaternion, instead of heading"`
	Number      string `toml:"number" doc:"field with a robot's number, or # for the index of an element in the array, counted from 1; with each, all kinds but obstacles use only elements with the robot's own number"`
	Known       string `toml:"known" doc:"field that is 0 or false while the position is unknown; a number up to 1 is the confidence"`
}

// fields returns the paths of the fields, in the order of the constants that follow. The path of a field that is left
// out is "".
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

// Kinds of beliefs. The values are indices of Said.Kinds.
const (
	poseKind = iota
	ballKind
	obstaclesKind
	pathKind
	velocityKind
	kinds
)

// beliefKinds holds the keys of the kinds in profiles.
var beliefKinds = [kinds]string{"pose", "ball", "obstacles", "path", "velocity"}

func (b *Belief) kinds() [kinds]*Believed {
	return [kinds]*Believed{b.Pose, b.Ball, b.Obstacles, b.Path, b.Velocity}
}

// belief compiles a belief entry of a profile.
func (c *Compiled) belief(b *Belief) (*Entry, error) {
	e := &Entry{Origin: b.Origin, key: "topic", pattern: b.Topic, from: quantity.Robot, belief: b}
	path := c.where(e)
	if err := c.topic(e, b.Type); err != nil {
		return e, err
	}
	var errs []error
	none := b.Status == nil
	for i, p := range b.kinds() {
		if p == nil {
			continue
		}
		none = false
		key := path + "." + beliefKinds[i]
		polar := p.Distance != "" || p.Bearing != ""
		switch {
		case polar && (p.X != "" || p.Y != ""):
			errs = append(errs, broken(key, "distance", p.Distance,
				errors.New("replaces x and y: leave one of the two out")))
		case polar && (p.Distance == "" || p.Bearing == ""):
			errs = append(errs, broken(key, "bearing", p.Bearing,
				errors.New("distance and bearing must be given together")))
		case !polar && (p.X == "" || p.Y == ""):
			errs = append(errs, broken(key, "x", p.X, errors.New("give x and y, or distance and bearing")))
		}
		if p.Heading != "" && p.Orientation != "" {
			errs = append(errs, broken(key, "orientation", p.Orientation,
				errors.New("replaces heading: leave one of the two out")))
		}
		if i == poseKind && p.Heading == "" && p.Orientation == "" {
			errs = append(errs, broken(key, "heading", p.Heading, errors.New("a pose needs heading, or orientation")))
		}
	}
	if none {
		errs = append(errs, broken(path, "topic", b.Topic,
			errors.New("says nothing of the robot: give pose, ball, obstacles, path, velocity or status")))
	}
	if b.Status != nil && b.Status.Role == "" && b.Status.Action == "" && b.Status.Dribbling == "" {
		errs = append(errs, broken(path+".status", "role", "", errors.New("give role, action or dribbling")))
	}
	if errs == nil {
		_, err := newBeliefReader(e.Topic, b)
		for _, err := range schema.Flatten(err) {
			errs = append(errs, broken(path, "type", b.Type, err))
		}
	}
	return e, errors.Join(append(errs, checkPattern(path, "topic", b.Topic, quantity.Of(quantity.Robot, nil)))...)
}

// BeliefReader reads the positions and the status from the messages that one robot publishes on a belief topic.
type BeliefReader struct {
	*beliefReader
	units  units
	team   physics.Team
	number int // number of the robot
}

// Said holds the positions and the status in one message.
type Said struct {
	Stamp    time.Duration // stamp in the header; valid if HasStamp
	HasStamp bool          // whether the header has a stamp other than zero
	// positions by kind: pose, ball, obstacles, path, velocity; nil if the message has none of the kind
	Kinds  [kinds]*belief.Belief
	Status *belief.Status // nil if the message has none
}

// BeliefReader returns a reader for messages of a definition. It returns an error if the definition lacks a field that
// the belief needs.
func (i *Instance) BeliefReader(def *msg.Definition) (*BeliefReader, error) {
	r, err := newBeliefReader(def, i.belief)
	if err != nil {
		return nil, err
	}
	return &BeliefReader{r, i.units, i.Context.Robot.Team, i.Context.Robot.Number}, nil
}

// Read reads the positions and the status in the message b. If cut is true, b is only the beginning of a message. Read
// returns false if the message has no position in a known frame and no status.
func (r *BeliefReader) Read(b []byte, cut bool) (said Said, ok bool) {
	values, lists, err := r.picker.PickLists(b, cut)
	if err != nil {
		return said, false
	}
	if s := values[slotStamp].Number; r.stamped && s > 0 && s < 1e9 { // sim times are below 1e9 s
		said.Stamp, said.HasStamp = time.Duration(math.Round(s*1e9)), true
	}
	for k, p := range r.of.kinds() {
		if p == nil {
			continue
		}
		in := cmp.Or(p.In, r.of.In)
		if in == "header" {
			in = frameOf(values[slotFrame].Text)
		}
		if in != "" {
			said.Kinds[k] = r.kind(k, p, in, values, lists)
			ok = ok || said.Kinds[k] != nil
		}
	}
	if s := r.of.Status; s != nil {
		elements, _, _ := r.status.elements(values, lists)
		said.Status = s.read(elements, r.number)
		ok = ok || said.Status != nil
	}
	return said, ok
}

// kind reads the positions of the kind k. It returns nil if the message has no positions of that kind.
func (r *BeliefReader) kind(k int, p *Believed, in string, values []dynamic.Scalar,
	lists []dynamic.Elements) *belief.Belief {
	elements, leftOut, present := r.slots[k].elements(values, lists)
	if !present {
		return nil
	}
	return r.belief(p, in, elements, leftOut, k)
}

func (r *BeliefReader) belief(p *Believed, in string, elements [][]dynamic.Scalar, leftOut, kind int) *belief.Belief {
	b := &belief.Belief{Relative: in == "robot" || p.Distance != "", LeftOut: leftOut}
	for i, v := range elements {
		if p.Number == "#" {
			v[fieldNumber].Number = float64(i + 1)
		}
		if p.Each != "" && p.Number != "" && kind != obstaclesKind && int(v[fieldNumber].Number) != r.number {
			continue
		}
		if p.Known != "" && v[fieldKnown].Number == 0 {
			continue
		}
		at := r.place(p, v)
		if known := v[fieldKnown].Number; p.Known == "" {
			at.Confidence = 1
		} else if known > 0 { // false for NaN
			at.Confidence = min(known, 1)
		}
		if !at.Finite() {
			continue
		}
		if in == "team" && !b.Relative && r.team == physics.Magenta {
			at = at.Turned()
		}
		b.Places = append(b.Places, at)
		if kind == poseKind || kind == ballKind || kind == velocityKind {
			break
		}
	}
	return b
}

func (r *BeliefReader) place(p *Believed, v []dynamic.Scalar) (at belief.Place) {
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
		if n := x*x + y*y + z*z + w*w; n > 1e-6 { // a zero quaternion means that the program did not set it
			at.Heading, at.HasHeading = math.Atan2(2*(w*z+x*y), w*w+x*x-y*y-z*z), true
		}
	}
	if n := v[fieldNumber].Number; p.Number != "" && n >= 1 && n < 1000 {
		at.Number = int(n)
	}
	return at
}

// frameOf returns the frame that a frame_id names: world, team or robot. It returns "" for any other frame, such as a
// robot's odometry frame.
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
	picker  *dynamic.Picker
	stamped bool
	slots   [kinds]beliefSlots
	status  beliefSlots
}

// beliefSlots says where the picker stores the n fields of a kind. If list is −1, they are single values, beginning at
// the index first. Otherwise they are in the list with the index list.
type beliefSlots struct{ list, first, n int }

// elements returns the values of the fields, one element for each part of the message that has them, and the number of
// elements left out. present is false if the message was cut before its list.
func (s *beliefSlots) elements(values []dynamic.Scalar, lists []dynamic.Elements) (
	all [][]dynamic.Scalar, leftOut int, present bool) {
	if s.list < 0 {
		return [][]dynamic.Scalar{values[s.first : s.first+s.n]}, 0, true
	}
	l := &lists[s.list]
	return l.Values, l.LeftOut, l.Present
}

// Indices of the values of the header, which precede the values of the kinds.
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
	}
	var lists []dynamic.List
	pick := func(each string, fields []string, most int) beliefSlots {
		if each == "" {
			values = append(values, fields...)
			return beliefSlots{-1, len(values) - len(fields), len(fields)}
		}
		lists = append(lists, dynamic.List{Array: each, Paths: fields, Most: most})
		return beliefSlots{list: len(lists) - 1}
	}
	for k, p := range b.kinds() {
		if p == nil {
			continue
		}
		if cmp.Or(p.In, b.In) == "header" && !r.stamped {
			return nil, errors.New("in = \"header\": the message has no header")
		}
		fields, most := p.fields(), belief.MaxObstacles
		if k == pathKind {
			most = belief.MaxPath
		}
		r.slots[k] = pick(p.Each, fields[:], most)
	}
	if s := b.Status; s != nil {
		fields := s.fields()
		r.status = pick(s.Each, fields[:], belief.MaxObstacles)
	}
	var err error
	r.picker, err = newPicker(def, values, lists...)
	return r, err
}

// stampPath is the path of the stamp in a message with a header.
const stampPath = "header.stamp"

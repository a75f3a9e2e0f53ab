package mapping

import (
	"cmp"
	"errors"
	"fmt"
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
	More      string    `toml:"more" doc:"with in = \"image\": topic of the second and further cameras, with {sensor} in it; if left out and topic has no {sensor}, only the first camera has a topic"`
	Type      string    `toml:"type" required:"true" doc:"package/Type of its messages; if a publisher has another type, its fields are found by name"`
	In        string    `toml:"in" oneof:"team|world|robot|header|image" doc:"coordinate frame of the positions: team, the team's field frame with x towards the opponents' goal; world; robot, with x forward; header, the frame_id of the message's header, which must be map, world, field, or a name that ends in base_link or base_footprint; or image, pixels of a camera's image of the message's stamp, from the centre of the top left pixel"`
	Length    string    `toml:"length" oneof:"m|cm|mm" doc:"unit of lengths in this entry; the profile's if left out"`
	Angle     string    `toml:"angle" oneof:"rad|deg" doc:"unit of angles in this entry; the profile's if left out"`
	Pose      *Believed `toml:"pose" doc:"pose of the robot"`
	Ball      *Believed `toml:"ball" doc:"position of the ball"`
	Obstacles *Believed `toml:"obstacles" doc:"positions of other robots and obstacles; in an image, the top left corners of their boxes"`
	Path      *Believed `toml:"path" doc:"path that the robot plans to follow, or its target alone; the last point is the target"`
	Velocity  *Believed `toml:"velocity" doc:"velocity of the robot over the floor, in lengths per second along the axes of the frame"`
	Status    *Status   `toml:"status" doc:"role and action of the robot, and whether it dribbles the ball"`

	Goal  []Believed `toml:"goal" doc:"posts of goals and, in an image, bars; several tables for several fields of the message"`
	Lines []Believed `toml:"lines" doc:"lines of the field, from a position to its end; several tables for several fields of the message"`

	ROS msg.Version `toml:"ros" range:"[0, 2]" doc:"version of ROS on which the entry exists; 0: every version that the profile speaks"`

	Origin `toml:"-"`
}

// SetDefaults sets the frame of the positions to the team's field frame.
func (b *Belief) SetDefaults() { b.In = "team" }

// Kinds of beliefs. The values are indices of Said.Kinds.
const (
	poseKind = iota
	ballKind
	obstaclesKind
	pathKind
	velocityKind
	goalKind
	linesKind
	kinds
)

// beliefKinds holds the keys of the kinds in profiles.
var beliefKinds = [kinds]string{"pose", "ball", "obstacles", "path", "velocity", "goal", "lines"}

// parts returns the tables of the kind k.
func (b *Belief) parts(k int) (all []*Believed) {
	switch k {
	case goalKind, linesKind:
		tables := b.Goal
		if k == linesKind {
			tables = b.Lines
		}
		for i := range tables {
			all = append(all, &tables[i])
		}
	default:
		if p := [...]*Believed{b.Pose, b.Ball, b.Obstacles, b.Path, b.Velocity}[k]; p != nil {
			all = append(all, p)
		}
	}
	return all
}

// belief compiles a belief entry of a profile.
func (c *Compiled) belief(b *Belief) (*Entry, error) {
	e := &Entry{Origin: b.Origin, version: c.Version, key: "topic", pattern: b.Topic, more: b.More,
		from: quantity.Robot, belief: b}
	if b.In == inImage {
		e.from = quantity.Cameras
	}
	path := c.where(e)
	if err := c.topic(e, b.Type); err != nil {
		return e, err
	}
	var errs []error
	none := b.Status == nil
	for k := range kinds {
		for i, p := range b.parts(k) {
			none = false
			key := path + "." + beliefKinds[k]
			if k >= goalKind {
				key = fmt.Sprintf("%s[%d]", key, i)
			}
			errs = p.check(errs, key, k, b.In)
		}
	}
	if none {
		errs = append(errs, broken(path, "topic", b.Topic,
			errors.New("says nothing of the robot: give pose, ball, obstacles, path, goal, lines, velocity or status")))
	}
	if s := b.Status; s != nil && s.Role == "" && s.Action == "" && s.Side == "" && s.Dribbling == "" {
		errs = append(errs, broken(path+".status", "role", "", errors.New("give role, action, side or dribbling")))
	}
	if b.More != "" && b.In != inImage {
		errs = append(errs, broken(path, "more", b.More, errors.New(`needs in = "image"`)))
	}
	if errs == nil {
		_, err := newBeliefReader(e.Topic, b)
		for _, err := range schema.Flatten(err) {
			errs = append(errs, broken(path, "type", b.Type, err))
		}
	}
	known := quantity.Of(quantity.Robot, nil)
	return e, errors.Join(append(errs, checkPattern(path, "topic", b.Topic, known),
		checkPattern(path, "more", b.More, known))...)
}

// inImage is the value of Belief.In for positions in an image.
const inImage = "image"

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
	// positions by kind: pose, ball, obstacles, path, velocity, goal, lines; nil if the message has none of the kind
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
	for k := range kinds {
		said.Kinds[k] = r.kind(k, values, lists)
		ok = ok || said.Kinds[k] != nil
	}
	if s := r.of.Status; s != nil {
		elements, _, _ := r.status.elements(values, lists)
		said.Status = s.read(elements, r.number)
		ok = ok || said.Status != nil
	}
	return said, ok
}

// kind reads the positions of the kind k. It returns nil if the message has no positions of that kind.
func (r *BeliefReader) kind(k int, values []dynamic.Scalar, lists []dynamic.Elements) (b *belief.Belief) {
	for i, p := range r.of.parts(k) {
		in := cmp.Or(p.In, r.of.In)
		if in == "header" {
			in = frameOf(values[slotFrame].Text)
		}
		elements, leftOut, present := r.slots[k][i].elements(values, lists)
		if !present || in == "" {
			continue
		}
		if b == nil {
			b = &belief.Belief{Relative: in == "robot" || p.Distance != ""}
		}
		b.LeftOut += leftOut
		r.add(b, p, in, elements, k)
	}
	return b
}

// add adds the positions in elements to the belief b of a kind.
func (r *BeliefReader) add(b *belief.Belief, p *Believed, in string, elements [][]dynamic.Scalar, kind int) {
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
		at := r.place(p, v, in)
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
}

func (r *BeliefReader) place(p *Believed, v []dynamic.Scalar, in string) (at belief.Place) {
	length, angle := 1/r.units.perMetre, 1/r.units.perRadian
	if in == inImage {
		length = 1
	}
	if p.Distance != "" {
		sin, cos := math.Sincos(v[fieldBearing].Number * angle)
		at.X, at.Y = cos*v[fieldDistance].Number*length, sin*v[fieldDistance].Number*length
	} else {
		at.X, at.Y = v[fieldX].Number*length, v[fieldY].Number*length
	}
	if p.Z != "" {
		at.Z = v[fieldZ].Number * length
	}
	at.EndX, at.EndY, at.HasEnd = v[fieldEndX].Number*length, v[fieldEndY].Number*length, p.EndX != ""
	at.Width, at.Height = v[fieldWidth].Number*length, v[fieldHeight].Number*length
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
	slots   [kinds][]beliefSlots // of each table of a kind
	status  beliefSlots
}

// beliefSlots says where the picker stores the n fields of a table. If list is −1, they are single values, beginning at
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
	for k := range kinds {
		most := belief.MaxObstacles
		if k == pathKind || k == linesKind {
			most = belief.MaxPath
		}
		for _, p := range b.parts(k) {
			if cmp.Or(p.In, b.In) == "header" && !r.stamped {
				return nil, errors.New("in = \"header\": the message has no header")
			}
			fields := p.fields()
			r.slots[k] = append(r.slots[k], pick(p.Each, fields[:], most))
		}
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

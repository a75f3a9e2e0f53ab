package assess

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
)

// Limits of a message. Guesses, far above what a vision reports.
const (
	maxValues = 100_000
	maxListed = 1000 // things in a list
)

// reader decodes reports from messages of one type on one topic.
type reader struct {
	form    *form
	topic   *Topic
	robot   string // of the assessed vision
	number  int
	sensors []string // names of cameras, for optical frames
	codec   *dynamic.Codec
	numbers map[string]float64
	texts   map[string]string
}

// newReader returns an error for an unsupported type, or one without the topic's kind.
func newReader(def *msg.Definition, topic *Topic) (*reader, error) {
	i := slices.IndexFunc(forms, func(f form) bool { return f.typ == def.Name })
	if i < 0 {
		var all []string
		for k := range forms {
			all = append(all, forms[k].typ)
		}
		return nil, fmt.Errorf("messages of type %s are not supported: needs one of %s", def.Name,
			strings.Join(all, ", "))
	}
	r := &reader{form: &forms[i], topic: topic, numbers: map[string]float64{}, texts: map[string]string{}}
	if len(r.form.kindsOf(topic)) == 0 {
		return nil, fmt.Errorf("messages of type %s have no %s", def.Name, topic.Kind)
	}
	var err error
	r.codec, err = dynamic.Compile(def)
	return r, err
}

// read returns a message's reports and its stamp in seconds; stamped is false if the message has no header.
func (r *reader) read(data []byte) (reports []report, stamp float64, stamped bool, err error) {
	clear(r.numbers)
	clear(r.texts)
	err = r.codec.Values(data, func(v *dynamic.Value) {
		switch {
		case len(r.numbers)+len(r.texts) >= maxValues:
		case v.Text != nil:
			r.texts[string(v.Path)] = string(v.Text)
		default:
			r.numbers[string(v.Path)] = v.Number
		}
	})
	if err != nil {
		return nil, 0, false, err
	}
	stamp, stamped = r.numbers["header.stamp"]
	for i := range r.form.parts {
		p := &r.form.parts[i]
		if p.kind != "" && r.topic.Kind != "" && p.kindOn(r.topic) != r.topic.Kind {
			continue
		}
		if p.each == "" {
			reports, err = r.add(reports, p, "")
		}
		for k := 0; p.each != "" && k < maxListed && err == nil; k++ {
			at := p.each + "[" + strconv.Itoa(k) + "]."
			if !r.has(at + p.field()) {
				break
			}
			reports, err = r.add(reports, p, at)
		}
		if err != nil {
			return nil, stamp, stamped, err
		}
	}
	return reports, stamp, stamped, nil
}

// field returns the path of a field that every thing of a part has.
func (p *part) field() string {
	switch {
	case p.distance != "":
		return p.distance
	case p.class != "" && p.each == "detections": // detections may have an empty list of results
		return "bbox.center.position.x"
	}
	return p.point + "x"
}

func (r *reader) has(path string) bool {
	_, ok := r.numbers[path]
	return ok
}

// numberAt returns the value of a field, or NaN if it does not exist.
func (r *reader) numberAt(path string) float64 {
	if x, ok := r.numbers[path]; ok {
		return x
	}
	return math.NaN()
}

// add appends the thing that part p describes at path, if it is present.
func (r *reader) add(all []report, p *part, path string) ([]report, error) {
	if p.known != "" && r.numberAt(path+p.known) == 0 || p.mine != "" && r.numberAt(path+p.mine) != float64(r.number) {
		return all, nil
	}
	said := report{kind: p.kindOn(r.topic), heading: math.NaN(), confidence: math.NaN()}
	if p.class != "" {
		class, ok := r.numbers[path+p.class]
		d, known := p.classes[class]
		switch {
		case !ok, !known && r.topic.Kind == "", known && r.topic.Kind != "" && d.kind != r.topic.Kind:
			return all, nil
		case !known:
			d = detection{r.topic.Kind, strconv.FormatFloat(class, 'f', -1, 64)}
		}
		said.kind, said.id = d.kind, d.id
	}
	unit := p.unit
	if unit == 0 {
		unit = 1
	}
	if p.distance != "" {
		sin, cos := math.Sincos(r.numberAt(path + p.bearing))
		d := unit * r.numberAt(path+p.distance)
		said.pos = mgl64.Vec3{d * cos, d * sin, 0}
	} else {
		z, ok := r.numbers[path+p.point+"z"]
		if !ok {
			z = 0
		}
		said.pos = mgl64.Vec3{unit * r.numberAt(path+p.point+"x"), unit * r.numberAt(path+p.point+"y"), unit * z}
	}
	if p.score != "" {
		said.confidence = r.numberAt(path + p.score)
	}
	switch {
	case p.angle != "":
		said.heading = r.numberAt(path + p.angle)
	case p.turn != "":
		x, y, z, w := r.numberAt(path+p.turn+"x"), r.numberAt(path+p.turn+"y"), r.numberAt(path+p.turn+"z"),
			r.numberAt(path+p.turn+"w")
		said.heading = math.Atan2(2*(w*z+x*y), 1-2*(y*y+z*z))
	}
	var err error
	said.frame, err = r.frameOf(p, said.kind)
	return append(all, said), err
}

// opticalSuffix is the suffix of cameras' optical frames, as in profile standard.
const opticalSuffix = "_optical"

// frameOf returns the coordinate frame of a part's positions.
func (r *reader) frameOf(p *part, kind Kind) (coordinates, error) {
	id := p.frame
	if id == "" {
		id = strings.TrimPrefix(r.texts["header.frame_id"], "/")
		id = strings.TrimPrefix(id, r.robot+"/")
	}
	switch {
	case id == "" && kind == Self, id == "map", id == "world":
		return inMap, nil
	case id == "team":
		return inTeam, nil
	case kind == Self:
		return 0, fmt.Errorf("header.frame_id = %q: the robot's own pose must be in frame map",
			r.texts["header.frame_id"])
	case id == "", id == "base_link", id == "base_footprint":
		return inBase, nil
	case slices.Contains(r.sensors, strings.TrimSuffix(id, opticalSuffix)) && strings.HasSuffix(id, opticalSuffix):
		return inOptical, nil
	}
	return 0, fmt.Errorf("header.frame_id = %q: must be base_link, map or the camera's optical frame",
		r.texts["header.frame_id"])
}

// form maps the fields of a message type to reports.
type form struct {
	typ   string
	parts []part
}

// part maps one thing in a message, or a list of things. Paths are relative to an element of the part's list.
type part struct {
	kind     Kind // empty: the class of the thing determines the kind
	byName   bool // the topic's name or Topic.Kind may determine another kind
	each     string
	point    string // path of the parent of x, y and z
	bearing  string // path of a bearing, which together with distance replaces point
	distance string
	turn     string // path of the parent of a quaternion's x, y, z and w
	angle    string // instead of turn
	known    string // path of a field; if the field is 0, nothing is reported
	mine     string // path of a number; the part is ignored unless it is the robot's number
	score    string
	class    string                // the detected class, a key of classes
	classes  map[float64]detection // meaning of each class; things of other classes are ignored
	unit     float64               // m
	frame    string                // frame of positions; empty: the header's frame_id
}

// detection is the meaning of a detector's class.
type detection struct {
	kind Kind
	id   string
}

// centimetre is the unit of NuBot's messages.
const centimetre = 0.01

// forms lists the supported messages. The meaning of fields is taken from the sources of the packages that define them.
// The classes of vision_msgs are those of profile standard, parameter /omnipitch/detection_classes.
var forms = []form{
	{"geometry_msgs/PoseStamped", []part{{kind: Self, byName: true, point: "pose.position.",
		turn: "pose.orientation."}}},
	{"geometry_msgs/PoseWithCovarianceStamped", []part{{kind: Self, byName: true, point: "pose.pose.position.",
		turn: "pose.pose.orientation."}}},
	{"nav_msgs/Odometry", []part{{kind: Self, byName: true, point: "pose.pose.position.",
		turn: "pose.pose.orientation."}}},
	{"geometry_msgs/Pose2D", []part{{kind: Self, byName: true, point: "", angle: "theta"}}},
	{"geometry_msgs/PointStamped", []part{{kind: Ball, byName: true, point: "point."}}},
	{"geometry_msgs/PoseArray", []part{{kind: Obstacles, byName: true, each: "poses", point: "position.",
		turn: "orientation."}}},
	{"vision_msgs/Detection3DArray", []part{{
		each: "detections", point: "results[0].pose.pose.position.", score: "results[0].score", class: "results[0].id",
		classes: map[float64]detection{0: {Ball, ""}, 1: {Obstacles, ""}, 2: {Obstacles, ""}, 3: {Obstacles, "cyan"},
			4: {Obstacles, "magenta"}},
	}}},
	{"nubot_common/OminiVisionInfo", []part{
		{kind: Self, each: "robotinfo", mine: "AgentID", known: "isvalid", point: "pos.", angle: "heading.theta",
			unit: centimetre, frame: "team"},
		{kind: Ball, bearing: "ballinfo.real_pos.angle", distance: "ballinfo.real_pos.radius",
			known: "ballinfo.ballinfostate", unit: centimetre, frame: "base_link"},
		{kind: Obstacles, each: "obstacleinfo.polar_pos", bearing: "angle", distance: "radius", unit: centimetre,
			frame: "base_link"},
	}},
	{"nubot_common/FrontBallInfo", []part{{kind: Ball, bearing: "real_pos.angle", distance: "real_pos.radius",
		known: "pos_known", unit: centimetre, frame: "base_link"}}},
	{"nubot_common/BallInfo3d", []part{{kind: Ball, point: "pos.", known: "pos_known_2d", unit: centimetre,
		frame: "base_link"}}},
	{"humanoid_league_msgs/BallRelative", []part{{kind: Ball, point: "ball_relative.", score: "confidence"}}},
	{"humanoid_league_msgs/ObstaclesRelative", []part{{
		kind: Obstacles, each: "obstacles", point: "position.", score: "confidence", class: "color",
		classes: map[float64]detection{0: {Obstacles, ""}, 1: {Obstacles, ""}, 2: {Obstacles, "magenta"},
			3: {Obstacles, "cyan"}, 4: {Obstacles, ""}, 5: {Obstacles, ""}},
	}}},
}

// kindsOf lists the kinds that messages of the form report on a topic.
func (f *form) kindsOf(t *Topic) (all []Kind) {
	has := map[Kind]bool{}
	for i := range f.parts {
		p := &f.parts[i]
		if p.kind != "" {
			has[p.kindOn(t)] = true
		}
		for _, d := range p.classes {
			has[d.kind] = true
		}
	}
	for _, k := range Kinds {
		if has[k] && (t.Kind == "" || t.Kind == k) {
			all = append(all, k)
		}
	}
	return all
}

// kindOn returns the kind that a part without classes reports on a topic.
func (p *part) kindOn(t *Topic) Kind {
	if !p.byName {
		return p.kind
	}
	if t.Kind != "" {
		return t.Kind
	}
	last := strings.ToLower(t.Name[strings.LastIndexByte(t.Name, '/')+1:])
	switch {
	case strings.Contains(last, "ball"):
		return Ball
	case strings.Contains(last, "obstacle"), strings.Contains(last, "robots"), strings.Contains(last, "opponent"):
		return Obstacles
	}
	return p.kind
}

// single reports whether messages of the form describe one thing each, so that no message means that nothing was found.
func (f *form) single() bool {
	for i := range f.parts {
		if p := &f.parts[i]; p.each != "" || p.known != "" {
			return false
		}
	}
	return true
}

package assess

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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

// read returns a message's reports and its stamp in seconds; stamped is false without a header.
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
		if p.kind != "" && r.topic.Kind != "" && p.reports(r.topic) != r.topic.Kind {
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

// field returns a field that every thing of a part has.
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

// add adds the thing of a part at a path, if it is present.
func (r *reader) add(all []report, p *part, at string) ([]report, error) {
	if p.known != "" && r.numberAt(at+p.known) == 0 || p.mine != "" && r.numberAt(at+p.mine) != float64(r.number) {
		return all, nil
	}
	said := report{kind: p.reports(r.topic), heading: math.NaN(), confidence: math.NaN()}
	if p.class != "" {
		class, ok := r.numbers[at+p.class]
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
		sin, cos := math.Sincos(r.numberAt(at + p.bearing))
		d := unit * r.numberAt(at+p.distance)
		said.pos = mgl64.Vec3{d * cos, d * sin, 0}
	} else {
		z, ok := r.numbers[at+p.point+"z"]
		if !ok {
			z = 0
		}
		said.pos = mgl64.Vec3{unit * r.numberAt(at+p.point+"x"), unit * r.numberAt(at+p.point+"y"), unit * z}
	}
	if p.score != "" {
		said.confidence = r.numberAt(at + p.score)
	}
	switch {
	case p.angle != "":
		said.heading = r.numberAt(at + p.angle)
	case p.turn != "":
		x, y, z, w := r.numberAt(at+p.turn+"x"), r.numberAt(at+p.turn+"y"), r.numberAt(at+p.turn+"z"),
			r.numberAt(at+p.turn+"w")
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

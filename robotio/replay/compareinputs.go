package replay

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// inputs finds the first external input that differs between the runs.
func (x *comparison) inputs() {
	a, b := x.a, x.b
	for i := range max(len(a.inputs), len(b.inputs)) {
		if i == len(a.inputs) || i == len(b.inputs) {
			x.lack(i)
			return
		}
		p, q := &a.inputs[i], &b.inputs[i]
		if p.at != q.at || p.Step != q.Step || p.Moment != q.Moment {
			x.lack(i)
			return
		}
		if what, was, is := differing(&p.Input, &q.Input); was != is {
			x.differ("input", a.placeOf(p), what, was, is)
			return
		}
	}
}

// lack records that only one run has the input with index i at its moment. The other run has no more inputs, or its
// next input comes later.
func (x *comparison) lack(i int) {
	texts := [2]string{nothing, nothing}
	var first *Place
	for k, r := range []*Recording{x.a, x.b} {
		if i == len(r.inputs) {
			continue
		}
		in := &r.inputs[i]
		at := r.placeOf(in)
		what, text := describe(&in.Input)
		if text = what + ": " + text; first == nil || at.before(first) {
			first, texts = at, [2]string{nothing, nothing}
			texts[k] = text
		} else if !first.before(at) { // the inputs come at different moments of the same step
			texts[k] = text
		}
	}
	x.differ("input", first, "", texts[0], texts[1])
}

// placeOf returns the place of the step that takes an input.
func (r *Recording) placeOf(in *numbered) *Place {
	p := Place{Step: in.Step, Time: in.at}
	for e := range r.Episodes {
		if r.Episodes[e].Began+time.Duration(in.Step)*r.World.Time.Step == in.at {
			p.Episode = e
		}
	}
	return &p
}

// differing returns the name of the first field in which two inputs of the same moment differ, and the field's values
// in a and in b. If no field differs, both values are the same.
func differing(a, b *omnipitch.Input) (what, was, is string) {
	if a.Command == nil || b.Command == nil || a.Command.Robot != b.Command.Robot {
		p, s := describe(a)
		q, t := describe(b)
		if p != q {
			return "", p + ": " + s, q + ": " + t
		}
		return p, s, t
	}
	if a.Command.Command == b.Command.Command {
		return "", "", ""
	}
	for i, f := range fields(a) {
		if other := fields(b)[i].value; f.value != other {
			return "command of " + a.Command.Robot + ": " + f.name, f.value, other
		}
	}
	return "", "", ""
}

// describe returns the kind of an input and a text with its content.
func describe(in *omnipitch.Input) (what, content string) {
	switch {
	case in.Command != nil:
		var set []string
		for _, f := range fields(in) {
			if f.value != "0" && f.value != "false" {
				set = append(set, f.name+" "+f.value)
			}
		}
		if set == nil {
			set = []string{"stand still"}
		}
		return "command of " + in.Command.Robot, strings.Join(set, ", ")
	case in.Action != nil:
		name, data, err := action.Marshal(in.Action)
		if err != nil {
			data = []byte(err.Error())
		}
		return name, string(data)
	case in.World != nil:
		return "the world restarts", worldText(in.World)
	}
	if in.Radio != nil {
		return strings.TrimSpace("radio of " + in.Radio.Robot + " " + in.Radio.Topic),
			strconv.QuoteToASCII(string(in.Radio.Data))
	}
	return "message on " + in.Message.Topic, fmt.Sprintf("%+v", in.Message.Message)
}

// worldText returns a text that identifies a world by its name and seed.
func worldText(w *worlds.World) string { return fmt.Sprintf("%s with seed %d", w.Name, w.Seed) }

// field is a field of omnipitch_msgs/Command, as text.
type field struct{ name, value string }

func fields(in *omnipitch.Input) (all []field) {
	var m msg.Command
	recorder.EncodeCommand(in, 0, &m)
	for i, v := 0, reflect.ValueOf(m); i < v.NumField(); i++ {
		switch name := v.Type().Field(i).Name; name {
		case "Number", "Step", "Moment", "Robot":
		default:
			all = append(all, field{strings.ToLower(name), fmt.Sprint(v.Field(i))})
		}
	}
	return all
}

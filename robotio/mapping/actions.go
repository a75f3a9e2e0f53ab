package mapping

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Actions are what messages of one definition cause.
type Actions struct {
	picker *Picker
	fields []string // of the message, by slot
	list   []commanded
}

// commanded is one verb, and where its arguments come from.
type commanded struct {
	verb verb
	args []source
}

// source is a constant, or a field of the message.
type source struct {
	constant argument
	slot     int // of the field, or −1
	scale    float64
	text     bool
	is       map[string]argument // what its values mean; nil: themselves
	other    *argument           // what others mean; nil: an error
}

// newActions compiles the do of a subscription or a service; path is its own, for errors.
func newActions(def *msg.Definition, do map[string]any, who string, u units, path string) (*Actions, error) {
	o := &Actions{}
	var fields []string
	var errs []error
	fail := func(path, key string, value any, format string, args ...any) {
		errs = append(errs, &schema.Violation{Path: path, Key: key, Value: value, Rule: fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(do)) {
		v, ok := verbs[name]
		args, table := do[name].(map[string]any)
		switch {
		case !ok || v.who != who:
			fail(path, name, nil, "is nothing that a %s can do; there are %s", who, strings.Join(verbsOf(who), ", "))
			continue
		case !table:
			fail(path, name, nil, "must be a table of arguments")
			continue
		}
		d := commanded{verb: v, args: make([]source, len(v.parameters))}
		for i := range d.args {
			d.args[i].slot = -1
		}
		for _, key := range slices.Sorted(maps.Keys(args)) {
			i := slices.IndexFunc(v.parameters, func(p parameter) bool { return p.name == key })
			if i < 0 {
				fail(path+"."+name, key, nil, "%s takes no such argument; it takes %s", name, parametersOf(v))
				continue
			}
			p := v.parameters[i]
			s, field, err := newSource(args[key], p, u.scale(p.dim))
			if err != nil {
				fail(path+"."+name, key, nil, "%v", err)
				continue
			}
			if field != "" {
				s.slot = len(fields)
				fields = append(fields, field)
			}
			d.args[i] = s
		}
		o.list = append(o.list, d)
	}
	o.fields = fields
	var err error
	if o.picker, err = NewPicker(def, fields); err != nil {
		fail(path, "", nil, "%v", err)
	}
	return o, errors.Join(errs...)
}

func verbsOf(who string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(verbs)) {
		if verbs[name].who == who {
			names = append(names, name)
		}
	}
	return names
}

func parametersOf(v verb) string {
	var names []string
	for _, p := range v.parameters {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// newSource compiles one argument: a number that stays, the name of a field, or { field = …, is = { value = meaning, … }, else = … } or
// { text = … }.
func newSource(v any, p parameter, scale float64) (s source, field string, err error) {
	s = source{slot: -1, scale: scale, text: p.text}
	switch v := v.(type) {
	case string:
		return s, v, nil
	case map[string]any:
		if text, ok := v["text"].(string); ok && p.text && len(v) == 1 {
			s.constant = argument{given: true, text: text}
			return s, "", nil
		}
		return newChoice(s, v, p)
	}
	if s.constant, err = s.meaning(v); err != nil {
		return s, "", err
	}
	return s, "", nil
}

func newChoice(s source, v map[string]any, p parameter) (source, string, error) {
	field, _ := v["field"].(string)
	is, ok := v["is"].(map[string]any)
	if field == "" || !ok {
		return s, "", fmt.Errorf("must be a field, a number, or { field = \"…\", is = { value = meaning, … }, else = meaning }")
	}
	s.is = map[string]argument{}
	for value, means := range is {
		m, err := s.meaning(means)
		if err != nil {
			return s, "", err
		}
		s.is[value] = m
	}
	if other, ok := v["else"]; ok {
		m, err := s.meaning(other)
		if err != nil {
			return s, "", err
		}
		s.other = &m
	}
	return s, field, nil
}

// meaning is a constant of the profile as an argument, in SI.
func (s *source) meaning(v any) (argument, error) {
	a := argument{given: true}
	text, isText := v.(string)
	switch x := v.(type) {
	case int64:
		a.number = float64(x) / s.scale
	case float64:
		a.number = x / s.scale
	case bool:
		if x {
			a.number = 1
		}
	}
	a.text = text
	if isText != s.text {
		return a, fmt.Errorf("%v: must be a %s", v, map[bool]string{true: "text", false: "number"}[s.text])
	}
	return a, nil
}

// value is the argument in a message.
func (s *source) value(values []Value) (argument, error) {
	if s.slot < 0 {
		return s.constant, nil
	}
	v := values[s.slot]
	if s.is == nil {
		return argument{given: true, number: v.Number / s.scale, text: v.Text}, nil
	}
	key := v.Text
	if key == "" {
		key = strconv.FormatFloat(v.Number, 'g', -1, 64)
	}
	if a, ok := s.is[key]; ok {
		return a, nil
	}
	if s.other != nil {
		return *s.other, nil
	}
	return argument{}, fmt.Errorf("%s: must be one of %s", key, strings.Join(slices.Sorted(maps.Keys(s.is)), ", "))
}

// Do carries out what a message says. Changes of the robot's command are returned as one, which is nil if there are none.
func (o *Actions) Do(c *Context, message []byte) (change func(*physics.Command), err error) {
	values, err := o.picker.Pick(message, nil)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
			return nil, fmt.Errorf("%s = %v: must be finite", o.fields[i], v.Number)
		}
	}
	var wanted physics.Command
	var changes []func(*physics.Command)
	for i := range o.list {
		d := &o.list[i]
		args := make([]argument, len(d.args))
		for k := range d.args {
			if args[k], err = d.args[k].value(values); err != nil {
				return nil, fmt.Errorf("%s: %w", d.verb.parameters[k].name, err)
			}
		}
		if d.verb.act != nil {
			if err := d.verb.act(c, args); err != nil {
				return nil, err
			}
			continue
		}
		step, err := d.verb.change(&wanted, args)
		if err != nil {
			return nil, fmt.Errorf("robot %s: %w", c.Robot.Name, err)
		}
		if step {
			changes = append(changes, func(c *physics.Command) { _, _ = d.verb.change(c, args) }) // has just gone well
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	return func(c *physics.Command) {
		for _, change := range changes {
			change(c)
		}
	}, nil
}

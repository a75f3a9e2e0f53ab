package mapping

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Actions are what messages of one definition cause. Which actions there are, and what they take, is package
// worlds/action's: a profile names an action by its key, and its fields by their keys without the unit.
type Actions struct {
	picker  *Picker
	fields  []string // of the message, by slot
	list    []mappedAction
	accepts []accepted
}

// mappedAction is one action, and where its fields come from.
type mappedAction struct {
	actionType
	robot, sensor *parameter // filled by the actor; nil: not
	arguments     []argument
}

// argument is a field of an action that a profile fills.
type argument struct {
	parameter
	source
}

// do is what a subscribe or a service does, and with what it is compiled.
type do struct {
	def     *msg.Definition
	actions map[string]any
	accepts map[string][]string
	actor   string // the robot, the world, or a kind of camera
	units   units
	names   map[string]string // of things of the world
	path    string            // for errors
}

// newActions compiles what a subscribe or a service does.
func newActions(d do) (*Actions, error) {
	def, actor, path := d.def, d.actor, d.path
	if actor != fromRobot && actor != fromWorld {
		actor = "camera"
	}
	a := &Actions{}
	var errs []error
	fail := func(path, key string, format string, args ...any) {
		errs = append(errs, &schema.Violation{Path: path, Key: key, Rule: fmt.Sprintf(format, args...)})
	}
	var places []*schema.Violation // of the fields
	for _, name := range slices.Sorted(maps.Keys(d.actions)) {
		t, known := findAction(name)
		m := mappedAction{actionType: t}
		if !known || !m.fill(actor) {
			fail(path, name, "is nothing that a %s can do; there are %s", actor, strings.Join(actionsOf(actor), ", "))
			continue
		}
		args, ok := d.actions[name].(map[string]any)
		if !ok {
			fail(path, name, "must be a table of arguments")
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(args)) {
			i := slices.IndexFunc(m.parameters, func(p parameter) bool { return p.name == key })
			if i < 0 {
				fail(path+"."+name, key, "%s takes no such argument; it takes %s", name, strings.Join(m.names(), ", "))
				continue
			}
			arg := argument{parameter: m.parameters[i]}
			field, err := arg.compile(args[key], arg.text(), d.units, arg.dim)
			if err != nil {
				fail(path+"."+name, key, "%v", err)
				continue
			}
			errs = append(errs, arg.wrongTexts(path+"."+name, key, d.names, field != "")...)
			if field != "" {
				arg.slot = len(a.fields)
				a.fields = append(a.fields, field)
				places = append(places, &schema.Violation{Path: path + "." + name, Key: key, Value: field})
			}
			m.arguments = append(m.arguments, arg)
		}
		for _, p := range m.parameters {
			if _, given := args[p.name]; p.rules.Required && !given {
				fail(path+"."+name, p.name, "must be given: a field, or what it always is")
			}
		}
		a.list = append(a.list, m)
	}
	if err := a.accept(def, d.accepts); err != nil {
		fail(path, "", "%v", err)
	}
	var missing []int
	var err error
	if a.picker, missing, err = MatchPicker(def, a.fields); err != nil {
		fail(path, "", "%v", err)
	}
	for _, slot := range missing {
		places[slot].Rule = noSuchField(def, a.fields[slot])
		errs = append(errs, places[slot])
	}
	return a, errors.Join(errs...)
}

// fill takes what the actor itself fills out of the parameters: a robot fills robot, a camera robot and sensor. It
// fails for an action that does not have them.
func (m *mappedAction) fill(actor string) bool {
	take := func(name string) *parameter {
		i := slices.IndexFunc(m.parameters, func(p parameter) bool { return p.name == name })
		if i < 0 {
			return nil
		}
		p := m.parameters[i]
		m.parameters = slices.Delete(slices.Clone(m.parameters), i, i+1)
		return &p
	}
	switch actor {
	case fromWorld:
		return true
	case fromRobot:
		m.robot = take("robot")
		return m.robot != nil
	}
	m.robot, m.sensor = take("robot"), take("sensor")
	return m.robot != nil && m.sensor != nil
}

// actionsOf are the names of an actor's actions.
func actionsOf(actor string) (names []string) {
	for _, t := range actionTypes() {
		if m := (mappedAction{actionType: t}); m.fill(actor) {
			names = append(names, t.name)
		}
	}
	slices.Sort(names)
	return names
}

// Read returns the actions that a message causes, unchecked.
func (a *Actions) Read(c *Context, message []byte) ([]action.Action, error) {
	values, err := a.picker.Pick(message)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
			return nil, fmt.Errorf("%s = %v: must be finite", a.fields[i], v.Number)
		}
	}
	for i := range a.accepts {
		if err := a.accepts[i].check(a.fields, values); err != nil {
			return nil, err
		}
	}
	actions := make([]action.Action, len(a.list))
	for i := range a.list {
		if actions[i], err = a.list[i].read(c, values); err != nil {
			return nil, err
		}
	}
	return actions, nil
}

func (m *mappedAction) read(c *Context, values []Value) (action.Action, error) {
	made := m.make()
	if m.robot != nil {
		m.robot.set(made, Value{Text: c.Robot.Name})
	}
	if m.sensor != nil {
		m.sensor.set(made, Value{Text: c.Sensor.Name})
	}
	for i := range m.arguments {
		arg := &m.arguments[i]
		v, err := arg.value(values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg.name, err)
		}
		v.Text = thing(c.names, v.Text)
		if arg.rules.OneOf != nil {
			if rule := arg.rules.Text(v.Text); rule != "" {
				return nil, fmt.Errorf("%s: %s = %.80q: %s", m.actionType.name, arg.name, v.Text, rule)
			}
		}
		arg.set(made, v)
	}
	c.apply(made)
	return made, nil
}

// Check reports what an action asks for that no action may, or that the world does not have, in the profile's names.
func (c *Context) Check(a action.Action) error {
	if err := action.Check(a); err != nil {
		return err
	}
	if a, ok := a.(*action.Place); ok && a.Validate(c.World) != nil {
		return fmt.Errorf("%.80q is neither a robot nor an obstacle, nor is it %q: nothing is moved%s", a.Name,
			c.name("ball"), rules.DidYouMean(a.Name, c.movables()))
	}
	if a.Anytime() {
		return nil // what it finds itself is told at once
	}
	return a.Validate(c.World)
}

// movables are what can be placed, by the profile's names.
func (c *Context) movables() []string {
	names := []string{c.name("ball")}
	for i := range c.World.Robots {
		names = append(names, c.name(c.World.Robots[i].Name))
	}
	for i := range c.World.Obstacles {
		names = append(names, c.name(c.World.Obstacles[i].Name))
	}
	return names
}

// apply gives an action what the profile says of all of them: its reach, and which bodies are turned.
func (c *Context) apply(made action.Action) {
	switch a := made.(type) {
	case *action.Place:
		if c.turns(a.Name) {
			a.TurnRound()
		}
	case *action.Dribble:
		if a.Reach == 0 {
			a.Reach, a.ReachAngle = c.reach.Distance, c.reach.Angle
		}
	case *action.Kick:
		if a.Reach == 0 {
			a.Reach, a.ReachAngle = c.reach.Distance, c.reach.Angle
		}
	}
}

// actionType is an action that profiles may name.
type actionType struct {
	name, was, doc string
	typ            reflect.Type
	parameters     []parameter
}

// parameter is a field of an action.
type parameter struct {
	name  string // its key without the unit
	dim   dimension
	kind  reflect.Kind
	index []int // of the Go field
	rules rules.Rules
}

// actionTypes are all that there are.
var actionTypes = sync.OnceValue(func() (all []actionType) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[action.Choice]()) {
		t := actionType{name: f.Tag.Get("toml"), was: f.Tag.Get("was"), doc: f.Tag.Get("doc"), typ: f.Type.Elem()}
		judged := map[string]rules.Rules{}
		fields, _ := rules.Fields(reflect.New(t.typ).Elem())
		for i := range fields {
			judged[fields[i].Key] = fields[i].Rules
		}
		tables := false
		for _, f := range reflect.VisibleFields(t.typ) {
			if key := f.Tag.Get("toml"); key != "" {
				name, unit := rules.SplitUnit(key)
				tables = tables || holdsTable(f.Type)
				// a key that may be left out; a field of a message is always there
				if f.Type.Kind() != reflect.Pointer {
					t.parameters = append(t.parameters, parameter{name, dimensionOf(unit), f.Type.Kind(), f.Index,
						judged[key]})
				}
			}
		}
		if !tables { // which no field of a message fills
			all = append(all, t)
		}
	}
	return all
})

// holdsTable tells whether a key has a table, or an array of tables.
func holdsTable(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// findAction returns an action by its name, or by one that it had.
func findAction(name string) (t actionType, ok bool) {
	all := actionTypes()
	i := slices.IndexFunc(all, func(t actionType) bool {
		return t.name == name ||
			slices.Contains(strings.Split(t.was, "|"), name)
	})
	if i < 0 {
		return t, false
	}
	return all[i], true
}

// make returns an action with its defaults.
func (t *actionType) make() action.Action {
	made := reflect.New(t.typ).Interface().(action.Action)
	if d, ok := made.(schema.Defaulter); ok {
		d.SetDefaults()
	}
	return made
}

func (t *actionType) names() (names []string) {
	for _, p := range t.parameters {
		names = append(names, p.name)
	}
	return names
}

func (p *parameter) text() bool { return p.kind == reflect.String }

// set sets the field of an action, which holds SI.
func (p *parameter) set(a action.Action, v Value) {
	switch field := reflect.ValueOf(a).Elem().FieldByIndex(p.index); p.kind {
	case reflect.String:
		field.SetString(v.Text)
	case reflect.Bool:
		field.SetBool(v.Number != 0)
	case reflect.Int64: // a duration
		field.SetInt(int64(v.Number * float64(time.Second)))
	case reflect.Int:
		field.SetInt(int64(v.Number))
	default:
		field.SetFloat(v.Number)
	}
}

// source is where an argument of an action comes from: a constant, or a field of the message.
type source struct {
	slot  int // of the field, or −1
	scale float64
	fixed Value            // the constant
	is    map[string]Value // what values of the field mean; nil: themselves
	other *Value           // what its other values mean; nil: an error
}

// compile takes what a profile says: a number that stays, the name of a field, { field = …, length = …, times = … } for
// one in a unit of its own or scaled, { text = … }, or { field = …, is = { value = meaning, … }, else = … }. It returns
// the field. The argument has a dimension, or is text.
func (s *source) compile(v any, text bool, u units, d dimension) (field string, err error) {
	*s = source{slot: -1, scale: u.scale(d)}
	switch v := v.(type) {
	case string:
		return v, nil
	case map[string]any:
		if fixed, ok := v["text"].(string); ok && text && len(v) == 1 {
			s.fixed.Text = fixed
			return "", nil
		}
		if field, ok := v["field"].(string); ok && field != "" && !text && v["is"] == nil {
			return field, s.scaled(v, d)
		}
		return s.choice(v, text)
	}
	s.fixed, err = s.meaning(v, text)
	return "", err
}

// scaled takes a field in a unit of its own, or times a factor.
func (s *source) scaled(v map[string]any, d dimension) error {
	for key, value := range v {
		switch unit, _ := value.(string); key {
		case "field":
		case "length":
			perMetre, known := lengthUnits[unit]
			if !known || d != length {
				return fmt.Errorf("length = %v: must be m, cm or mm, of a length or a speed", value)
			}
			s.scale = perMetre
		case "times":
			if x, ok := asNumber(value); !ok || !(x != 0 && math.Abs(x) <= maxTimes) {
				return fmt.Errorf("times = %v: must be a number other than 0, at most %g", value, maxTimes)
			}
		default:
			return fmt.Errorf(`%s: is no part of { field = "…", length = "m", times = 2 }`, key)
		}
	}
	if times, ok := asNumber(v["times"]); ok {
		s.scale /= times
	}
	return nil
}

// maxTimes bounds factors. A guess.
const maxTimes = 1e6

func (s *source) choice(v map[string]any, text bool) (field string, err error) {
	field, _ = v["field"].(string)
	is, ok := v["is"].(map[string]any)
	if field == "" || !ok {
		return "", errors.New(`must be a field, a number, or { field = "…", is = { value = meaning, … }, else = meaning }`)
	}
	s.is = map[string]Value{}
	for value, means := range is {
		if s.is[value], err = s.meaning(means, text); err != nil {
			return "", err
		}
	}
	if other, ok := v["else"]; ok {
		means, err := s.meaning(other, text)
		if err != nil {
			return "", err
		}
		s.other = &means
	}
	return field, nil
}

// wrongTexts judges the texts that the profile says for an argument by its rules; path and key are the argument's.
func (a *argument) wrongTexts(path, key string, names map[string]string, fromField bool) (errs []error) {
	if !a.text() {
		return nil
	}
	judge := func(path, key, text string) {
		if rule := a.rules.Text(thing(names, text)); rule != "" {
			errs = append(errs, &schema.Violation{Path: path, Key: key, Value: text, Rule: rule})
		}
	}
	if !fromField {
		judge(path, key, a.fixed.Text)
	}
	for _, value := range slices.Sorted(maps.Keys(a.is)) {
		judge(path+"."+key+".is", schema.KeyText(value), a.is[value].Text)
	}
	if a.other != nil {
		judge(path+"."+key, "else", a.other.Text)
	}
	return errs
}

// meaning is a constant of the profile in SI.
func (s *source) meaning(v any, text bool) (Value, error) {
	if fixed, ok := v.(string); ok && text {
		return Value{Text: fixed}, nil
	}
	if x, ok := asNumber(v); ok && !text {
		if _, truth := v.(bool); !truth {
			x /= s.scale
		}
		return Value{Number: x}, nil
	}
	return Value{}, fmt.Errorf("%v: must be a %s", v, map[bool]string{true: "text", false: "number"}[text])
}

// value is the argument that a message gives, in SI.
func (s *source) value(values []Value) (Value, error) {
	if s.slot < 0 {
		return s.fixed, nil
	}
	v := values[s.slot]
	if s.is == nil {
		return Value{Number: v.Number / s.scale, Text: v.Text}, nil
	}
	key := v.Text
	if key == "" {
		key = strconv.FormatFloat(v.Number, 'g', -1, 64)
	}
	if means, ok := s.is[key]; ok {
		return means, nil
	}
	if s.other != nil {
		return *s.other, nil
	}
	return Value{}, fmt.Errorf("%s: must be one of %s", key, strings.Join(slices.Sorted(maps.Keys(s.is)), ", "))
}

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

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Actions holds the actions that messages of one definition cause. Package worlds/action defines the actions and their
// fields. A profile names an action by its key, and a field of an action by its key without the unit.
type Actions struct {
	picker  *dynamic.Picker
	fields  []string // paths of fields in the message, by slot
	list    []mappedAction
	accepts []accepted
	only    *source // messages for which it is 0 cause nothing; nil if every message causes actions
}

// mappedAction is one action, with the source of the value of each of its fields.
type mappedAction struct {
	actionType
	robot, sensor *parameter // the fields of the action that name the actor; nil if the action has no such field
	arguments     []argument
}

// argument is a field of an action, with the source of its value. The field may be an array of tables: then each has
// the sources of the fields of a table, and list is the index of the message's array in the lists of Actions.picker. Or
// it may be an array whose elements are a field of each of the messages of an array: then column is true. Or it may be
// an array whose elements have sources of their own: parts.
type argument struct {
	parameter
	source
	each   []argument
	list   int
	column bool
	parts  []source
}

// actionConfig holds the arguments of newActions.
type actionConfig struct {
	def     *msg.Definition
	actions map[string]any
	accepts map[string][]string
	only    map[string]any
	actor   quantity.Source // the actor that does the actions: the robot, the world, or a kind of camera
	units   units
	names   map[string]string // names that the profile gives to things of the world, by their name in the world
	path    string            // for error messages
}

// newActions compiles the actions of a subscribe or service entry. The returned error joins all errors in the entry.
func newActions(d actionConfig) (*Actions, error) {
	def, actor, path := d.def, d.actor, d.path
	if actor != quantity.Robot && actor != quantity.World {
		actor = "camera"
	}
	a := &Actions{}
	var errs []error
	var lists []dynamic.List
	fail := func(path, key string, format string, args ...any) {
		errs = append(errs, &schema.Violation{Path: path, Key: key, Rule: fmt.Sprintf(format, args...)})
	}
	var places []*schema.Violation // places of the fields
	for _, name := range slices.Sorted(maps.Keys(d.actions)) {
		t, known := findAction(name)
		m := mappedAction{actionType: t}
		if !known || !m.bindActor(actor) {
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
			if arg.table != nil {
				l, err := arg.compileEach(args[key], d.units)
				if err != nil {
					fail(path+"."+name, key, "%v", err)
					continue
				}
				arg.list, lists = len(lists), append(lists, l)
				m.arguments = append(m.arguments, arg)
				continue
			}
			if l, column := arg.columnOf(args[key]); column {
				arg.list, lists = len(lists), append(lists, l)
				m.arguments = append(m.arguments, arg)
				continue
			}
			use := func(s *source, field string) {
				if field != "" {
					s.slot = len(a.fields)
					a.fields = append(a.fields, field)
					places = append(places, &schema.Violation{Path: path + "." + name, Key: key, Value: field})
				}
			}
			if list, ok := args[key].([]any); ok && arg.kind == reflect.Slice {
				if err := arg.compileParts(list, def, d.units, use); err != nil {
					fail(path+"."+name, key, "%v", err)
				}
				m.arguments = append(m.arguments, arg)
				continue
			}
			field, err := arg.compileField(args[key], d.units)
			if err == nil {
				err = arg.checkJSON(def, field)
			}
			if err != nil {
				fail(path+"."+name, key, "%v", err)
				continue
			}
			errs = append(errs, arg.wrongTexts(path+"."+name, key, d.names, field != "")...)
			use(&arg.source, field)
			m.arguments = append(m.arguments, arg)
		}
		for _, p := range m.parameters {
			if _, given := args[p.name]; p.rules.Required && !given {
				fail(path+"."+name, p.name, "must be given: a field, or what it always is")
			}
		}
		a.list = append(a.list, m)
	}
	if d.only != nil {
		entry := strings.TrimSuffix(path, ".do")
		if err := a.addOnly(def, d.only); err != nil {
			fail(entry, "only", "%v", err)
		} else {
			places = append(places, &schema.Violation{Path: entry, Key: "only", Value: a.fields[a.only.slot]})
		}
	}
	if err := a.addAccepted(def, d.accepts); err != nil {
		fail(path, "", "%v", err)
	}
	err := fits(def)
	if err == nil {
		a.picker, err = dynamic.NewPicker(def, a.fields, lists...)
	}
	missing, lacks := errors.AsType[dynamic.MissingError](err)
	for _, m := range missing {
		if m.Index < 0 {
			fail(path, "", "%v", missingText(def, m))
			continue
		}
		places[m.Index].Rule = noSuchField(def, m.Path)
		errs = append(errs, places[m.Index])
	}
	if err != nil && !lacks {
		fail(path, "", "%v", err)
	}
	return a, errors.Join(errs...)
}

// bindActor reserves the fields of the action that name the actor, so that the profile cannot fill them. These are the
// field robot if the actor is a robot, and the fields robot and sensor if the actor is a camera. bindActor returns
// false if the action lacks such a field.
func (m *mappedAction) bindActor(actor quantity.Source) bool {
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
	case quantity.World:
		return true
	case quantity.Robot:
		m.robot = take("robot")
		return m.robot != nil
	}
	m.robot, m.sensor = take("robot"), take("sensor")
	return m.robot != nil && m.sensor != nil
}

// actionsOf returns the names of the actions that an actor can do, sorted.
func actionsOf(actor quantity.Source) (names []string) {
	for _, t := range actionTypes() {
		if m := (mappedAction{actionType: t}); m.bindActor(actor) {
			names = append(names, t.name)
		}
	}
	slices.Sort(names)
	return names
}

// Read returns the actions that a message causes. It fails for an action that places something that the world does not
// have, or that is absent in c.Truth. Sim.Post does all other checks.
func (a *Actions) Read(c *quantity.Context, message []byte) ([]action.Action, error) {
	values, lists, err := a.picker.PickLists(message, false)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if x, ok := v.Infinite(); ok {
			return nil, fmt.Errorf("%s = %v: must be finite", a.fields[i], x)
		}
	}
	for i := range a.accepts {
		if err := a.accepts[i].check(a.fields, values); err != nil {
			return nil, err
		}
	}
	if a.only != nil {
		if v, err := a.only.value(values); err != nil || v.Number == 0 {
			return nil, err
		}
	}
	actions := make([]action.Action, len(a.list))
	for i := range a.list {
		if actions[i], err = a.list[i].read(c, values, lists); err != nil {
			return nil, err
		}
	}
	return actions, nil
}

func (m *mappedAction) read(c *quantity.Context, values []dynamic.Scalar,
	lists []dynamic.Elements) (action.Action, error) {
	made := m.make()
	fields := reflect.ValueOf(made).Elem()
	if m.robot != nil {
		m.robot.set(fields, dynamic.Scalar{Text: c.Robot.Name})
	}
	if m.sensor != nil {
		m.sensor.set(fields, dynamic.Scalar{Text: c.Sensor.Name})
	}
	for i := range m.arguments {
		arg := &m.arguments[i]
		if arg.table != nil {
			if err := arg.setEach(fields, &lists[arg.list]); err != nil {
				return nil, fmt.Errorf("%s: %s%w", m.actionType.name, arg.name, err)
			}
			continue
		}
		if arg.column {
			if err := arg.setColumn(fields, &lists[arg.list]); err != nil {
				return nil, fmt.Errorf("%s: %s%w", m.actionType.name, arg.name, err)
			}
			continue
		}
		v, err := arg.value(values)
		if arg.parts != nil {
			v, err = arg.assemble(values)
		}
		if err == nil {
			err = arg.checkArray(v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg.name, err)
		}
		v.Text = c.Thing(v.Text)
		if arg.rules.OneOf != nil {
			if rule := arg.rules.Text(v.Text); rule != "" {
				return nil, fmt.Errorf("%s: %s = %.80q: %s", m.actionType.name, arg.name, v.Text, rule)
			}
		}
		arg.set(fields, v)
	}
	applyProfile(c, made)
	return made, checkPlace(c, made)
}

// checkPlace returns an error if the action places, brings or removes something that the world does not have. In the
// text of the error, things have the names of the profile.
func checkPlace(c *quantity.Context, a action.Action) error {
	var names, present []string
	switch a := a.(type) {
	case *action.Place:
		names = []string{a.Name, a.RelativeTo}
		present = names
	case *action.Push:
		present = []string{a.Name}
	case *action.Spawn:
		present = []string{a.RelativeTo}
		names = []string{a.Name, a.RelativeTo}
	case *action.Delete:
		names = []string{a.Name}
	}
	for _, name := range names {
		if name != "" && c.World.FindBody(name) != nil {
			return fmt.Errorf("%.80q is neither a robot nor an obstacle, nor is it %q: nothing is moved%s", name,
				c.Name("ball"), rules.DidYouMean(name, movables(c)))
		}
	}
	for _, name := range present {
		if c.Absent(name) {
			return fmt.Errorf("%.80q is absent: action spawn brings it", c.Name(name))
		}
	}
	return nil
}

// movables returns the profile's names of all things that an action can place.
func movables(c *quantity.Context) []string {
	names := []string{c.Name("ball")}
	for i := range c.World.Robots {
		names = append(names, c.Name(c.World.Robots[i].Name))
	}
	for _, o := range c.World.AllObstacles() {
		names = append(names, c.Name(o.Name))
	}
	return names
}

// turnPlace turns a place from the frames of the profile to those of the world.
func turnPlace(c *quantity.Context, a *action.Place) {
	if slices.Contains(quantity.WorldFrames, a.RelativeTo) {
		a.RelativeTo = ""
	}
	if c.Turns(a.Name) {
		a.TurnRound()
	}
	if c.Turns(a.RelativeTo) {
		a.TurnFrame()
	}
}

// applyProfile applies the keys reach and turned of the profile to an action.
func applyProfile(c *quantity.Context, made action.Action) {
	switch a := made.(type) {
	case *action.Place:
		turnPlace(c, a)
	case *action.Spawn:
		turnPlace(c, &a.Place)
	case *action.Dribble:
		if a.Reach == 0 {
			a.Reach, a.ReachAngle = c.Reach.Distance, c.Reach.Angle
		}
	case *action.Kick:
		if a.Reach == 0 {
			a.Reach, a.ReachAngle = c.Reach.Distance, c.Reach.Angle
		}
	}
}

// worldName converts the name that the profile gives to a thing to the name of the thing in the world file.
func worldName(names map[string]string, name string) string {
	for thing, called := range names {
		if called == name {
			return thing
		}
	}
	return name
}

// source says where an argument of an action comes from: a constant, or a field of the message.
type source struct {
	slot  int // index of the field in Actions.fields; −1 for a constant
	scale float64
	fixed dynamic.Scalar // the constant
	json  string         // the field is text in JSON, and the value is that of this key; empty if it is not
	// argument for each value of the field; if nil, the value of the field is the argument
	is    map[string]dynamic.Scalar
	other *dynamic.Scalar // argument for all other values of the field; if nil, other values are errors
}

// compile compiles the value v that the profile gives for an argument. It returns the name of the field of the message,
// or "" for a constant. The value is one of these: a constant number; the name of a field; { field = …, length = …,
// times = … } for a field in another unit; { text = … }; { field = …, is = { value = argument, … }, else = … }. If text
// is true, the argument is text, else a number of dimension d.
func (s *source) compile(v any, text bool, u units, d quantity.Dimension) (field string, err error) {
	*s = source{slot: -1, scale: u.scale(d)}
	switch v := v.(type) {
	case string:
		return v, nil
	case map[string]any:
		if fixed, ok := v["text"].(string); ok && text && len(v) == 1 {
			s.fixed.Text = fixed
			return "", nil
		}
		s.json, _ = v["json"].(string)
		if field, ok := v["field"].(string); ok && field != "" && !text && v["is"] == nil {
			return field, s.scaled(v, d)
		}
		return s.choice(v, text)
	}
	s.fixed, err = s.constant(v, text)
	return "", err
}

// scaled compiles the keys that set the unit of a field, or a factor for its value.
func (s *source) scaled(v map[string]any, d quantity.Dimension) error {
	for key, value := range v {
		switch unit, _ := value.(string); key {
		case "field", "json":
		case "length":
			perMetre, known := perMetre[unit]
			if !known || d != quantity.Length {
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

// maxTimes is the maximum factor of the key times. 1e6 is a guess.
const maxTimes = 1e6

func (s *source) choice(v map[string]any, text bool) (field string, err error) {
	field, _ = v["field"].(string)
	is, ok := v["is"].(map[string]any)
	if field == "" || !ok {
		return "", errors.New(`must be a field, a number, or { field = "…", is = { value = argument, … }, else = argument }`)
	}
	s.is = map[string]dynamic.Scalar{}
	for value, arg := range is {
		if s.is[value], err = s.constant(arg, text); err != nil {
			return "", err
		}
	}
	if other, ok := v["else"]; ok {
		arg, err := s.constant(other, text)
		if err != nil {
			return "", err
		}
		s.other = &arg
	}
	return field, nil
}

// wrongTexts returns an error for each text in the profile that the argument a does not allow. path and key give the
// place of a in the profile.
func (a *argument) wrongTexts(path, key string, names map[string]string, fromField bool) (errs []error) {
	if !a.text() {
		return nil
	}
	check := func(path, key, text string) {
		if rule := a.rules.Text(worldName(names, text)); rule != "" {
			errs = append(errs, &schema.Violation{Path: path, Key: key, Value: text, Rule: rule})
		}
	}
	if !fromField {
		check(path, key, a.fixed.Text)
	}
	for _, value := range slices.Sorted(maps.Keys(a.is)) {
		check(path+"."+key+".is", schema.KeyText(value), a.is[value].Text)
	}
	if a.other != nil {
		check(path+"."+key, "else", a.other.Text)
	}
	return errs
}

// constant converts the constant v of the profile to a Scalar in SI units.
func (s *source) constant(v any, text bool) (dynamic.Scalar, error) {
	if fixed, ok := v.(string); ok && text {
		return dynamic.Scalar{Text: fixed}, nil
	}
	if x, ok := asNumber(v); ok && !text {
		if _, truth := v.(bool); !truth {
			x /= s.scale
		}
		return dynamic.Scalar{Number: x}, nil
	}
	return dynamic.Scalar{}, fmt.Errorf("%v: must be a %s", v, map[bool]string{true: "text", false: "number"}[text])
}

// value returns the argument in SI units, for a message whose fields have the given values. It returns an error if the
// profile gives no argument for the field's value.
func (s *source) value(values []dynamic.Scalar) (dynamic.Scalar, error) {
	if s.slot < 0 {
		return s.fixed, nil
	}
	v := values[s.slot]
	if s.json != "" {
		var err error
		if v, err = fromJSON(v.Text, s.json); err != nil {
			return v, err
		}
	}
	if s.is == nil {
		return dynamic.Scalar{Number: v.Number / s.scale, Text: v.Text, All: v.All}, nil
	}
	key := v.Text
	if key == "" {
		key = strconv.FormatFloat(v.Number, 'g', -1, 64)
	}
	if arg, ok := s.is[key]; ok {
		return arg, nil
	}
	if s.other != nil {
		return *s.other, nil
	}
	return dynamic.Scalar{}, fmt.Errorf("%s: must be one of %s", key,
		strings.Join(slices.Sorted(maps.Keys(s.is)), ", "))
}

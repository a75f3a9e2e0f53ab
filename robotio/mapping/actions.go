package mapping

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
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
	only    []source // messages for which one of them is 0 cause nothing
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

// actionCompiler compiles the actions of an entry.
type actionCompiler struct {
	actionConfig
	*Actions
	lists  []dynamic.List
	places []*schema.Violation // places of the fields
	errs   []error
}

// newActions compiles the actions of a subscribe or service entry. The returned error joins all errors in the entry.
func newActions(d actionConfig) (*Actions, error) {
	if d.actor != quantity.Robot && d.actor != quantity.World {
		d.actor = "camera"
	}
	c := &actionCompiler{actionConfig: d, Actions: &Actions{}}
	for _, name := range slices.Sorted(maps.Keys(d.actions)) {
		c.compile(name)
	}
	if d.only != nil {
		if err := c.addOnly(); err != nil {
			c.fail(strings.TrimSuffix(d.path, ".do"), "only", "%v", err)
		}
	}
	if err := c.addAccepted(d.def, d.accepts); err != nil {
		c.fail(d.path, "", "%v", err)
	}
	c.pick()
	return c.Actions, errors.Join(c.errs...)
}

func (c *actionCompiler) fail(path, key string, format string, args ...any) {
	c.errs = append(c.errs, &schema.Violation{Path: path, Key: key, Rule: fmt.Sprintf(format, args...)})
}

// use lets a source read a field of the message. The key at a path of the profile names the field.
func (c *actionCompiler) use(s *source, field, path, key string) {
	if field != "" {
		s.slot = len(c.fields)
		c.fields = append(c.fields, field)
		c.places = append(c.places, &schema.Violation{Path: path, Key: key, Value: field})
	}
}

// compile compiles the action with a name.
func (c *actionCompiler) compile(name string) {
	t, known := findAction(name)
	m := mappedAction{actionType: t}
	if !known || !m.bindActor(c.actor) {
		c.fail(c.path, name, "is nothing that a %s can do; there are %s", c.actor,
			strings.Join(actionsOf(c.actor), ", "))
		return
	}
	args, ok := c.actions[name].(map[string]any)
	if !ok {
		c.fail(c.path, name, "must be a table of arguments")
		return
	}
	path := c.path + "." + name
	for _, key := range slices.Sorted(maps.Keys(args)) {
		i := slices.IndexFunc(m.parameters, func(p parameter) bool { return p.name == key })
		if i < 0 {
			c.fail(path, key, "%s takes no such argument; it takes %s", name, strings.Join(m.names(), ", "))
			continue
		}
		arg := argument{parameter: m.parameters[i]}
		if err := c.argument(&arg, args[key], path, key); err != nil {
			c.fail(path, key, "%v", err)
			continue
		}
		m.arguments = append(m.arguments, arg)
	}
	for _, p := range m.parameters {
		if _, given := args[p.name]; p.rules.Required && !given {
			c.fail(path, p.name, "must be given: a field, or what it always is")
		}
	}
	c.list = append(c.list, m)
}

// argument compiles the value v that a key of the profile gives for an argument.
func (c *actionCompiler) argument(arg *argument, v any, path, key string) error {
	if arg.table != nil {
		l, err := arg.compileEach(v, c.units)
		if err == nil {
			arg.list, c.lists = len(c.lists), append(c.lists, l)
		}
		return err
	}
	if l, column := arg.columnOf(v); column {
		arg.list, c.lists = len(c.lists), append(c.lists, l)
		return nil
	}
	if list, ok := v.([]any); ok && arg.kind == reflect.Slice {
		return arg.compileParts(list, c.def, c.units, func(s *source, field string) { c.use(s, field, path, key) })
	}
	field, err := arg.compileField(v, c.units)
	if err == nil {
		err = arg.checkJSON(c.def, field)
	}
	if err != nil {
		return err
	}
	c.errs = append(c.errs, arg.wrongTexts(path, key, c.names, field != "")...)
	c.use(&arg.source, field, path, key)
	return nil
}

// pick makes the picker of the fields.
func (c *actionCompiler) pick() {
	err := fits(c.def)
	if err == nil {
		c.picker, err = dynamic.NewPicker(c.def, c.fields, c.lists...)
	}
	missing, lacks := errors.AsType[dynamic.MissingError](err)
	for _, m := range missing {
		if m.Index < 0 {
			c.fail(c.path, "", "%v", missingText(c.def, m))
			continue
		}
		c.places[m.Index].Rule = noSuchField(c.def, m.Path)
		c.errs = append(c.errs, c.places[m.Index])
	}
	if err != nil && !lacks {
		c.fail(c.path, "", "%v", err)
	}
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
	for i := range a.only {
		if v, err := a.only[i].value(values); err != nil || v.Number == 0 {
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

package mapping

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
)

// compileEach compiles the value v that the profile gives for an array of tables: { each = "ARRAY", KEY = … }, with the
// name of an array of messages, and the source of each field of a table. It returns the fields that the sources read.
func (a *argument) compileEach(v any, u units) (l dynamic.List, err error) {
	table, _ := v.(map[string]any)
	l.Array, _ = table["each"].(string)
	if l.Array == "" {
		return l, errors.New(`must be { each = "ARRAY", … }, with the sources of the fields`)
	}
	l.Most = mostElements
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if key == "each" {
			continue
		}
		i := slices.IndexFunc(a.table, func(p parameter) bool { return p.name == key })
		if i < 0 {
			return l, fmt.Errorf("%s: is no such key; there are %s", key, strings.Join(namesOf(a.table), ", "))
		}
		inner := argument{parameter: a.table[i]}
		field, err := inner.compileField(table[key], u)
		if err != nil {
			return l, fmt.Errorf("%s: %w", key, err)
		}
		if field != "" {
			inner.slot = len(l.Paths)
			l.Paths = append(l.Paths, field)
		}
		a.each = append(a.each, inner)
	}
	for _, p := range a.table {
		if _, given := table[p.name]; p.rules.Required && !given {
			return l, fmt.Errorf("%s: must be given", p.name)
		}
	}
	return l, nil
}

// compileParts compiles an array whose elements have sources of their own. It calls use for the field that each of them
// reads, which is empty for a constant.
func (a *argument) compileParts(list []any, def *msg.Definition, u units, use func(s *source, field string)) error {
	a.source.slot = -1
	a.parts = make([]source, len(list))
	for i, v := range list {
		s := &a.parts[i]
		text := a.elem == reflect.String
		if name, ok := v.(string); ok && text {
			v = map[string]any{"text": name}
		}
		field, err := s.compile(v, text, u, a.dim)
		if err == nil {
			err = s.checkJSON(def, field)
		}
		if err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
		use(s, field)
	}
	return nil
}

// assemble returns the array of the values of the parts.
func (a *argument) assemble(values []dynamic.Scalar) (dynamic.Scalar, error) {
	all := &dynamic.Array{}
	for i := range a.parts {
		v, err := a.parts[i].value(values)
		switch {
		case err != nil:
			return v, fmt.Errorf("[%d]: %w", i, err)
		case a.elem == reflect.String:
			all.Texts = append(all.Texts, v.Text)
		default:
			all.Numbers = append(all.Numbers, v.Number)
		}
	}
	return dynamic.Scalar{All: all}, nil
}

// columnOf compiles the path of a field of the messages of an array, such as commands[].q, which fills an array. ok is
// false for all else.
func (a *argument) columnOf(v any) (l dynamic.List, ok bool) {
	path, _ := v.(string)
	array, field, ok := strings.Cut(path, "[].")
	if a.column = ok && a.kind == reflect.Slice; !a.column {
		return l, false
	}
	return dynamic.List{Array: array, Paths: []string{field}, Most: mostElements}, true
}

// setColumn sets a field of an action, an array, to a field of each of the messages of an array.
func (a *argument) setColumn(of reflect.Value, elements *dynamic.Elements) error {
	if elements.LeftOut > 0 {
		return fmt.Errorf(" has %d elements: must have at most %d", len(elements.Values)+elements.LeftOut, mostElements)
	}
	all := &dynamic.Array{}
	for k, values := range elements.Values {
		v := &values[0]
		if x, ok := v.Infinite(); ok {
			return fmt.Errorf("[%d] = %v: must be finite", k, x)
		}
		if v.IsText {
			all.Texts = append(all.Texts, v.Text)
		} else {
			all.Numbers = append(all.Numbers, v.Number)
		}
	}
	v := dynamic.Scalar{All: all}
	if err := a.checkArray(v); err != nil {
		return fmt.Errorf(": %w", err)
	}
	a.set(of, v)
	return nil
}

// compileField is source.compile with the rules for whole arrays: the path of an array ends in [], and only an array
// fills an array.
func (a *argument) compileField(v any, u units) (field string, err error) {
	path, ok := v.(string)
	switch whole := strings.HasSuffix(path, "[]"); {
	case a.kind == reflect.Slice && !(ok && whole):
		return "", fmt.Errorf("%v: must be the path of an array, such as data[]", v)
	case a.kind != reflect.Slice && whole:
		return "", fmt.Errorf("%s: must be one field, not an array", path)
	}
	return a.compile(v, a.text(), u, a.dim)
}

// checkArray returns an error for a whole array whose elements do not have the type of a field.
func (a *argument) checkArray(v dynamic.Scalar) error {
	if v.All == nil {
		return nil
	}
	if field, texts := a.elem == reflect.String, v.All.Texts != nil; field != texts && len(v.All.Texts)+
		len(v.All.Numbers) > 0 {
		return fmt.Errorf("%s: must be an array of %s", a.name, map[bool]string{true: "texts", false: "numbers"}[field])
	}
	return nil
}

// mostElements is the maximum number of elements of an array that fill an action. Actions have lower limits.
const mostElements = 10000

// setEach sets a field of an action, an array of tables, to the elements of the message's array.
func (a *argument) setEach(of reflect.Value, elements *dynamic.Elements) error {
	if elements.LeftOut > 0 {
		return fmt.Errorf(" has %d elements: must have at most %d", len(elements.Values)+elements.LeftOut, mostElements)
	}
	field := of.FieldByIndex(a.index)
	field.Set(reflect.MakeSlice(field.Type(), len(elements.Values), len(elements.Values)))
	for k, values := range elements.Values {
		for i := range a.each {
			inner := &a.each[i]
			v, err := inner.value(values)
			if x, ok := v.Infinite(); ok {
				err = fmt.Errorf("= %v: must be finite", x)
			} else if err == nil {
				err = inner.checkArray(v)
			}
			if err != nil {
				return fmt.Errorf("[%d].%s %w", k, inner.name, err)
			}
			inner.set(field.Index(k), v)
		}
	}
	return nil
}

// namesOf returns the names of parameters.
func namesOf(all []parameter) (names []string) {
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

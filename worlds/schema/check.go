package schema

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Check judges a Go struct by the tags of its fields, like rules.Check. It names violations by the keys of files.
func Check(cfg any) error { return CheckRest(cfg, nil) }

// CheckRest checks only those parts that did not fail during binding. If a key of a struct failed, CheckRest does not
// judge the other keys of the struct: binding has judged them, and defaults that depend on the failed key are missing.
// It still judges the structs inside, if they contain no failure.
func CheckRest(cfg any, failed Failed) error {
	var rest []error
	for _, err := range rules.Split(rules.Check(cfg)) {
		v, ok := errors.AsType[*rules.Violation](err)
		if !ok {
			rest = append(rest, err)
			continue
		}
		within := placeOf(cfg, v.Within).path()
		_, touched := failed[within]
		in := inKeys(cfg, v)
		for path := joinPath(in.Path, in.Key); path != "" && !touched; path = parentPath(path) {
			touched = failed[path]
		}
		if !touched {
			rest = append(rest, in)
		}
	}
	return errors.Join(rest...)
}

// InKeys converts each [rules.Violation] in err to a [Violation] that uses the keys of files. The violations are about
// fields of the struct cfg.
func InKeys(cfg any, err error) error {
	list := rules.Split(err)
	for i, e := range list {
		if v, ok := errors.AsType[*rules.Violation](e); ok {
			list[i] = inKeys(cfg, v)
		}
	}
	return errors.Join(list...)
}

func inKeys(cfg any, v *rules.Violation) *Violation {
	p := placeOf(cfg, v.Field)
	out := &Violation{Path: p.where, Key: p.key, Value: p.shown(v.Value), err: v.Unwrap()}
	switch {
	case p.key == "":
		out.Key = v.Field
	case p.table && v.Value == nil:
		out.Path, out.Key = p.path(), ""
	case v.Within != "": // the rules are those of the table around the key
		within := placeOf(cfg, v.Within).path()
		if key, ok := strings.CutPrefix(p.path(), within+"."); ok {
			out.Path, out.Key = within, key
		}
	}
	for rest := v.Rule; ; {
		before, name, found := strings.Cut(rest, "{")
		out.Rule += before
		if !found {
			return out
		}
		name, rest, _ = strings.Cut(name, "}")
		out.Rule += keyNear(cfg, v.Field, name)
	}
}

// keyNear returns the key of a field that is named in the rule of another field. It looks for the name in the struct
// that contains the other field, then in the structs around this struct. If no struct has such a field, keyNear returns
// the name.
func keyNear(cfg any, field, name string) string {
	for field != "" {
		field = parentPath(field)
		if p := placeOf(cfg, joinPath(field, name)); p.key != "" {
			return p.key
		}
	}
	return name
}

// place is where a file has a struct's field: the path of its table, and its key.
type place struct {
	where, key string
	unit       rules.Unit
	table      bool // whether the field is a table that is present
}

func (p place) path() string { return joinPath(p.where, p.key) }

// shown returns a value as a file would have it.
func (p place) shown(value any) any {
	switch v := reflect.ValueOf(value); {
	case value == nil:
		return nil
	case v.Type() == rules.DurationType && p.unit.Tick != 0, v.CanFloat():
		return rules.InKeyUnit(v, p.unit)
	case v.Kind() == reflect.String:
		return v.String()
	}
	return value
}

// present follows pointers and interfaces to the value that they lead to. It returns an invalid value if one of them is
// nil.
func present(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// placeOf returns the place of a Go field, given by its path, such as Robots[0].Lamps["a"].Power. A field without a key
// has no place.
func placeOf(cfg any, field string) (p place) {
	v := rules.RootStruct(cfg)
	for field != "" {
		s := present(v)
		if !s.IsValid() && v.Kind() == reflect.Pointer { // uses the defaults of the element type
			s = reflect.Zero(v.Type().Elem())
		}
		if s.Kind() != reflect.Struct {
			return place{}
		}
		fields, _ := rules.Fields(s)
		best := rules.Field{}
		for _, f := range fields { // includes the fields of inline structs
			if rest, ok := strings.CutPrefix(field, f.Name); ok && len(f.Name) > len(best.Name) &&
				(rest == "" || rest[0] == '.' || rest[0] == '[') {
				best = f
			}
		}
		if best.Name == "" {
			sf, _ := s.Type().FieldByName(field)
			key, _, outer := strings.Cut(sf.Tag.Get("toml"), ",outer")
			if !outer {
				return place{}
			}
			return place{where: p.path(), key: key, table: true}
		}
		p = place{where: p.path(), key: keyText(best.Key), unit: best.Rules.Unit}
		v, field = best.Value, field[len(best.Name):]
		for strings.HasPrefix(field, "[") {
			for v.Kind() == reflect.Pointer {
				v = v.Elem()
			}
			if v.Kind() == reflect.Map {
				quoted, _ := strconv.QuotedPrefix(field[1:])
				name, _ := strconv.Unquote(quoted)
				p.where, p.key = p.path(), keyText(name)
				v, field = v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key())), field[len(quoted)+2:]
				continue
			}
			index, rest, _ := strings.Cut(field[1:], "]")
			i, _ := strconv.Atoi(index)
			p.key = elemKey(p.key, i)
			v, field = v.Index(i), rest
		}
		field = strings.TrimPrefix(field, ".")
		p.table = present(v).Kind() == reflect.Struct
	}
	return p
}

package schema

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// KeyDoc describes a key, for the reference of the file formats. Path is the path of the key, such as
// robot[].sensor[].fov_deg, or model.<name>.mass_kg for the tables of a map. Default is in the key's unit; it is empty
// if the key has no default. Rule is the range, the choices and the other rules in the tags.
type KeyDoc struct {
	Path, Key, Type, Unit, Default, Rule, Doc string
	Required                                  bool
	// choices of a string; empty if every string that satisfies Rule is allowed
	Choices []string
}

// Describe lists the keys of a struct in the order of its fields. The values in the struct are the defaults. The
// defaults of the elements of arrays come from their [Defaulter].
func Describe(cfg any) []KeyDoc {
	var d describer
	d.table("", rules.RootStruct(cfg))
	return d.docs
}

type describer struct {
	docs  []KeyDoc
	above []reflect.Type // types around the present one, to stop at a type that contains itself
}

func (d *describer) table(path string, s reflect.Value) {
	if slices.Contains(d.above, s.Type()) {
		return
	}
	d.above = append(d.above, s.Type())
	fields, _ := rules.Fields(s)
	for _, f := range fields {
		doc := KeyDoc{Path: joinPath(path, f.Key), Key: f.Key, Unit: f.Rules.Unit.Name, Doc: f.Doc}
		inner, below := d.typeOf(&doc, f.Value)
		r, zero := f.Rules, f.Value.IsZero()
		// the file need not give a key if its field already has a value
		r.Required = r.Required && (zero || f.Value.Kind() == reflect.Struct)
		doc.Rule, doc.Required, doc.Choices = describeRules(r, f.Value.Type()), r.Required, choices(r.OneOf)
		if !zero || !r.Required && r.Number(0) == "" { // 0 is not a default if the file must give a value
			doc.Default = defaultText(f.Value, r.Unit)
		}
		d.docs = append(d.docs, doc)
		if below.IsValid() {
			d.table(inner, below)
		}
	}
	d.above = d.above[:len(d.above)-1]
}

// typeOf sets the type of a key in doc. If the key holds a struct, or elements that are structs, typeOf returns this
// struct and its path.
func (d *describer) typeOf(doc *KeyDoc, v reflect.Value) (path string, below reflect.Value) {
	path = doc.Path
	var of []string
	for {
		_, takesName := reflect.New(v.Type()).Interface().(Named)
		_, takesFalse := reflect.New(v.Type()).Interface().(Omissible)
		switch k := v.Kind(); {
		case k == reflect.Pointer:
			v = fresh(v.Type().Elem(), v.Elem())
			continue
		case k == reflect.Slice, k == reflect.Array:
			of = append(of, "array of ")
			if k == reflect.Array {
				of[len(of)-1] = fmt.Sprintf("array of %d ", v.Len())
			}
			path += "[]"
			v = fresh(v.Type().Elem(), reflect.Value{})
			continue
		case k == reflect.Map:
			of = append(of, "table of ")
			path += ".<name>"
			v = fresh(v.Type().Elem(), reflect.Value{})
			continue
		case k == reflect.Struct:
			if _, scalar := named(v); !scalar {
				below = v
			}
		}
		name := typeName(v)
		if takesName {
			name = "string or " + name
		}
		if takesFalse {
			name += " or false"
		}
		if of != nil {
			name += "s"
		}
		doc.Type = strings.Join(of, "") + name
		return path, below
	}
}

// fresh returns v. If v is invalid or nil, it returns a new value with defaults instead.
func fresh(t reflect.Type, v reflect.Value) reflect.Value {
	if !v.IsValid() {
		v = reflect.New(t).Elem()
		setDefaults(v)
	}
	return v
}

// named returns the text of a struct that files write as a name or a number. Such a struct can be unmarshalled from
// text. The result ok is false for any other value.
func named(v reflect.Value) (text string, ok bool) {
	if _, ok = reflect.New(v.Type()).Interface().(encoding.TextUnmarshaler); ok {
		text = fmt.Sprint(v.Interface())
	}
	return text, ok && v.Kind() == reflect.Struct
}

func typeName(v reflect.Value) string {
	_, scalar := named(v)
	switch k := v.Kind(); {
	case scalar:
		return "string or number"
	case v.Type() == rules.DurationType, v.CanFloat():
		return "number"
	case rules.IsInteger(k):
		return "integer"
	case k == reflect.Struct:
		return "table"
	case k == reflect.Interface:
		return "value"
	case k == reflect.Bool:
		return "boolean"
	default:
		return k.String()
	}
}

// defaultText returns a value as TOML. It returns "" for empty strings, arrays and tables, which are not shown as
// defaults.
func defaultText(v reflect.Value, u rules.Unit) string {
	name, scalar := named(v)
	switch {
	case scalar:
		return valueText(name)
	case v.Type() == rules.DurationType, v.CanFloat():
		return valueText(rules.InKeyUnit(v, u))
	case v.Kind() == reflect.String && v.Len() > 0:
		return valueText(v.String())
	case v.Kind() == reflect.Bool:
		return valueText(v.Bool())
	case v.CanInt():
		return valueText(v.Int())
	case v.CanUint():
		return valueText(v.Uint())
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && v.Len() > 0:
		var list []string
		for i := range v.Len() {
			text := defaultText(v.Index(i), u)
			if text == "" {
				return ""
			}
			list = append(list, text)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return ""
}

// choices returns the allowed texts of a key. The empty text is left out, because it only means that the key may be
// left out.
func choices(oneOf []string) (list []string) {
	for _, text := range oneOf {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// describeRules describes the rules of a key that has a type.
func describeRules(r rules.Rules, t reflect.Type) string {
	var list []string
	if r.Required {
		list = append(list, "required")
	}
	if r.Interval != "" {
		list = append(list, "in "+r.Interval)
	}
	if r.Interval == "" && t != rules.DurationType && rules.IsInteger(t.Kind()) {
		list = append(list, "in "+intervalOf(t))
	}
	if r.OneOf != nil {
		list = append(list, r.Choices())
	}
	if r.Match {
		list = append(list, "a name")
	}
	if r.MinLen > 0 {
		list = append(list, fmt.Sprintf("length at least %d", r.MinLen))
	}
	if r.MaxLen > 0 {
		list = append(list, fmt.Sprintf("at most %d", r.MaxLen))
	}
	if r.Merge != "" {
		list = append(list, "merged by "+r.Merge)
	}
	if r.Fixed {
		list = append(list, "the same for every seed")
	}
	return strings.Join(list, ", ")
}

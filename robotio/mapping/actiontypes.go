package mapping

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// actionType is a type of action that profiles may name.
type actionType struct {
	name, was, doc string
	typ            reflect.Type
	parameters     []parameter
}

// parameter describes a field of a type of action.
type parameter struct {
	name  string // key of the field without the unit
	dim   quantity.Dimension
	kind  reflect.Kind
	index []int // index of the Go field
	rules rules.Rules
	elem  reflect.Kind // of the elements of a slice
	table []parameter  // fields of the tables of an array of tables; nil for other fields
}

// actionTypes returns the types of all actions whose fields a message can fill.
var actionTypes = sync.OnceValue(func() (all []actionType) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[action.Choice]()) {
		t := actionType{name: f.Tag.Get("toml"), was: f.Tag.Get("was"), doc: f.Tag.Get("doc"), typ: f.Type.Elem()}
		var filled bool
		if t.parameters, filled = parametersOf(t.typ); filled {
			all = append(all, t)
		}
	}
	return all
})

// parametersOf returns the fields of a type of action that messages can fill. filled is false if another field holds
// tables. Messages can fill an array of tables that has the tag wire.
func parametersOf(typ reflect.Type) (all []parameter, filled bool) {
	judged := map[string]rules.Rules{}
	fields, _ := rules.Fields(reflect.New(typ).Elem())
	for i := range fields {
		judged[fields[i].Key] = fields[i].Rules
	}
	filled = true
	for _, f := range reflect.VisibleFields(typ) {
		key := f.Tag.Get("toml")
		if key == "" {
			continue
		}
		name, unit := rules.SplitUnit(key)
		p := parameter{name, quantity.DimensionOf(unit), f.Type.Kind(), f.Index, judged[key], 0, nil}
		if p.kind == reflect.Slice {
			p.elem = f.Type.Elem().Kind()
		}
		switch {
		case f.Tag.Get("wire") == "true":
			p.table, _ = parametersOf(f.Type.Elem())
		case holdsTable(f.Type):
			filled = false
			continue
		case f.Type.Kind() == reflect.Pointer:
			// It stands for a key that may be left out. A field of a message is always present, so it can fill such a
			// key.
			continue
		}
		all = append(all, p)
	}
	return all, filled
}

// holdsTable reports whether a key holds a table or an array of tables. No field of a message can fill such a key.
func holdsTable(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// findAction returns the type of action with the given name, which may be a former name. ok is false if there is none.
func findAction(name string) (t actionType, ok bool) {
	all := actionTypes()
	i := slices.IndexFunc(all, func(t actionType) bool {
		return t.name == name || slices.Contains(strings.Split(t.was, "|"), name)
	})
	if i < 0 {
		return t, false
	}
	return all[i], true
}

// make returns a new action whose fields have their default values.
func (t *actionType) make() action.Action {
	made := reflect.New(t.typ).Interface().(action.Action)
	if d, ok := made.(schema.Defaulter); ok {
		d.SetDefaults()
	}
	return made
}

func (t *actionType) names() []string { return namesOf(t.parameters) }

func (p *parameter) text() bool { return p.kind == reflect.String }

// set sets a field of an action, or of a table of an action, to the value v, which is in SI units.
func (p *parameter) set(of reflect.Value, v dynamic.Scalar) {
	switch field := of.FieldByIndex(p.index); p.kind {
	case reflect.Slice:
		if v.All == nil { // a constant, or the message was cut
			return
		}
		if p.elem == reflect.String {
			field.Set(reflect.ValueOf(v.All.Texts))
		} else {
			field.Set(reflect.ValueOf(v.All.Numbers))
		}
	case reflect.String:
		field.SetString(v.Text)
	case reflect.Bool:
		field.SetBool(v.Number != 0)
	case reflect.Int64: // duration
		field.SetInt(int64(v.Number * float64(time.Second)))
	case reflect.Int:
		field.SetInt(int64(v.Number))
	default:
		field.SetFloat(v.Number)
	}
}

package rules

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Chooser is a string type with few values, which its zero value lists.
type Chooser interface{ Choices() []string }

var DurationType = reflect.TypeFor[time.Duration]()

// Field is a key of a table and the Go field that holds it.
type Field struct {
	Name  string // name in Go; for a field of an inline struct, preceded by the struct's field name
	Key   string
	Was   string // old names of the key, separated by |
	Value reflect.Value
	Rules Rules
	Doc   string
}

// Fields lists the fields of a struct that have keys, and the structs inside it that are inline.
func Fields(s reflect.Value) (fields []Field, inlined []reflect.Value) {
	tagged := taggedOf(s.Type())
	fields = make([]Field, 0, len(tagged))
	for _, t := range tagged {
		if !t.inline {
			t.Value = s.Field(t.index)
			fields = append(fields, t.Field)
			continue
		}
		if inner, ok := StructIn(s.Field(t.index)); ok {
			f, more := Fields(inner)
			for k := range f {
				f[k].Name = join(t.Name, f[k].Name)
			}
			fields, inlined = append(fields, f...), append(append(inlined, inner), more...)
		}
	}
	if inlined != nil {
		mustDiffer(s.Type(), fields)
	}
	return fields, inlined
}

// tagged is a field of a struct type with its tags, without a Value. For an inline struct only Name is set; Name is ""
// if the struct is embedded.
type tagged struct {
	Field
	index  int
	inline bool
}

// tags caches the fields of each type, by reflect.Type. Reading tags would take two thirds of the time of binding and
// checking a file.
var tags sync.Map

func taggedOf(t reflect.Type) []tagged {
	if known, ok := tags.Load(t); ok {
		return known.([]tagged)
	}
	var list []tagged
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		key, option, _ := strings.Cut(sf.Tag.Get("toml"), ",")
		switch {
		case key == "-" || option == "outer" || !sf.IsExported() && !sf.Anonymous:
		case sf.Anonymous && (option == "inline" || key == ""):
			list = append(list, tagged{index: i, inline: true})
		case option == "inline":
			list = append(list, tagged{Field: Field{Name: sf.Name}, index: i, inline: true})
		case key != "":
			f := Field{Name: sf.Name, Key: key, Was: sf.Tag.Get("was"), Rules: rulesOf(key, sf.Tag),
				Doc: sf.Tag.Get("doc")}
			if c, ok := reflect.Zero(sf.Type).Interface().(Chooser); ok {
				f.Rules.OneOf = c.Choices()
			}
			f.mustFit(sf)
			list, fields = append(list, tagged{Field: f, index: i}), append(fields, f)
		}
	}
	mustDiffer(t, fields)
	tags.Store(t, list)
	return list
}

// mustDiffer panics if two fields have the same key.
func mustDiffer(t reflect.Type, fields []Field) {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f.Key] {
			panic(fmt.Sprintf("rules: %s has two fields with the key %s", t, f.Key))
		}
		seen[f.Key] = true
	}
}

// StructIn returns the struct behind pointers and interfaces. The bool reports whether there is a struct.
func StructIn(v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v, v.Kind() == reflect.Struct
}

// mustFit panics if the field's type cannot hold the unit of its key.
func (f Field) mustFit(sf reflect.StructField) {
	t := sf.Type
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Pointer ||
		t.Kind() == reflect.Map {
		t = t.Elem()
	}
	wrong := t == DurationType && f.Rules.Unit.Tick == 0 || t != DurationType && IsInteger(t.Kind()) &&
		f.Rules.Unit.Converts()
	if wrong {
		panic(fmt.Sprintf("rules: a field of type %s cannot hold the key %s", sf.Type, f.Key))
	}
}

func IsInteger(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Uint64 }

// RootStruct returns the Addressable struct behind a pointer, or a copy of one given by value.
func RootStruct(cfg any) reflect.Value {
	v := reflect.ValueOf(cfg)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		panic(fmt.Sprintf("rules: %T is no struct", cfg))
	}
	return Addressable(v)
}

// Addressable returns the value v, or an addressable copy of it if v has no address.
func Addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

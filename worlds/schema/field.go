package schema

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Defaulter gives a new element of an array, map or pointer its defaults, before keys of the file override them. It
// stands on *T; an embedded struct lends its own to the struct around it, which should then have its own.
type Defaulter interface{ SetDefaults() }

// Preparer sets what the keys of its table then override; text returns the text of a key's value, "" if there is none.
type Preparer interface {
	Prepare(text func(key string) string)
}

// Chooser is a kind of string that has few values, which its zero value lists.
type Chooser interface{ Choices() []string }

var durationType = reflect.TypeFor[time.Duration]()

// field is a key of a table and the Go field that holds it.
type field struct {
	key   string
	was   string // its old names, with | between them
	value reflect.Value
	rules rules
	doc   string
}

// fieldsOf lists the fields of a struct that have keys, and the structs inside it whose fields stand inline.
func fieldsOf(s reflect.Value) (fields []field, inlined []reflect.Value) {
	for i := range s.NumField() {
		sf := s.Type().Field(i)
		key, option, _ := strings.Cut(sf.Tag.Get("toml"), ",")
		switch {
		case key == "-" || !sf.IsExported() && !sf.Anonymous:
		case option == "inline" || sf.Anonymous && key == "":
			if inner, ok := structIn(s.Field(i)); ok {
				f, more := fieldsOf(inner)
				fields, inlined = append(fields, f...), append(append(inlined, inner), more...)
			}
		case key != "":
			f := field{key: key, was: sf.Tag.Get("was"), value: s.Field(i), rules: rulesOf(key, sf.Tag), doc: sf.Tag.Get("doc")}
			if c, ok := reflect.Zero(sf.Type).Interface().(Chooser); ok {
				f.rules.oneof = c.Choices()
			}
			f.mustFit(sf)
			fields = append(fields, f)
		}
	}
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.key] {
			panic(fmt.Sprintf("schema: %s has two fields with the key %s", s.Type(), f.key))
		}
		seen[f.key] = true
	}
	return fields, inlined
}

// structIn looks through pointers and interfaces.
func structIn(v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v, v.Kind() == reflect.Struct
}

// mustFit panics where the type cannot hold the unit of the key.
func (f field) mustFit(sf reflect.StructField) {
	t := sf.Type
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Pointer || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	wrong := t == durationType && f.rules.unit.tick == 0 || t != durationType && isInteger(t.Kind()) && f.rules.unit.converts()
	if wrong {
		panic(fmt.Sprintf("schema: a field of type %s cannot hold the key %s", sf.Type, f.key))
	}
}

func isInteger(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Uint64 }

// setDefaults fills a new value from its Defaulter, or its fields from theirs.
func setDefaults(v reflect.Value) {
	if d, ok := v.Addr().Interface().(Defaulter); ok {
		d.SetDefaults()
		return
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			setDefaults(v.Field(i))
		}
	}
}

// rootStruct returns the addressable struct behind a pointer, or a copy of one given by value.
func rootStruct(cfg any) reflect.Value {
	v := reflect.ValueOf(cfg)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		panic(fmt.Sprintf("schema: %T is no struct", cfg))
	}
	return addressable(v)
}

// addressable returns v, or a copy of it where v has no address.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

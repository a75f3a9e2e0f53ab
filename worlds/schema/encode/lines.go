package encode

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Line is a line of a file: a key with its value, the header of a table, or an empty line.
type Line struct {
	Text, Path string // text of the line; path as in package schema, such as robot[0].sensor[1].level
	Key        bool
	Inexact    bool          // whether no decimal number restores the value exactly
	Value      reflect.Value // Go field whose value the line gives
}

// Lines returns the lines of the file for a struct. The keys of a table come first, and then the tables inside it, in
// the order of the struct's fields.
func Lines(cfg any) []Line {
	var e encoder
	e.table("", "", rules.RootStruct(cfg))
	return e.lines
}

type encoder struct{ lines []Line }

// table writes the contents of a table. It writes a header if the table has keys of its own. path is the path of the Go
// value, and header is the path for the TOML header.
func (e *encoder) table(path, header string, s reflect.Value) {
	fields, _ := rules.Fields(s)
	if header != "" {
		e.header(header, path)
	}
	n := len(e.lines)
	for _, f := range fields {
		e.key(join(path, schema.KeyText(f.Key)), f.Key, f.Value, f.Rules)
	}
	if len(e.lines) == n && header != "" && !strings.HasPrefix(header, "[[") {
		e.lines = e.lines[:n-2]
	}
	for _, f := range fields {
		e.tables(join(path, schema.KeyText(f.Key)), join(strings.Trim(header, "[]"), keyText(f.Key)), f.Value, f.Rules)
	}
}

// key writes a key with its value.
func (e *encoder) key(path, key string, v reflect.Value, r rules.Rules) {
	if text, exact := literal(v, r); text != "" {
		e.lines = append(e.lines, Line{Text: keyText(key) + " = " + text, Path: path, Key: true, Inexact: !exact,
			Value: v})
	}
}

// tables writes a table, all tables of an array, or all tables of a map.
func (e *encoder) tables(path, header string, v reflect.Value, r rules.Rules) {
	switch k := v.Kind(); {
	case isScalar(v):
	case k == reflect.Pointer && !v.IsNil():
		n := len(e.lines)
		e.tables(path, header, v.Elem(), r)
		if len(e.lines) == n && isTable(v.Type()) { // the table is present and empty
			e.header("["+header+"]", path)
		}
	case k == reflect.Struct:
		e.table(path, "["+header+"]", rules.Addressable(v))
	case k == reflect.Map && v.Len() > 0:
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		e.header("["+header+"]", path)
		for _, name := range names {
			e.key(join(path, schema.KeyText(name.String())), name.String(), v.MapIndex(name), r.OfElements())
		}
		for _, name := range names {
			e.tables(join(path, schema.KeyText(name.String())), join(header, keyText(name.String())), v.MapIndex(name),
				r.OfElements())
		}
	case k == reflect.Slice && isTable(v.Type().Elem()):
		for i := range v.Len() {
			elem, at := v.Index(i), fmt.Sprintf("%s[%d]", path, i)
			for elem.Kind() == reflect.Pointer {
				elem = elem.Elem()
			}
			e.table(at, "[["+header+"]]", elem)
		}
	}
}

func (e *encoder) header(text, path string) {
	e.lines = append(e.lines, Line{}, Line{Text: text, Path: path})
}

// isTable reports whether values of a type are written as tables.
func isTable(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Map || t.Kind() == reflect.Struct &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// isScalar reports whether a struct is written as a name or a number.
func isScalar(v reflect.Value) bool { return v.Kind() == reflect.Struct && !isTable(v.Type()) }

// join returns a path followed by a key.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

package msg

import (
	"fmt"
	"reflect"
	"strings"
)

// kind is the layout of a value in memory and on the wire.
type kind uint8

const (
	kBool    kind = iota // one byte, 0 or 1
	k1                   // one byte
	k2                   // two bytes, little-endian on the wire
	k4                   // four bytes
	k8                   // eight bytes
	kString              // length as uint32, then the bytes
	kStruct              // the fields of op.plan, without a length
	kArray               // op.n elements, without a length
	kSlice               // number of elements as uint32, then the elements
	kNothing             // one byte of a struct without fields in ROS 2
)

// op describes how to encode one field.
type op struct {
	kind  kind
	off   uintptr      // offset from the start of the enclosing struct or element
	n     int          // number of elements of a kArray
	elem  *op          // element of a kArray or kSlice, at offset 0
	plan  *plan        // plan of a kStruct
	size  uintptr      // size of an element in memory
	slice reflect.Type // type of a kSlice
	min   int          // minimum size on the wire in bytes
	most  int          // maximum length of a kSlice, or of a kString in bytes; 0 if there is none
	name  string
}

// plan describes how to encode and decode a struct.
type plan struct {
	ops []op
	min int
}

// compileStruct compiles a struct. It matches the fields of the definition with the fields of the Go struct t.
func compileStruct(def *Definition, t reflect.Type) (*plan, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("must be a struct")
	}
	p := &plan{}
	used := make([]bool, t.NumField())
	for _, f := range def.Fields {
		if f == placeholder && t.NumField() == 0 {
			return &plan{ops: []op{{kind: kNothing, min: 1, name: f.Name}}, min: 1}, nil
		}
		i, err := findField(t, f.Name)
		if err != nil {
			return nil, err
		}
		if used[i] {
			return nil, fmt.Errorf("field %s matches two fields of the message", t.Field(i).Name)
		}
		used[i] = true
		o, err := compileField(def, f, t.Field(i).Type)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", t.Field(i).Name, err)
		}
		o.off, o.name = t.Field(i).Offset, f.Name
		p.ops = append(p.ops, o)
		p.min += o.min
	}
	for i, u := range used {
		if _, ros1 := t.Field(i).Tag.Lookup("ros1"); !u && (!ros1 || !def.ROS2()) {
			return nil, fmt.Errorf("field %s: the message has no such field", t.Field(i).Name)
		}
	}
	return p, nil
}

// findField returns the index of the struct field that belongs to the message field with the given name.
func findField(t reflect.Type, name string) (int, error) {
	found := -1
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("ros")
		if tagged && tag != name || !tagged && !sameName(f.Name, name) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("fields %s and %s both match %s: tag one ros:%q", t.Field(found).Name, f.Name, name,
				name)
		}
		if !f.IsExported() {
			return 0, fmt.Errorf("field %s: must be exported", f.Name)
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("no field for %s", name)
	}
	return found, nil
}

func sameName(goName, rosName string) bool {
	return strings.EqualFold(strings.ReplaceAll(goName, "_", ""), strings.ReplaceAll(rosName, "_", ""))
}

// compileField compiles one field. It handles arrays itself, and leaves their elements to compileValue.
func compileField(def *Definition, f Field, t reflect.Type) (op, error) {
	if f.Len == NoArray {
		return compileValue(def, f, t)
	}
	wantKind := reflect.Slice
	if f.Len >= 0 {
		wantKind = reflect.Array
	}
	if t.Kind() != wantKind || f.Len >= 0 && t.Len() != f.Len {
		return op{}, fmt.Errorf("is %s: must hold %s", t, f.Type())
	}
	elem, err := compileValue(def, f, t.Elem())
	if err != nil {
		return op{}, err
	}
	o := op{elem: &elem, size: t.Elem().Size()}
	if f.Len >= 0 {
		o.kind, o.n, o.min = kArray, f.Len, f.Len*elem.min
	} else {
		o.kind, o.slice, o.min, o.most = kSlice, t, 4, f.Most
	}
	return o, nil
}

func compileValue(def *Definition, f Field, t reflect.Type) (op, error) {
	want := builtins[f.Base].typ
	if nested := def.Nested(f.Base); nested != nil && t == builtins[nested.Stamp()].typ {
		want = t
	} else if nested != nil {
		p, err := compileStruct(nested, t)
		if err != nil {
			return op{}, err
		}
		return op{kind: kStruct, plan: p, min: p.min}, nil
	}
	if f.Base == "byte" && def.ROS2() {
		want = reflect.TypeFor[uint8]()
	}
	if t != want && (t.Kind() != want.Kind() || want.Kind() == reflect.Struct) {
		return op{}, fmt.Errorf("is %s: must hold %s, in Go %s", t, f.Base, want)
	}
	switch {
	case want.Kind() == reflect.Struct: // Time and Duration: two 32-bit words
		word := op{kind: k4, min: 4}
		return op{kind: kArray, n: 2, elem: &word, size: 4, min: 8}, nil
	case want.Kind() == reflect.String:
		return op{kind: kString, min: 4, most: f.MostText}, nil
	case want.Kind() == reflect.Bool:
		return op{kind: kBool, min: 1}, nil
	}
	k := map[uintptr]kind{1: k1, 2: k2, 4: k4, 8: k8}[want.Size()]
	return op{kind: k, min: int(want.Size())}, nil
}

package schema

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Locate gives every [Violation] in err the position of its key in the file, or of the nearest table around it in the
// file, and sorts the list. It uses the paths of the last [File.Bind]. Where elements were merged, these are the paths
// of the Go value. Where layers were bound, the position is in the file that gave the value last. Other errors stay
// unchanged, and so do errors that already have a place.
func (f *File) Locate(err error) error {
	list := rules.Split(err)
	for i, e := range list {
		if _, placed := e.(*Error); placed {
			continue
		}
		if v, ok := errors.AsType[*Violation](e); ok {
			list[i] = f.Root().bound.index.locate(v)
		}
	}
	return errors.Join(Flatten(errors.Join(list...))...)
}

// Bound reports whether the last [File.Bind] found a value for a path of the Go value, such as
// robot[0].sensor[1].level.
func (f *File) Bound(path string) bool { return f.Root().bound.index[path] != nil }

// Own reports whether that value is in this file and not in a layer below it.
func (f *File) Own(path string) bool {
	v := f.Root().bound.index[path]
	return v != nil && v.text == f.text
}

// Origin is the source of a value. The zero value means a default.
type Origin struct {
	Pos
	Template     string // template that made the value, with the values of its names, as in "{x}", x = -10.5
	Distribution string // distribution from which the value was drawn, as in the file
	Draws               // draws of that distribution
}

func (o Origin) String() string {
	if o.File == "" {
		return "default"
	}
	text := joinText(", ", fmt.Sprintf("%s:%d", o.File, o.Line), o.Template)
	if o.Distribution != "" {
		text += fmt.Sprintf(", drawn from %s at seed %d", o.Distribution, o.Seed)
	}
	return text
}

// Origin returns the source of the value that the last [File.Bind] found for a path of the Go value, or of the name
// that is in place of the table around it.
func (f *File) Origin(path string) (o Origin) {
	index := f.Root().bound.index
	v := index[path]
	for near := path; v == nil && near != ""; v = index[near] {
		near = parentPath(near)
	}
	if v == nil || v != index[path] && v.kind >= kindArray {
		return o // a table that does not have the key
	}
	o.Pos = v.pos()
	for near := path; near != ""; near = parentPath(near) {
		around := index[near]
		if around == nil || around.of == nil {
			continue
		}
		of := around.of
		if near == path || of.text == v.text && of.start <= v.start && v.end <= of.end { // no layer above gave v
			o.Pos, o.Distribution, o.Draws = of.pos(), of.source(), f.bound.draws.Draws
			v = of
		}
		break
	}
	if v.filled {
		o.Template = joinText(", ", v.written(), v.row.usedIn(v.written()))
	}
	return o
}

// locate falls back to the nearest path that was bound; the top table always is.
func (x index) locate(v *Violation) *Error {
	path := joinPath(v.Path, v.Key)
	e := &Error{Where: v.Path, Key: v.Key, Value: valueText(v.Value), Rule: v.Rule, err: v}
	for near := path; ; near = parentPath(near) {
		found := x[near]
		if found == nil && near != "" {
			continue
		}
		if found != nil {
			e.Pos, e.With = found.pos(), found.row.String()
			if near == path && found.source() != "" && v.Key != "" {
				e.Value = found.source()
			}
		}
		return e
	}
}

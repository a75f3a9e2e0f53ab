package schema

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Locate gives every [Violation] in err the position of its key in the file, or of the nearest table around it that the
// file has, and sorts the list. It knows the paths of the last [File.Bind]; where elements were merged they are those
// of the Go value, and where layers were bound, in the file that said it last. Other errors stay as they are, and so do
// those that have a place already, which may be in a file that this one does not know.
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

// Bound tells whether the last [File.Bind] found a value for a path of the Go value, as in robot[0].sensor[1].level.
func (f *File) Bound(path string) bool { return f.Root().bound.index[path] != nil }

// Own tells whether the value that the last [File.Bind] found for such a path stands in this very file, in no layer
// below it.
func (f *File) Own(path string) bool {
	v := f.Root().bound.index[path]
	return v != nil && v.text == f.text
}

// Origin is where a value came from. Its zero value is that of a default.
type Origin struct {
	Pos
	Template     string // of which the value was made, with the values of its names, as in "{x}", x = -10.5
	Distribution string // from which it was drawn, as the file has it
	Draws               // with which it was
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

// Origin says where the value came from that the last [File.Bind] found for a path of the Go value, or the name that
// stands for the table around it.
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
		if near == path || of.text == v.text && of.start <= v.start && v.end <= of.end { // no layer above it gave v
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

// locate falls back to the nearest path that was bound; the top table always was.
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

package schema

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Locate gives every [Violation] in err the position of its key in the file, or of the nearest table around it that
// the file has, and sorts the list. It knows the paths of the last [File.Bind]; where elements were merged they are
// those of the Go value, and where layers were bound, in the file that said it last. Other errors stay as they are, and so do
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

// Own tells whether the value that the last [File.Bind] found for such a path stands in this very file, in no layer below it.
func (f *File) Own(path string) bool {
	v := f.Root().bound.index[path]
	return v != nil && v.text == f.text
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

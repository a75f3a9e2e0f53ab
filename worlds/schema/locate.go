package schema

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Locate gives every [Violation] in err the position of its key in the file. If the file does not have the key, it
// gives the position of the nearest table around the key. Locate returns the errors sorted by position. It uses the
// paths of the last [File.Bind]. Where elements were merged, these are the paths of the Go value. Where layers were
// bound, the position is in the file that gave the value last. All other errors, and errors that already have a
// position, stay unchanged.
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

// Own reports whether the value at a path comes from this file, and not from a file over which it was bound.
func (f *File) Own(path string) bool {
	v := f.Root().bound.index[path]
	return v != nil && v.text == f.text
}

// Origin says where a value comes from. The zero Origin stands for a default.
type Origin struct {
	Pos
	// template that made the value, followed by the values of the names in it, as in "{x}", x = -10.5
	Template     string
	Distribution string // distribution from which the value was drawn, as the file has it
	Draws               // random draws of that distribution
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

// Origin returns the origin of the value that the last [File.Bind] found at a path of the Go value. If the file has a
// name in place of the table around the value, Origin returns the origin of the name.
func (f *File) Origin(path string) (o Origin) {
	index := f.Root().bound.index
	v := index[path]
	for near := path; v == nil && near != ""; v = index[near] {
		near = parentPath(near)
	}
	if v == nil || v != index[path] && v.kind >= kindArray {
		return o // the table does not have the key
	}
	o.Pos = v.pos()
	for near := path; near != ""; near = parentPath(near) {
		around := index[near]
		if around == nil || around.of == nil {
			continue
		}
		of := around.of
		// v does not come from a layer above
		if near == path || of.text == v.text && of.start <= v.start && v.end <= of.end {
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

// locate returns the violation with its position. If its path was not bound, locate uses the nearest path above it that
// was. The top table is always bound.
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

// joinPath returns the path a followed by the path b.
func joinPath(a, b string) string {
	if a == "" || b == "" || b[0] == '[' {
		return a + b
	}
	return a + "." + b
}

// KeyText returns a key in the form in which the Path and Key of a [Violation] have it.
func KeyText(key string) string { return keyText(key) }

// keyText returns a key in the form in which a path has it. The key is bare if TOML allows that. Otherwise it is quoted
// and shortened.
func keyText(key string) string {
	bare := key != "" && len(key) <= 60
	for i := 0; bare && i < len(key); i++ {
		c := key[i]
		bare = isLetter(c) || isDigit(c) || c == '_' || c == '-'
	}
	if bare {
		return key
	}
	return shorten(strconv.Quote(key))
}

func elemKey(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// parentPath returns a path without its last key or index.
func parentPath(path string) string {
	cut, quoted := 0, false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '.' || c == '['):
			cut = i
		}
	}
	return path[:cut]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// Replace returns the file's text in which the values of some keys are replaced. values holds the new values as TOML,
// by their keys. The keys must be in the file's top table, with their values on the same line.
func (f *File) Replace(values map[string]string) []byte {
	keys := slices.SortedFunc(maps.Keys(values),
		func(a, b string) int { return int(f.root.table[a].start - f.root.table[b].start) })
	var text bytes.Buffer
	end := int32(0)
	for _, key := range keys {
		v := f.root.table[key]
		text.Write(f.data[end:v.start])
		text.WriteString(values[key])
		end = v.end
	}
	text.Write(f.data[end:])
	return text.Bytes()
}

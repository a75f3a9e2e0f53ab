package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Pos is a position in a file. Line and Col count from 1, and Col counts characters. Line is 0 if only the file is
// known.
type Pos struct {
	File      string
	Line, Col int
}

func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Error is a rule that a file breaks, in the form `file:line:col: where: key = value: rule (i = 3)`. Where is the path
// of the table that contains the key, and Value is the value's text in the file. Parts that are empty are left out.
type Error struct {
	Pos
	Where, Key, Value, Rule string
	// values of the surrounding for_each for which the error occurs, such as i = 3
	With string
	err  error
}

func (e *Error) Error() string {
	assignment := e.Key
	if e.Key != "" && e.Value != "" {
		assignment += " = " + e.Value
	}
	text := joinText(": ", e.Pos.String(), e.Where, assignment, e.Rule)
	if e.With != "" {
		text += " (" + e.With + ")"
	}
	return text
}

// Given returns the error with an additional value of a for_each for which the error occurs.
func (e *Error) Given(value string) *Error {
	given := *e
	given.With = joinText(", ", e.With, value)
	return &given
}

// Unwrap returns the error that a [Binder] returned. It returns nil if there is no such error.
func (e *Error) Unwrap() error { return e.err }

// Violation is a rule that a Go value breaks, in the form `path.key = value: rule`. Path and Key use the keys of the
// file, as in robot[0].sensor[1]. Value is in the key's unit; it is nil if there is no value to show. Key is empty if
// the rule concerns the whole table. [File.Locate] adds the position in the file.
type Violation struct {
	Path, Key string
	Value     any
	Rule      string
	err       error
}

func (v *Violation) Error() string {
	assignment := joinPath(v.Path, v.Key)
	if text := valueText(v.Value); text != "" && assignment != "" {
		assignment += " = " + text
	}
	return joinText(": ", assignment, v.Rule)
}

// Below returns the violation with the given path in front of its own path.
func (v *Violation) Below(path string) *Violation {
	below := *v
	below.Path = joinPath(path, v.Path)
	return &below
}

// Unwrap returns the error of a nested Validate. It returns nil if there is no such error.
func (v *Violation) Unwrap() error { return v.err }

// Flatten returns the single errors inside err, which may consist of nested [errors.Join]s. The errors are sorted by
// file, line and column. Errors without a position come last, in their original order.
func Flatten(err error) []error {
	list := rules.Split(err)
	slices.SortStableFunc(list, func(a, b error) int {
		p, q := posOf(a), posOf(b)
		if known := cmp.Compare(min(q.Line, 1), min(p.Line, 1)); known != 0 {
			return known
		}
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return list
}

// WithoutRepeats removes from a sorted list each [Error] that repeats an earlier one about the same place. An error
// repeats another one if it concerns another robot with the same keys, or other values of for_each. The repetitions for
// values of for_each are counted.
func WithoutRepeats(list []error) (fewer []error) {
	type place struct {
		Pos
		key, value, rule string
	}
	said, more := map[place]*Error{}, map[*Error]int{}
	for _, err := range list {
		e, ok := err.(*Error)
		if !ok || e.Line == 0 {
			fewer = append(fewer, err)
			continue
		}
		at := place{e.Pos, e.Key, e.Value, e.Rule}
		if e.With != "" {
			at.value = ""
		}
		if first := said[at]; first == nil {
			again := *e
			said[at] = &again
			fewer = append(fewer, &again)
		} else if e.With != "" {
			more[first]++
		}
	}
	for e, n := range more {
		e.With += fmt.Sprintf(" and %d more", n)
	}
	return fewer
}

func posOf(err error) Pos {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Pos
	}
	return Pos{}
}

// valueText returns a Go value as a file would have it. Numbers have 12 digits, because a change of unit preserves
// these.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return shorten(strconv.Quote(v))
	case float64:
		text := strings.ToLower(strconv.FormatFloat(v, 'g', 12, 64))
		return strings.TrimPrefix(text, "+")
	default:
		return shorten(fmt.Sprint(v))
	}
}

// shorten returns a text as a single line of at most 60 characters.
func shorten(s string) string {
	const most = 60
	if len(s) > 8*most {
		s = strings.ToValidUTF8(s[:8*most], "")
	}
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		r = append(r[:most-1], '…')
	}
	return string(r)
}

func joinText(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), sep)
}

// collector collects errors. It keeps up to maxErrors errors, and only counts the others.
type collector struct {
	list    []error
	dropped int
}

func (c *collector) add(err error) {
	if c.room() {
		c.list = append(c.list, err)
	}
}

// room reports whether another error will be kept. If not, it counts the error. Callers call room before they compute a
// position, because that is slow.
func (c *collector) room() bool {
	if len(c.list) < maxErrors {
		return true
	}
	c.dropped++
	return false
}

// join returns the errors joined and sorted by position. It returns nil if there are none.
func (c *collector) join() error {
	list := Flatten(errors.Join(c.list...))
	if c.dropped > 0 {
		file := posOf(list[len(list)-1]).File
		list = append(list, &Error{Pos: Pos{File: file}, Rule: fmt.Sprintf("and %d more errors", c.dropped)})
	}
	return errors.Join(list...)
}

// Failed holds the paths of keys that have errors, with the value true, and the paths of the tables around these keys,
// with the value false. With it, checks of the rest of a file report no error twice, and no errors that only follow
// from other errors.
type Failed map[string]bool

// FailedIn returns the paths of all [Error]s inside err.
func FailedIn(err error) Failed {
	f := Failed{}
	for _, e := range rules.Split(err) {
		if e, ok := errors.AsType[*Error](e); ok {
			f.Add(joinPath(e.Where, e.Key))
		}
	}
	return f
}

// Add records that the key at a path failed. The path "" stands for the whole file.
func (f Failed) Add(path string) {
	f[path] = true
	for path != "" {
		path = parentPath(path)
		f[path] = f[path]
	}
}

// At reports whether the key at a path failed, or a table around the key.
func (f Failed) At(path string) bool {
	for !f[path] {
		if path == "" {
			return false
		}
		path = parentPath(path)
	}
	return true
}

// Touches reports whether anything failed at a path, in a table around it, or below it.
func (f Failed) Touches(path string) bool {
	_, below := f[path]
	return below || f.At(path)
}

// Without removes from err each [Error] that concerns a failed key.
func (f Failed) Without(err error) error {
	var rest []error
	for _, e := range rules.Split(err) {
		if placed, ok := errors.AsType[*Error](e); !ok || !f.At(joinPath(placed.Where, placed.Key)) {
			rest = append(rest, e)
		}
	}
	return errors.Join(rest...)
}

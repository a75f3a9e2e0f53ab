package schema

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	kindString kind = iota
	kindInteger
	kindFloat
	kindBool
	kindDate
	kindArray
	kindTable
)

// value is a node of the parsed file. Its positions are byte offsets. Lines and columns are computed only for messages.
type value struct {
	text  *text
	kind  kind
	depth uint8
	// A table or an array is closed if it was written in full, by a [header] or a literal. It must not be written
	// again.
	closed     bool
	at         int32  // byte offset of the key, the header, or the element
	start, end int32  // byte offsets of the source of the value; the source is empty for tables with headers
	str        string // text of a single value; strings are without quotes
	elems      []*value
	keys       []string // keys of a table, in the order of the file
	table      map[string]*value
	row        *row   // row of the for_each that made the value, or nil
	filled     bool   // whether a template or a random draw made the value
	name       *value // value of the name that was replaced by this one, or nil
	of         *value // distribution that gave the value, or nil
	shared     string // address of random numbers that all uses of a name of vars share, or ""
}

func (v *value) pos() Pos { return v.text.pos(int(v.at)) }

// source returns the source of the value as one short line. For a single value that a template or a random draw has
// made, it returns the text that a file would have in its place.
func (v *value) source() string {
	switch {
	case v.filled && v.of != nil && v.kind < kindArray:
		return joinText(" of ", v.str, v.of.source())
	case v.filled && v.kind == kindString:
		return valueText(v.str)
	case v.filled && v.kind < kindArray:
		return v.str
	}
	if v.name != nil {
		return v.name.source()
	}
	return v.written()
}

// written returns, as one short line, the text that the file has for the value. The text may be a template.
func (v *value) written() string { return shorten(string(v.text.data[v.start:v.end])) }

// integer returns the nearest 64-bit integer. The bool result is false if the value is not an integer; see also
// overflow.
func (v *value) integer() (int64, bool) {
	if v.kind != kindInteger {
		return 0, false
	}
	n, err := v.parseInt()
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

func (v *value) parseInt() (int64, error) {
	return strconv.ParseInt(strings.ReplaceAll(v.str, "_", ""), 0, 64)
}

func (v *value) parseFloat() (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(v.str, "_", ""), 64)
}

// overflow returns the rule that a number breaks if it is too large for 64 bits. It returns "" for any other value.
func (v *value) overflow() string {
	switch v.kind {
	case kindInteger:
		if _, err := v.parseInt(); errors.Is(err, strconv.ErrRange) {
			return "must lie in [-2^63, 2^63-1], as all integers of TOML"
		}
	case kindFloat:
		if _, err := v.parseFloat(); errors.Is(err, strconv.ErrRange) {
			return "must lie in [-1.797e308, 1.797e308]"
		}
	}
	return ""
}

// number returns the value of a number. In place of an integer beyond 64 bits it returns the nearest 64-bit integer. In
// place of a float beyond 64 bits it returns an infinity; see overflow. The bool result is false if the value is not a
// number.
func (v *value) number() (float64, bool) {
	if n, ok := v.integer(); ok {
		return float64(n), true
	}
	if v.kind != kindFloat {
		return 0, false
	}
	x, err := v.parseFloat()
	if math.IsNaN(x) {
		return math.NaN(), true
	}
	return x, err == nil || errors.Is(err, strconv.ErrRange)
}

// native returns the value as plain Go: bool, int64, float64, string, []any or map[string]any. A date is returned as
// its text.
func (v *value) native() any {
	switch v.kind {
	case kindInteger:
		n, _ := v.integer()
		return n
	case kindFloat:
		x, _ := v.number()
		return x
	case kindBool:
		return v.str == "true"
	case kindArray:
		list := make([]any, len(v.elems))
		for i, e := range v.elems {
			list[i] = e.native()
		}
		return list
	case kindTable:
		table := make(map[string]any, len(v.keys))
		for key, child := range v.table {
			table[key] = child.native()
		}
		return table
	}
	return v.str
}

// File is a parsed TOML file with the positions of its keys.
type File struct {
	// Context is set by the caller, for a [Binder] that needs more than its node: see [Node.Context].
	Context any

	*text
	root      *value
	expansion *expansion // result of Expand; nil before Expand is called
	draws     *draws
	bound     *bound // data of the last binding
}

// text is the text of a file. Nothing changes the text.
type text struct {
	name   string
	data   []byte
	places []Pos // of a text that was made from a file: the position in that file of each line
}

// Another returns a file with the same text. Both files may be bound concurrently. They share their tables, which never
// change.
func (f *File) Another(context any) *File {
	return &File{Context: context, text: f.text, root: f.root, expansion: f.expansion}
}

// bound is the data that the nodes of one binding share.
type bound struct {
	index   index
	context any
	draws   *draws // nil if distributions are not to be drawn
	values  int    // number of values that were bound
}

// index maps each path of the Go value to the value of the file that was bound to it last.
type index map[string]*value

func (t *text) pos(offset int) Pos {
	for back := 0; back < 3 && offset > 0 && offset < len(t.data) && !utf8.RuneStart(t.data[offset]); back++ {
		offset-- // the decoder's offset may be in the middle of a character
	}
	before := t.data[:offset]
	if t.places != nil {
		return t.places[min(bytes.Count(before, []byte("\n")), len(t.places)-1)]
	}
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return Pos{File: t.name, Line: bytes.Count(before, []byte("\n")) + 1, Col: utf8.RuneCount(line) + 1}
}

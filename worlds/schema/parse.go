package schema

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Limits of a file, far above those of any world that a person writes. They limit time and memory for hostile input.
// The time that the decoder takes to find duplicates is quadratic in the number of keys in a table.
const (
	MaxBytes  = 1 << 20
	maxDepth  = 32
	maxTables = 20_000
	maxKeys   = 5_000
	maxMarks  = 50_000
	maxErrors = 100
)

// marks are the characters that the parser counts to limit the size of a file. Each value, and each part of a key, has
// at least one of them.
const marks = ",.="

// Parse reads TOML. [File.Bind] reports numbers that do not fit into 64 bits. Parse fails for wrong syntax and for
// duplicate definitions. It also fails for files over 1 MiB, 32 levels, 20,000 tables, 5,000 keys in a table, or 50,000
// of the characters marks. The filename is for messages only. data must not change afterwards.
func Parse(filename string, data []byte) (*File, error) { return ParseMade(filename, data, nil) }

// ParseMade is like Parse, for a text that was made from a file of another format. places has, for each line of the
// text, the position in that file from which the line comes. Messages give these positions.
func ParseMade(filename string, data []byte, places []Pos) (*File, error) {
	f := &File{text: &text{filename, bytes.TrimPrefix(data, []byte("\ufeff")), places}}
	if len(data) > MaxBytes {
		return nil, &Error{Pos: Pos{File: filename}, Rule: fmt.Sprintf("%d bytes: must be at most 1 MiB", len(data))}
	}
	n := 0
	for _, mark := range []byte(marks) {
		n += bytes.Count(data, []byte{mark})
	}
	if n > maxMarks {
		return nil, &Error{Pos: Pos{File: filename}, Rule: fmt.Sprintf("%d of the characters %s: must be at most %d", n,
			marks, maxMarks)}
	}
	b := &builder{file: f}
	f.root = b.newTable(0, 0)
	b.current = f.root
	var p unstable.Parser
	p.Reset(f.data)
	for !b.stopped && p.NextExpression() {
		b.expression(p.Expression())
	}
	if b.errs.list != nil {
		return nil, b.errs.join()
	}
	// The decoder checks the syntax, and the rules of TOML that the builder does not check.
	var all map[string]any
	if err := toml.Unmarshal(b.small(), &all); err != nil {
		return nil, f.syntaxError(err)
	}
	return f, nil
}

// small returns the text of the file with 0 in place of each number that does not fit into 64 bits. The decoder would
// report only the first of these numbers.
func (b *builder) small() []byte {
	if b.large == nil {
		return b.file.data
	}
	data := bytes.Clone(b.file.data)
	for _, v := range b.large {
		copy(data[v.start:v.end], "0"+strings.Repeat(" ", int(v.end-v.start)-1))
	}
	return data
}

func (f *File) syntaxError(err error) error {
	e := &Error{Pos: Pos{File: f.name}, Rule: strings.TrimPrefix(err.Error(), "toml: "), err: err}
	if decode, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := decode.Position()
		offset := 0
		for ; line > 1; line-- {
			offset += bytes.IndexByte(f.data[offset:], '\n') + 1
		}
		e.Pos = f.pos(min(offset+column-1, len(f.data)))
	}
	return e
}

// builder builds the tree of values from the expressions that the parser delivers.
type builder struct {
	file    *File
	current *value // table to which key-value pairs are added
	tables  int
	large   []*value // numbers that do not fit into 64 bits; binding reports these numbers
	stopped bool
	errs    collector
}

// segment is one part of a dotted key.
type segment struct {
	name    string
	at, end int
}

func segments(n *unstable.Node) (list []segment) {
	for it := n.Key(); it.Next(); {
		k := it.Node()
		list = append(list, segment{string(k.Data), int(k.Raw.Offset), int(k.Raw.Offset + k.Raw.Length)})
	}
	return list
}

func (b *builder) expression(n *unstable.Node) {
	switch n.Kind {
	case unstable.KeyValue:
		b.addKeyValue(b.current, n)
	case unstable.Table, unstable.ArrayTable:
		keys := segments(n)
		header := bytes.LastIndexByte(b.file.data[:keys[0].at], '[')
		b.current = b.parent(b.file.root, keys, true)
		if last := keys[len(keys)-1]; n.Kind == unstable.Table {
			b.current = b.openTable(b.current, last, header)
		} else {
			b.current = b.openElement(b.current, last, header-1)
		}
	}
}

// openTable adds the table of a header [a.b]. If the header of a table inside it has already implied the table,
// openTable marks the table as written.
func (b *builder) openTable(in *value, key segment, header int) *value {
	table := in.table[key.name]
	switch {
	case table == nil:
		table = b.newTable(header, in.depth+1)
		b.add(in, key.name, table)
	case table.kind != kindTable || table.closed:
		b.twice(header, key.name, table)
		table = b.newTable(header, in.depth+1)
	}
	table.at, table.closed = int32(header), true
	return table
}

// openElement adds the next table of a header [[a.b]].
func (b *builder) openElement(in *value, key segment, header int) *value {
	array := in.table[key.name]
	elem := b.newTable(header, in.depth+2)
	elem.closed = true
	switch {
	case array == nil:
		array = &value{text: b.file.text, kind: kindArray, depth: in.depth + 1, at: int32(header)}
		b.add(in, key.name, array)
	case array.kind != kindArray || array.closed:
		b.twice(header, key.name, array)
		return elem
	}
	array.elems = append(array.elems, elem)
	return elem
}

// addKeyValue adds a key-value pair to a table. The key may be dotted.
func (b *builder) addKeyValue(in *value, n *unstable.Node) {
	keys := segments(n)
	last := keys[len(keys)-1]
	in = b.parent(in, keys, false)
	equals := last.end + bytes.IndexByte(b.file.data[last.end:], '=')
	v := b.literal(n.Value(), b.skip(equals+1), in.depth+1)
	v.at = int32(last.at)
	if old := in.table[last.name]; old != nil {
		b.twice(last.at, last.name, old)
		return
	}
	b.add(in, last.name, v)
}

// parent follows all keys except the last, and adds the tables that are missing. It returns the table for the last key.
func (b *builder) parent(in *value, keys []segment, header bool) *value {
	for _, key := range keys[:len(keys)-1] {
		if b.stopped {
			return in
		}
		child := in.table[key.name]
		if header && child != nil && child.kind == kindArray && !child.closed {
			child = child.elems[len(child.elems)-1]
		}
		if child == nil || child.kind != kindTable {
			table := b.newTable(key.at, in.depth+1)
			if child != nil {
				b.twice(key.at, key.name, child)
			} else {
				b.add(in, key.name, table)
			}
			child = table
		}
		in = child
	}
	return in
}

// literal reads the value whose source starts at the offset start. The parser gives no positions for arrays, so literal
// finds out the positions itself.
func (b *builder) literal(n *unstable.Node, start int, depth uint8) *value {
	v := &value{text: b.file.text, depth: depth, closed: true, at: int32(start), start: int32(start)}
	cursor := start + 1
	switch n.Kind {
	case unstable.Array:
		v.kind = kindArray
	case unstable.InlineTable:
		v = b.newTable(start, depth)
		v.start, v.closed = int32(start), true
	default:
		v.kind, v.str = scalarKinds[n.Kind], string(n.Data)
		v.start, v.end = int32(n.Raw.Offset), int32(n.Raw.Offset+n.Raw.Length)
		if v.overflow() != "" {
			b.large = append(b.large, v)
		}
		return v
	}
	b.limit(depth > maxDepth, start, maxDepth, "be nested at most %d levels deep")
	for it := n.Children(); !b.stopped && it.Next(); {
		if child := it.Node(); v.kind == kindTable {
			b.addKeyValue(v, child)
			cursor = int(child.Raw.Offset + child.Raw.Length)
		} else {
			elem := b.literal(child, b.skip(cursor), depth+1)
			v.elems = append(v.elems, elem)
			cursor = int(elem.end)
		}
	}
	v.end = int32(min(b.skip(cursor)+1, len(b.file.data)))
	return v
}

var scalarKinds = map[unstable.Kind]kind{
	unstable.String: kindString, unstable.Bool: kindBool, unstable.Integer: kindInteger, unstable.Float: kindFloat,
	unstable.LocalDate: kindDate, unstable.LocalTime: kindDate, unstable.LocalDateTime: kindDate,
	unstable.DateTime: kindDate,
}

// skip returns the offset after white space, commas and comments.
func (b *builder) skip(offset int) int {
	for data := b.file.data; offset < len(data); offset++ {
		switch data[offset] {
		case ' ', '\t', '\r', '\n', ',':
		case '#':
			for offset < len(data) && data[offset] != '\n' {
				offset++
			}
		default:
			return offset
		}
	}
	return offset
}

func (b *builder) newTable(at int, depth uint8) *value {
	b.tables++
	b.limit(b.tables > maxTables, at, maxTables, "hold at most %d tables")
	b.limit(depth > maxDepth, at, maxDepth, "be nested at most %d levels deep")
	return &value{text: b.file.text, kind: kindTable, depth: depth, at: int32(at)}
}

func (b *builder) add(in *value, key string, child *value) {
	if in.table == nil {
		in.table = map[string]*value{}
	}
	in.keys = append(in.keys, key)
	in.table[key] = child
	b.limit(len(in.keys) > maxKeys, int(child.at), maxKeys, "hold at most %d keys in a table")
}

// limit ends parsing if a limit is broken.
func (b *builder) limit(broken bool, at, most int, must string) {
	if broken && !b.stopped {
		b.stopped = true
		b.errs.add(&Error{Pos: b.file.pos(at), Rule: "must " + fmt.Sprintf(must, most)})
	}
}

func (b *builder) twice(at int, key string, old *value) {
	if !b.errs.room() {
		return
	}
	rule := fmt.Sprintf("already defined in line %d", old.pos().Line)
	b.errs.add(&Error{Pos: b.file.pos(at), Key: keyText(key), Rule: rule})
}

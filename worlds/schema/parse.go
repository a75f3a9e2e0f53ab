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

// marks are the characters that the parser counts. Each value, and each part of a key, has at least one of them.
const marks = ",.="

// Parse reads TOML. [File.Bind] reports numbers that do not fit into 64 bits. Parse fails for wrong syntax, duplicate
// definitions, and files over 1 MiB, 32 levels, 20,000 tables, 5,000 keys in a table, or 50,000 of the characters that
// values and keys consist of. The filename is for messages only. data must not change afterwards.
func Parse(filename string, data []byte) (*File, error) {
	f := &File{text: &text{filename, bytes.TrimPrefix(data, []byte("\ufeff"))}}
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
	// The decoder checks syntax, and those rules of TOML that the builder does not.
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

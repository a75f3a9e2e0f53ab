package mapping

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// compiler collects what is wrong.
type compiler[S any] struct {
	cfg  Config[S]
	errs []error
}

func (c *compiler[S]) fail(path, key string, value any, format string, args ...any) {
	if _, table := value.(map[string]any); table {
		value = nil
	}
	c.errs = append(c.errs, &schema.Violation{Path: path, Key: key, Value: value, Rule: fmt.Sprintf(format, args...)})
}

// unknown says that there is no such word, and which there are.
func (c *compiler[S]) unknown(path, key, word, kind string, known []string) {
	if near := schema.Nearest(word, known); near != "" {
		c.fail(path, key, word, "is no %s here; did you mean %q?", kind, near)
		return
	}
	c.fail(path, key, word, "is no %s here; there are %s", kind, strings.Join(known, ", "))
}

// message compiles the fields of one message. A blob at the end of the outermost becomes its tail.
func (c *compiler[S]) message(def *msg.Definition, m map[string]any, words Words[S], path string, outer bool) (parts []writer[S], tail func(S) []byte) {
	for _, key := range sortedKeys(m) {
		if key != "each" && !slices.ContainsFunc(def.Fields, func(f msg.Field) bool { return f.Name == key }) {
			c.fail(path, key, nil, "%s has no such field%s", def.Name, fields(def, key))
		}
	}
	for i, f := range def.Fields {
		v, given := m[f.Name]
		if outer && i == len(def.Fields)-1 && f.Base == "uint8" && f.Len == msg.Variable {
			if word, ok := v.(string); ok && words.Blobs[word] != nil {
				tail = words.Blobs[word]
				parts = append(parts, func(b []byte, s S) []byte { return le.AppendUint32(b, uint32(len(tail(s)))) })
				continue
			}
		}
		switch {
		case !given && f.Base == "std_msgs/Header" && f.Len == msg.NoArray:
			v = map[string]any{"stamp": c.cfg.Stamp, "frame_id": c.cfg.Frame}
		case !given:
			parts = append(parts, constant[S](zero(def, f)))
			continue
		}
		parts = append(parts, c.field(def, f, v, words, path))
	}
	return parts, tail
}

// fields says which fields are like a name that there is not.
func fields(def *msg.Definition, name string) string {
	var all []string
	for _, f := range def.Fields {
		all = append(all, f.Name)
	}
	if near := schema.Nearest(name, all); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return "; it has " + strings.Join(all, ", ")
}

// field compiles one field, or says what is wrong with it.
func (c *compiler[S]) field(def *msg.Definition, f msg.Field, v any, words Words[S], path string) writer[S] {
	if f.Len == msg.NoArray {
		return c.value(def, f, v, words, path, f.Name)
	}
	if list, ok := v.([]any); ok {
		return c.elements(def, f, list, words, path)
	}
	table, _ := v.(map[string]any)
	if each, ok := table["each"].(string); ok && f.Len == msg.Variable {
		return c.each(def, f, each, table, words, path)
	}
	if word, ok := v.(string); ok {
		if w := c.vector(f, word, words, path); w != nil {
			return w
		}
		return nothing[S]
	}
	c.fail(path, f.Name, v, "must be a list, a word of several numbers, or each = \"…\" for %s", f.Type())
	return nothing[S]
}

// elements compiles an array that is spelt out.
func (c *compiler[S]) elements(def *msg.Definition, f msg.Field, list []any, words Words[S], path string) writer[S] {
	if f.Len >= 0 && len(list) != f.Len {
		c.fail(path, f.Name, nil, "has %d elements: must have %d", len(list), f.Len)
		return nothing[S]
	}
	var parts []writer[S]
	if f.Len == msg.Variable {
		parts = append(parts, constant[S](le.AppendUint32(nil, uint32(len(list)))))
	}
	for i, v := range list {
		parts = append(parts, c.value(def, f, v, words, path, fmt.Sprintf("%s[%d]", f.Name, i)))
	}
	return sequence(parts)
}

// each compiles an array with an element for every member of a list.
func (c *compiler[S]) each(def *msg.Definition, f msg.Field, each string, table map[string]any, words Words[S], path string) writer[S] {
	list, ok := words.Lists[each]
	if !ok {
		c.unknown(path+"."+f.Name, "each", each, "list", names(words.Lists))
		return nothing[S]
	}
	var v any = table
	if inner, ok := table["is"]; ok && def.Nested(f.Base) == nil { // of an array of plain values
		v = inner
	}
	elem := c.value(def, f, v, words.With(list.Words), path, f.Name)
	return func(b []byte, s S) []byte {
		n := list.Len(s)
		b = le.AppendUint32(b, uint32(n))
		for i := range n {
			list.Enter(s, i)
			b = elem(b, s)
		}
		return b
	}
}

// vector compiles an array of numbers, or of bytes, from one word.
func (c *compiler[S]) vector(f msg.Field, word string, words Words[S], path string) writer[S] {
	if blob := words.Blobs[word]; blob != nil && f.Base == "uint8" && f.Len == msg.Variable {
		return func(b []byte, s S) []byte {
			data := blob(s)
			return append(le.AppendUint32(b, uint32(len(data))), data...)
		}
	}
	v, ok := words.Vectors[word]
	put := number(f.Base)
	if !ok || put == nil {
		c.unknown(path, f.Name, word, "word of several numbers", names(words.Vectors))
		return nil
	}
	scale, fixed := c.cfg.Units.Scale(v.Dim), f.Len
	return func(b []byte, s S) []byte {
		n := v.Len(s)
		if fixed < 0 {
			b = le.AppendUint32(b, uint32(n))
		} else {
			n = min(n, fixed)
		}
		for i := range n {
			b = put(b, v.At(s, i)*scale)
		}
		for i := n; i < fixed; i++ {
			b = put(b, 0)
		}
		return b
	}
}

// value compiles one value that is no array.
func (c *compiler[S]) value(def *msg.Definition, f msg.Field, v any, words Words[S], path, key string) writer[S] {
	if nested := def.Nested(f.Base); nested != nil {
		table, ok := v.(map[string]any)
		if !ok {
			c.fail(path, key, v, "must be a table of the fields of %s", f.Base)
			return nothing[S]
		}
		parts, _ := c.message(nested, table, words, path+"."+key, false)
		return sequence(parts)
	}
	switch f.Base {
	case "string":
		return c.text(v, words, path, key)
	case "time", "duration":
		return c.time(v, words, path, key)
	}
	return c.number(f.Base, v, words, path, key)
}

func (c *compiler[S]) time(v any, words Words[S], path, key string) writer[S] {
	word, _ := v.(string)
	get := words.Times[word]
	if get == nil {
		c.unknown(path, key, word, "time", names(words.Times))
		return nothing[S]
	}
	return func(b []byte, s S) []byte { return appendTime(b, get(s)) }
}

// appendTime appends a time since 0, or a duration of either sign.
func appendTime(b []byte, d time.Duration) []byte {
	sec := d / time.Second
	if d%time.Second < 0 {
		sec--
	}
	return le.AppendUint32(le.AppendUint32(b, uint32(sec)), uint32(d-sec*time.Second))
}

func nothing[S any](b []byte, _ S) []byte { return b }

func constant[S any](data []byte) writer[S] {
	return func(b []byte, _ S) []byte { return append(b, data...) }
}

func sequence[S any](parts []writer[S]) writer[S] {
	return func(b []byte, s S) []byte {
		for _, w := range parts {
			b = w(b, s)
		}
		return b
	}
}

// zero is a field in which everything is zero and empty.
func zero(def *msg.Definition, f msg.Field) []byte {
	n := 1
	if f.Len == msg.Variable {
		return make([]byte, 4)
	} else if f.Len >= 0 {
		n = f.Len
	}
	one := msg.Size(f.Base)
	if nested := def.Nested(f.Base); nested != nil {
		one = nested.MinSize
	}
	return make([]byte, n*one)
}

package mapping

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// compiler compiles a part of a mapping, whose place is its path, and collects what is wrong with it.
type compiler struct {
	templateConfig
	errs  *[]error
	parts *sensors.OverlayParts // that the message is read from
}

// below compiles what stands below a key.
func (c compiler) below(key string) compiler {
	c.path += "." + key
	return c
}

func (c compiler) fail(key string, value any, format string, args ...any) {
	if _, table := value.(map[string]any); table {
		value = nil
	}
	*c.errs = append(*c.errs, &schema.Violation{Path: c.path, Key: key, Value: value, Rule: fmt.Sprintf(format,
		args...)})
}

// note takes note of a list or blob that is used.
func (c compiler) note(name string) {
	*c.parts |= c.known.Parts[name]
}

// unknown says that there is no such quantity, where else there is one, or which there are.
func (c compiler) unknown(key, name string, s sort) {
	if now, was := strings.CutPrefix(name, "turned."); was {
		c.fail(key, name, "is %q now, in a profile with turned = [\"magenta\"]", now)
		return
	}
	c.fail(key, name, "is no %s here%s", s.name, c.elsewhere(name, s))
}

// message compiles the fields of one message. A blob at the end of the outermost becomes its tail.
func (c compiler) message(def *msg.Definition, m map[string]any, outer bool) (parts []writer,
	tail func(*Context) []byte) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key != "each" && !slices.ContainsFunc(def.Fields, func(f msg.Field) bool { return f.Name == key }) {
			c.fail(key, nil, "%s has no such field%s", def.Name, fields(def, key))
		}
	}
	for i, f := range def.Fields {
		v, given := m[f.Name]
		if outer && i == len(def.Fields)-1 && f.Base == "uint8" && f.Len == msg.Variable {
			if name, ok := v.(string); ok && c.known.Blobs[name] != nil {
				c.note(name)
				tail = c.known.Blobs[name]
				parts = append(parts, func(b []byte, ctx *Context) []byte {
					return le.AppendUint32(b,
						uint32(len(tail(ctx))))
				})
				continue
			}
		}
		switch {
		case !given && f.Base == "std_msgs/Header" && f.Len == msg.NoArray:
			v = map[string]any{"stamp": "stamp", "frame_id": c.frame}
		case !given:
			parts = append(parts, constant(zero(def, f)))
			continue
		}
		parts = append(parts, c.field(def, f, v))
	}
	return parts, tail
}

// fields says which fields are like a name that there is not.
func fields(def *msg.Definition, name string) string {
	var all []string
	for _, f := range def.Fields {
		all = append(all, f.Name)
	}
	if near := rules.Nearest(name, all); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return "; it has " + strings.Join(all, ", ")
}

// field compiles one field, or says what is wrong with it.
func (c compiler) field(def *msg.Definition, f msg.Field, v any) writer {
	if f.Len == msg.NoArray {
		return c.value(def, f, v, f.Name)
	}
	if list, ok := v.([]any); ok {
		return c.elements(def, f, list)
	}
	table, _ := v.(map[string]any)
	if each, ok := table["each"].(string); ok && f.Len == msg.Variable {
		return c.each(def, f, each, table)
	}
	if name, ok := v.(string); ok {
		return c.vector(f, name)
	}
	c.fail(f.Name, v, "must be a list, a quantity of several numbers, or each = \"…\" for %s", f.Type())
	return nothing
}

// elements compiles an array that is spelt out; for { each = … } in it there is an element for every member of a list.
func (c compiler) elements(def *msg.Definition, f msg.Field, list []any) writer {
	if f.Len >= 0 && len(list) != f.Len {
		c.fail(f.Name, nil, "has %d elements: must have %d", len(list), f.Len)
		return nothing
	}
	var parts []counted
	for i, v := range list {
		key := fmt.Sprintf("%s[%d]", f.Name, i)
		if table, ok := v.(map[string]any); ok && f.Len == msg.Variable {
			if each, ok := table["each"].(string); ok {
				parts = append(parts, c.members(def, f, each, table, key))
				continue
			}
		}
		one := c.value(def, f, v, key)
		parts = append(parts, func(b []byte, ctx *Context) ([]byte, int) { return one(b, ctx), 1 })
	}
	if f.Len == msg.Variable {
		return array(parts...)
	}
	return func(b []byte, ctx *Context) []byte {
		for _, one := range parts {
			b, _ = one(b, ctx)
		}
		return b
	}
}

// each compiles an array with an element for every member of a list.
func (c compiler) each(def *msg.Definition, f msg.Field, each string, table map[string]any) writer {
	return array(c.members(def, f, each, table, f.Name))
}

// counted appends elements of an array, and says how many.
type counted func(b []byte, ctx *Context) ([]byte, int)

// members compiles the elements for all members of a list.
func (c compiler) members(def *msg.Definition, f msg.Field, each string, table map[string]any, key string) counted {
	list, ok := c.known.Lists[each]
	c.note(each)
	if !ok {
		c.below(key).unknown("each", each, lists)
		return func(b []byte, _ *Context) ([]byte, int) { return b, 0 }
	}
	var v any = table
	if inner, ok := table["is"]; ok && def.Nested(f.Base) == nil { // of an array of plain values
		v = inner
	}
	c.known = c.known.with(list.Members)
	elem := c.value(def, f, v, key)
	return func(b []byte, ctx *Context) ([]byte, int) {
		outer := ctx.at // of a list whose members have this one
		n := list.len(ctx)
		for ctx.at = range n {
			b = elem(b, ctx)
		}
		ctx.at = outer
		return b, n
	}
}

// array appends an array of variable length: the number of its elements first.
func array(parts ...counted) writer {
	return func(b []byte, ctx *Context) []byte {
		at, n := len(b), 0
		b = append(b, 0, 0, 0, 0)
		for _, elements := range parts {
			var more int
			b, more = elements(b, ctx)
			n += more
		}
		le.PutUint32(b[at:], uint32(n))
		return b
	}
}

// vector compiles an array of numbers, or of bytes, from one quantity.
func (c compiler) vector(f msg.Field, name string) writer {
	if blob := c.known.Blobs[name]; blob != nil && f.Base == "uint8" && f.Len == msg.Variable {
		c.note(name)
		return func(b []byte, ctx *Context) []byte {
			data := blob(ctx)
			return append(le.AppendUint32(b, uint32(len(data))), data...)
		}
	}
	v, ok := c.known.Vectors[name]
	put := appender(f.Base)
	if !ok || put == nil {
		kind := vectors
		if f.Base == "uint8" && f.Len == msg.Variable {
			kind = blobs
		}
		c.unknown(f.Name, name, kind)
		return nothing
	}
	scale, fixed := c.units.scale(v.dim), f.Len
	return func(b []byte, ctx *Context) []byte {
		values := v.get(ctx)
		if fixed < 0 {
			b = le.AppendUint32(b, uint32(len(values)))
		} else {
			values = values[:min(len(values), fixed)]
		}
		for _, x := range values {
			b = put(b, x*scale)
		}
		for range fixed - len(values) {
			b = put(b, 0)
		}
		return b
	}
}

// value compiles one value that is no array.
func (c compiler) value(def *msg.Definition, f msg.Field, v any, key string) writer {
	if nested := def.Nested(f.Base); nested != nil {
		table, ok := v.(map[string]any)
		if !ok {
			c.fail(key, v, "must be a table of the fields of %s", f.Base)
			return nothing
		}
		parts, _ := c.below(key).message(nested, table, false)
		return sequence(parts)
	}
	switch f.Base {
	case "string":
		return c.text(v, key)
	case "time", "duration":
		return c.time(v, key)
	}
	return c.number(f.Base, v, key)
}

func (c compiler) time(v any, key string) writer {
	name, _ := v.(string)
	get := c.known.Times[name]
	if get == nil {
		c.unknown(key, name, times)
		return nothing
	}
	return func(b []byte, ctx *Context) []byte { return appendTime(b, get(ctx)) }
}

// appendTime appends a time since 0, or a duration of either sign.
func appendTime(b []byte, d time.Duration) []byte {
	sec := d / time.Second
	if d%time.Second < 0 {
		sec--
	}
	return le.AppendUint32(le.AppendUint32(b, uint32(sec)), uint32(d-sec*time.Second))
}

func nothing(b []byte, _ *Context) []byte { return b }

func constant(data []byte) writer {
	return func(b []byte, _ *Context) []byte { return append(b, data...) }
}

func sequence(parts []writer) writer {
	return func(b []byte, ctx *Context) []byte {
		for _, w := range parts {
			b = w(b, ctx)
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

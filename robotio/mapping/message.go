package mapping

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// compiler compiles a part of a profile's table message, and collects the errors in that part.
type compiler struct {
	templateConfig
	encoding
	errs  *[]error
	needs *quantity.Needs
	team  *bool // whether the message reads quantity.TeamMessages
}

// below returns the compiler for the part of the table that is the value of a key.
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

// use records that the message reads the list or blob with the given name.
func (c compiler) use(name string) { c.needs.Add(c.known.Needs[name]) }

// unknown records the error that no quantity of a kind has the given name. The error suggests a similar name among the
// known names.
func (c compiler) unknown(key, name, kind string, known ...[]string) {
	if now, was := strings.CutPrefix(name, "turned."); was {
		c.fail(key, name, "is %q now, in a profile with turned = [\"magenta\"]", now)
		return
	}
	levels := ""
	if c.from.TakesImages() {
		levels = fmt.Sprintf(" at %v", abstraction.Levels(c.levels))
		if c.levels == nil {
			levels = " at all levels"
		}
	}
	c.fail(key, name, "is no %s here%s; %s", kind, levels, thereAre(slices.Concat(known...)))
}

// names returns the keys of a map of quantities, sorted.
func names[Q any](quantities map[string]Q) []string { return slices.Sorted(maps.Keys(quantities)) }

// message compiles the fields of a message. outer reports whether the message is the outermost message. Then a blob at
// its end becomes the tail of the template (see Template.Tail).
func (c compiler) message(def *msg.Definition, m map[string]any, outer bool) (parts []writer,
	tail func(*quantity.Context) []byte) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key != "each" && !slices.ContainsFunc(def.Fields, func(f msg.Field) bool { return c.names(key, f) }) {
			c.fail(key, nil, "%s has no such field; %s", def.Name, fieldHint(def, key))
		}
	}
	for i, f := range def.Fields {
		v, given := m[f.Name]
		if upper := strings.ToUpper(f.Name); !given && c.names(upper, f) {
			v, given = m[upper]
		}
		if outer && i == len(def.Fields)-1 && isBytes(f) {
			if name, ok := v.(string); ok && c.known.Blobs[name] != nil {
				c.use(name)
				tail = c.known.Blobs[name]
				parts = append(parts, func(b []byte, ctx *quantity.Context) []byte {
					return c.count(b, len(tail(ctx)))
				})
				continue
			}
		}
		switch {
		case !given && f.Base == "std_msgs/Header" && f.Len == msg.NoArray:
			v = map[string]any{"stamp": "stamp", "frame_id": c.frame}
		case !given:
			parts = append(parts, c.zero(def, f))
			continue
		}
		parts = append(parts, c.field(def, f, v))
	}
	return parts, tail
}

// names reports whether a key of the profile names a field. The fields of sensor_msgs/CameraInfo have capital letters
// in ROS 1 and small ones in ROS 2; profiles for both have capital letters.
func (c compiler) names(key string, f msg.Field) bool {
	return key == f.Name || c.cdr && len(key) == 1 && strings.ToLower(key) == f.Name
}

// fieldHint returns a hint for an error: the field of the definition that is similar to name, or a list of all fields.
func fieldHint(def *msg.Definition, name string) string {
	var all []string
	for _, f := range def.Fields {
		all = append(all, f.Name)
	}
	if near := rules.Nearest(name, all); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return thereAre(all)
}

// field compiles the value v of one field.
func (c compiler) field(def *msg.Definition, f msg.Field, v any) writer {
	if f.Len == msg.NoArray {
		return c.value(def, f, v, f.Name)
	}
	if list, ok := v.([]any); ok {
		return c.elements(def, f, list)
	}
	table, _ := v.(map[string]any)
	if each, ok := table["each"].(string); ok && f.Len == msg.Variable {
		return c.array(c.members(def, f, each, table, f.Name))
	}
	if name, ok := v.(string); ok {
		return c.vector(f, name)
	}
	c.fail(f.Name, v, "must be a list, a quantity of several numbers, or each = \"…\" for %s", f.Type())
	return nothing
}

// elements compiles an array whose elements the profile lists one by one. An element { each = … } stands for several
// elements: one for every member of a list of quantities.
func (c compiler) elements(def *msg.Definition, f msg.Field, list []any) writer {
	if f.Len >= 0 && len(list) != f.Len {
		c.fail(f.Name, nil, "has %d elements: must have %d", len(list), f.Len)
		return nothing
	}
	var parts []countedWriter
	for i, v := range list {
		key := fmt.Sprintf("%s[%d]", f.Name, i)
		if table, ok := v.(map[string]any); ok && f.Len == msg.Variable {
			if each, ok := table["each"].(string); ok {
				parts = append(parts, c.members(def, f, each, table, key))
				continue
			}
		}
		one := c.value(def, f, v, key)
		parts = append(parts, func(b []byte, ctx *quantity.Context) ([]byte, int) { return one(b, ctx), 1 })
	}
	if f.Len == msg.Variable {
		return c.array(parts...)
	}
	return func(b []byte, ctx *quantity.Context) []byte {
		for _, one := range parts {
			b, _ = one(b, ctx)
		}
		return b
	}
}

// countedWriter appends elements of an array to b. It returns the extended slice and the number of elements.
type countedWriter func(b []byte, ctx *quantity.Context) ([]byte, int)

// members compiles { each = "list", … }: the array has one element for every member of a list of quantities.
func (c compiler) members(def *msg.Definition, f msg.Field, each string, table map[string]any,
	key string) countedWriter {
	list, ok := c.known.Lists[each]
	c.use(each)
	*c.team = *c.team || each == quantity.TeamMessages
	if !ok {
		c.below(key).unknown("each", each, "list", names(c.known.Lists))
		return func(b []byte, _ *quantity.Context) ([]byte, int) { return b, 0 }
	}
	c.known = c.known.With(list.Members)
	var elems []writer
	if inner, ok := table["is"]; ok && def.Nested(f.Base) == nil { // the elements are not messages
		all, several := inner.([]any)
		if !several {
			all = []any{inner}
		}
		for _, v := range all {
			elems = append(elems, c.value(def, f, v, key))
		}
	} else {
		elems = []writer{c.value(def, f, table, key)}
	}
	elem := sequence(elems)
	return func(b []byte, ctx *quantity.Context) ([]byte, int) {
		outer := ctx.Member // the list may itself be a member of another list
		n := list.Len(ctx)
		for ctx.Member = range n {
			b = elem(b, ctx)
		}
		ctx.Member = outer
		return b, n * len(elems)
	}
}

// array returns the writer of an array of variable length. On the wire, the array begins with the number of its
// elements.
func (e encoding) array(parts ...countedWriter) writer {
	return func(b []byte, ctx *quantity.Context) []byte {
		b = e.count(b, 0)
		at, n := len(b)-4, 0
		for _, elements := range parts {
			var more int
			b, more = elements(b, ctx)
			n += more
		}
		le.PutUint32(b[at:], uint32(n))
		return b
	}
}

// isBytes reports whether a field is a list of bytes.
func isBytes(f msg.Field) bool {
	return (f.Base == "uint8" || f.Base == "int8") && f.Len == msg.Variable
}

// vector compiles an array of numbers or bytes whose value is one quantity.
func (c compiler) vector(f msg.Field, name string) writer {
	if blob := c.known.Blobs[name]; blob != nil && isBytes(f) {
		c.use(name)
		return func(b []byte, ctx *quantity.Context) []byte {
			data := blob(ctx)
			return append(c.count(b, len(data)), data...)
		}
	}
	v, ok := c.known.Vectors[name]
	put := c.appender(f.Base)
	if !ok || put == nil {
		if isBytes(f) {
			c.unknown(f.Name, name, "quantity of bytes or of several numbers", names(c.known.Blobs),
				names(c.known.Vectors))
		} else {
			c.unknown(f.Name, name, "quantity of several numbers", names(c.known.Vectors))
		}
		return nothing
	}
	scale, fixed := c.units.scale(v.Dim), f.Len
	return func(b []byte, ctx *quantity.Context) []byte {
		values := v.Get(ctx)
		if fixed < 0 {
			b = c.count(b, len(values))
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

// value compiles one value: a field that is not an array, or one element of an array.
func (c compiler) value(def *msg.Definition, f msg.Field, v any, key string) writer {
	nested := def.Nested(f.Base)
	if nested != nil && nested.Stamp() != "" {
		return c.time(v, key)
	}
	if nested != nil {
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
		c.unknown(key, name, "time", names(c.known.Times))
		return nothing
	}
	return func(b []byte, ctx *quantity.Context) []byte { return appendTime(c.align(b, 4), get(ctx)) }
}

// appendTime appends a time or a duration as seconds and nanoseconds; the nanoseconds are never negative.
func appendTime(b []byte, d time.Duration) []byte {
	sec := d / time.Second
	if d%time.Second < 0 {
		sec--
	}
	return le.AppendUint32(le.AppendUint32(b, uint32(sec)), uint32(d-sec*time.Second))
}

func nothing(b []byte, _ *quantity.Context) []byte { return b }

func constant(data []byte) writer {
	return func(b []byte, _ *quantity.Context) []byte { return append(b, data...) }
}

func sequence(parts []writer) writer {
	return func(b []byte, ctx *quantity.Context) []byte {
		for _, w := range parts {
			b = w(b, ctx)
		}
		return b
	}
}

// zero returns the bytes of a field whose value is zero or empty.
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

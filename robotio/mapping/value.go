package mapping

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// appender returns how a number is appended as a built-in, or nil for what is no number. Numbers are rounded to whole
// ones and end at the type's limits; NaN is 0 where there is none.
func appender(base string) func(b []byte, x float64) []byte {
	switch base {
	case "float64":
		return func(b []byte, x float64) []byte { return le.AppendUint64(b, math.Float64bits(x)) }
	case "float32":
		return func(b []byte, x float64) []byte { return le.AppendUint32(b, math.Float32bits(float32(x))) }
	case "bool":
		return func(b []byte, x float64) []byte { return append(b, byte(oneIf(x != 0))) }
	case "int8", "byte":
		return func(b []byte, x float64) []byte { return append(b, byte(int8(whole(x, math.MinInt8, math.MaxInt8)))) }
	case "uint8", "char":
		return func(b []byte, x float64) []byte { return append(b, byte(whole(x, 0, math.MaxUint8))) }
	case "int16":
		return func(b []byte, x float64) []byte {
			return le.AppendUint16(b, uint16(int16(whole(x, math.MinInt16, math.MaxInt16))))
		}
	case "uint16":
		return func(b []byte, x float64) []byte { return le.AppendUint16(b, uint16(whole(x, 0, math.MaxUint16))) }
	case "int32":
		return func(b []byte, x float64) []byte {
			return le.AppendUint32(b, uint32(int32(whole(x, math.MinInt32, math.MaxInt32))))
		}
	case "uint32":
		return func(b []byte, x float64) []byte { return le.AppendUint32(b, uint32(whole(x, 0, math.MaxUint32))) }
	case "int64":
		return func(b []byte, x float64) []byte { return le.AppendUint64(b, uint64(whole(x, -exact, exact))) }
	case "uint64":
		return func(b []byte, x float64) []byte { return le.AppendUint64(b, uint64(whole(x, 0, exact))) }
	}
	return nil
}

// exact is the largest whole number up to which a float64 holds all of them.
const exact = 1 << 53

func whole(x, least, most float64) int64 {
	if x != x {
		return 0
	}
	return int64(math.Round(min(max(x, least), most)))
}

// number compiles one number.
func (c compiler) number(base string, v any, key string) writer {
	put := appender(base)
	if x, ok := asNumber(v); ok {
		return constant(put(nil, x))
	}
	if table, ok := v.(map[string]any); ok {
		return c.choice(put, table, key)
	}
	name, _ := v.(string)
	q, ok := c.known.Numbers[name]
	if !ok {
		c.unknown(key, name, numbers)
		return nothing
	}
	scale, get := c.units.scale(q.dim), q.get
	if scale == 1 {
		return func(b []byte, ctx *Context) []byte { return put(b, get(ctx)) }
	}
	return func(b []byte, ctx *Context) []byte { return put(b, get(ctx)*scale) }
}

// choice compiles { of = "quantity", is = { value = number, … }, else = number }: a number for each value of a
// quantity.
func (c compiler) choice(put func([]byte, float64) []byte, table map[string]any, key string) writer {
	of, _ := table["of"].(string)
	is, _ := table["is"].(map[string]any)
	other, otherOK := asNumber(table["else"])
	_, hasElse := table["else"]
	if is == nil || hasElse != otherOK {
		c.fail(key, nil, `must be { of = "quantity", is = { value = number, … }, else = number }`)
		return nothing
	}
	byText := map[string]float64{}
	for value, x := range is {
		n, ok := asNumber(x)
		if !ok {
			c.below(key+".is").fail(value, x, "must be a number")
		}
		byText[value] = n
	}
	if text := c.known.Texts[of]; text != nil {
		return chosen(put, text, byText, other)
	}
	q, ok := c.known.Numbers[of]
	if !ok {
		c.below(key).unknown("of", of, numbersAndTexts)
		return nothing
	}
	byNumber := map[float64]float64{}
	for value, x := range byText {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			c.below(key+".is").fail(value, nil, "must be a number, as %s is", of)
		}
		byNumber[n] = x
	}
	return chosen(put, q.get, byNumber, other)
}

// chosen appends the number that belongs to a quantity's value, or the other one.
func chosen[K comparable](put func([]byte, float64) []byte, get func(*Context) K, numbers map[K]float64,
	other float64) writer {
	return func(b []byte, c *Context) []byte {
		if x, ok := numbers[get(c)]; ok {
			return put(b, x)
		}
		return put(b, other)
	}
}

// asNumber returns what TOML or Go says as a number; truth values are 0 and 1.
func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case bool:
		return oneIf(v), true
	}
	return 0, false
}

// text compiles a string.
func (c compiler) text(v any, key string) writer {
	pattern, ok := v.(string)
	if !ok {
		c.fail(key, v, "must be text, with quantities in {braces}")
		return nothing
	}
	fill, err := newPattern(pattern, c.known.Texts)
	if err != nil {
		c.fail(key, pattern, "%v", err)
		return nothing
	}
	return func(b []byte, ctx *Context) []byte {
		at := len(b)
		b = fill(append(b, 0, 0, 0, 0), ctx)
		le.PutUint32(b[at:], uint32(len(b)-at-4))
		return b
	}
}

// newPattern compiles text with quantities in braces, such as "{robot}/base_link".
func newPattern(pattern string, known map[string]func(*Context) string) (writer, error) {
	var parts []writer
	for rest := pattern; rest != ""; {
		before, after, open := strings.Cut(rest, "{")
		parts = append(parts, constant([]byte(before)))
		if !open {
			break
		}
		name, end, closed := strings.Cut(after, "}")
		get := known[name]
		if !closed {
			return nil, fmt.Errorf("{%s has no } at its end", name)
		}
		if get == nil {
			return nil, fmt.Errorf("{%s} is no text here%s", name, meantOrFew(name, slices.Sorted(maps.Keys(known))))
		}
		parts = append(parts, func(b []byte, c *Context) []byte { return append(b, get(c)...) })
		rest = end
	}
	return sequence(parts), nil
}

// accepted are the texts that a field of a message may have. The field itself fills nothing: what it would ask for with
// others is not done, and who sends them is told.
type accepted struct {
	slot  int // of the field
	texts []string
}

// accept has Read refuse messages in which a field has none of the texts that accepts has for it. It fails where a
// field is no text.
func (a *Actions) accept(def *msg.Definition, accepts map[string][]string) error {
	for _, field := range slices.Sorted(maps.Keys(accepts)) {
		if !isText(def, strings.Split(field, ".")) {
			return fmt.Errorf("accepts.%s: %s has no text of that name", field, def.Name)
		}
		a.accepts = append(a.accepts, accepted{len(a.fields), accepts[field]})
		a.fields = append(a.fields, field)
	}
	return nil
}

// isText tells whether a field of a definition is a text.
func isText(def *msg.Definition, path []string) bool {
	for _, f := range def.Fields {
		if f.Name != path[0] || f.Len != msg.NoArray {
			continue
		}
		if len(path) == 1 {
			return f.Base == "string"
		}
		nested := def.Nested(f.Base)
		return nested != nil && isText(nested, path[1:])
	}
	return false
}

func (a *accepted) check(fields []string, values []Value) error {
	text := values[a.slot].Text
	if slices.Contains(a.texts, text) {
		return nil
	}
	var quoted []string
	for _, t := range a.texts {
		quoted = append(quoted, fmt.Sprintf("%q", t))
	}
	return fmt.Errorf("%s = %.80q: must be one of %s", fields[a.slot], text, strings.Join(quoted, ", "))
}

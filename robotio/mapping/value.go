package mapping

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// appender returns a function that appends a number in the wire format of the built-in type base. It returns nil if
// base is not a numeric type. For an integer type, the function rounds the number and limits it to the range of the
// type; it appends 0 for NaN.
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

// exact is 2⁵³: a float64 represents all integers up to this limit exactly.
const exact = 1 << 53

// oneIf returns 1 if b is true, else 0.
func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// whole rounds x to an integer in [least, most]; NaN becomes 0.
func whole(x, least, most float64) int64 {
	if x != x {
		return 0
	}
	return int64(math.Round(min(max(x, least), most)))
}

// number compiles the value of a numeric field. The value is a constant, the name of a quantity, or a table that maps
// values of a quantity to numbers.
func (c compiler) number(base string, v any, key string) writer {
	put := c.appender(base)
	if x, ok := asNumber(v); ok {
		return func(b []byte, _ *quantity.Context) []byte { return put(b, x) }
	}
	if table, ok := v.(map[string]any); ok {
		return c.choice(put, table, key)
	}
	name, _ := v.(string)
	q, ok := c.known.Numbers[name]
	if !ok {
		c.unknown(key, name, "number", names(c.known.Numbers))
		return nothing
	}
	scale, get := c.units.scale(q.Dim), q.Get
	if scale == 1 {
		return func(b []byte, ctx *quantity.Context) []byte { return put(b, get(ctx)) }
	}
	return func(b []byte, ctx *quantity.Context) []byte { return put(b, get(ctx)*scale) }
}

// choice compiles { of = "quantity", is = { value = number, … }, else = number }. The field gets the number that is
// given for the current value of the quantity, or the number of else if none is given.
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
		c.below(key).unknown("of", of, "number and no text", names(c.known.Numbers), names(c.known.Texts))
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
	return chosen(put, q.Get, byNumber, other)
}

// chosen returns a writer. The writer looks up the value of a quantity in the map numbers, and appends the number
// found. For a value that is not in the map, it appends other.
func chosen[K comparable](put func([]byte, float64) []byte, get func(*quantity.Context) K, numbers map[K]float64,
	other float64) writer {
	return func(b []byte, c *quantity.Context) []byte {
		if x, ok := numbers[get(c)]; ok {
			return put(b, x)
		}
		return put(b, other)
	}
}

// asNumber converts a value of a TOML file to a number; false is 0 and true is 1.
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

// text compiles the value of a string field: text that may contain quantities in braces, or a table that maps values of
// a quantity to texts.
func (c compiler) text(v any, key string) writer {
	if table, ok := v.(map[string]any); ok && table["json"] != nil {
		return c.jsonText(table, key)
	} else if ok {
		return c.textChoice(table, key)
	}
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
	return c.filledText(fill)
}

// filledText returns the writer of a string field whose text the function fill appends.
func (e encoding) filledText(fill writer) writer {
	return func(b []byte, ctx *quantity.Context) []byte {
		b = e.count(b, 0)
		start := len(b)
		b = fill(b, ctx)
		if e.cdr {
			b = append(b, 0)
		}
		le.PutUint32(b[start-4:], uint32(len(b)-start))
		return b
	}
}

// textChoice compiles { of = "quantity", is = { value = "text", … }, else = "text" }. The field gets the text that is
// given for the current value of the quantity, or the text of else if none is given.
func (c compiler) textChoice(table map[string]any, key string) writer {
	of, _ := table["of"].(string)
	is, ok := table["is"].(map[string]any)
	if !ok {
		c.fail(key, nil, `must be text, or { of = "quantity", is = { value = "text", … }, else = "text" }`)
		return nothing
	}
	get := c.known.Texts[of]
	if get == nil {
		c.below(key).unknown("of", of, "text", names(c.known.Texts))
		return nothing
	}
	texts, other := map[string]writer{}, c.text("", key)
	for _, value := range names(is) {
		texts[value] = c.below(key+".is").text(is[value], value)
	}
	if v, given := table["else"]; given {
		other = c.below(key).text(v, "else")
	}
	return func(b []byte, ctx *quantity.Context) []byte {
		if text := texts[get(ctx)]; text != nil {
			return text(b, ctx)
		}
		return other(b, ctx)
	}
}

// newPattern compiles text with quantities in braces, such as "{robot}/base_link"; {{ and }} are braces themselves. The
// returned writer appends the text without the four bytes of its length.
func newPattern(pattern string, known map[string]func(*quantity.Context) string) (writer, error) {
	var parts []writer
	for rest := pattern; rest != ""; {
		before, after, open := strings.Cut(rest, "{")
		parts = append(parts, constant([]byte(strings.ReplaceAll(before, "}}", "}"))))
		if !open {
			break
		}
		if strings.HasPrefix(after, "{") {
			parts, rest = append(parts, constant([]byte("{"))), after[1:]
			continue
		}
		name, end, closed := strings.Cut(after, "}")
		get := known[name]
		if !closed {
			return nil, fmt.Errorf("{%s has no } at its end", name)
		}
		if get == nil {
			return nil, fmt.Errorf("{%s} is no text here; %s", name, thereAre(names(known)))
		}
		parts = append(parts, func(b []byte, c *quantity.Context) []byte { return append(b, get(c)...) })
		rest = end
	}
	return sequence(parts), nil
}

// units holds the numbers of a profile's units in one metre and in one radian.
type units struct{ perMetre, perRadian float64 }

// perMetre maps each unit of length in profiles to its number in one metre.
var perMetre = map[string]float64{"m": 1, "cm": 100, "mm": 1000}

// unitsOf returns the units with the given names of a unit of length and a unit of angle.
func unitsOf(length, angle string) units {
	u := units{perMetre[length], 1}
	if angle == "deg" {
		u.perRadian = 57.29577951308232
	}
	return u
}

// scale returns the factor that converts a number of dimension d from SI units to u.
func (u units) scale(d quantity.Dimension) float64 {
	switch d {
	case quantity.Length:
		return u.perMetre
	case quantity.Angle:
		return u.perRadian
	}
	return 1
}

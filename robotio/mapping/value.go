package mapping

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// number returns how a number is appended as a built-in, or nil for what is no number. Numbers are rounded to whole
// ones and end at the type's limits; NaN is 0 where there is none.
func number(base string) func(b []byte, x float64) []byte {
	switch base {
	case "float64":
		return func(b []byte, x float64) []byte { return le.AppendUint64(b, math.Float64bits(x)) }
	case "float32":
		return func(b []byte, x float64) []byte { return le.AppendUint32(b, math.Float32bits(float32(x))) }
	case "bool":
		return func(b []byte, x float64) []byte {
			if x != 0 {
				return append(b, 1)
			}
			return append(b, 0)
		}
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
func (c *compiler[S]) number(base string, v any, words Words[S], path, key string) writer[S] {
	put := number(base)
	if x, ok := asNumber(v); ok {
		return constant[S](put(nil, x))
	}
	if table, ok := v.(map[string]any); ok {
		return c.choice(put, table, words, path, key)
	}
	word, _ := v.(string)
	w, ok := words.Numbers[word]
	if !ok {
		c.unknown(path, key, word, "number", names(words.Numbers))
		return nothing[S]
	}
	scale, get := c.cfg.Units.Scale(w.Dim), w.Get
	if scale == 1 {
		return func(b []byte, s S) []byte { return put(b, get(s)) }
	}
	return func(b []byte, s S) []byte { return put(b, get(s)*scale) }
}

// choice compiles { of = "word", is = { value = number, … }, else = number }: a number for each value of a word.
func (c *compiler[S]) choice(put func([]byte, float64) []byte, table map[string]any, words Words[S], path, key string) writer[S] {
	of, _ := table["of"].(string)
	is, _ := table["is"].(map[string]any)
	other, otherOK := asNumber(table["else"])
	_, hasElse := table["else"]
	if is == nil || hasElse != otherOK {
		c.fail(path, key, nil, `must be { of = "word", is = { value = number, … }, else = number }`)
		return nothing[S]
	}
	byText := map[string]float64{}
	for value, x := range is {
		n, ok := asNumber(x)
		if !ok {
			c.fail(path+"."+key+".is", value, x, "must be a number")
		}
		byText[value] = n
	}
	if text := words.Texts[of]; text != nil {
		return func(b []byte, s S) []byte {
			if x, ok := byText[text(s)]; ok {
				return put(b, x)
			}
			return put(b, other)
		}
	}
	if w, ok := words.Numbers[of]; ok {
		byNumber := map[float64]float64{}
		for value, x := range byText {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				c.fail(path+"."+key+".is", value, nil, "must be a number, as %s is", of)
			}
			byNumber[n] = x
		}
		return func(b []byte, s S) []byte {
			if x, ok := byNumber[w.Get(s)]; ok {
				return put(b, x)
			}
			return put(b, other)
		}
	}
	c.unknown(path+"."+key, "of", of, "number and no text", append(names(words.Numbers), names(words.Texts)...))
	return nothing[S]
}

// asNumber returns what TOML or Go says as a number; truth values are 0 and 1.
func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// text compiles a string: text with words in braces.
func (c *compiler[S]) text(v any, words Words[S], path, key string) writer[S] {
	pattern, ok := v.(string)
	if !ok {
		c.fail(path, key, v, "must be text, with quantities in {braces}")
		return nothing[S]
	}
	fill, err := Text(pattern, words.Texts)
	if err != nil {
		c.fail(path, key, pattern, "%v", err)
		return nothing[S]
	}
	return func(b []byte, s S) []byte {
		at := len(b)
		b = fill(append(b, 0, 0, 0, 0), s)
		le.PutUint32(b[at:], uint32(len(b)-at-4))
		return b
	}
}

// Text compiles text with words in braces, such as "{robot}/base_link", to what appends it.
func Text[S any](pattern string, words map[string]func(S) string) (func(b []byte, s S) []byte, error) {
	var parts []writer[S]
	for rest := pattern; rest != ""; {
		before, after, open := strings.Cut(rest, "{")
		parts = append(parts, constant[S]([]byte(before)))
		if !open {
			break
		}
		word, end, closed := strings.Cut(after, "}")
		get := words[word]
		if !closed || get == nil {
			return nil, &unknownText{word, slices.Sorted(maps.Keys(words))}
		}
		parts = append(parts, func(b []byte, s S) []byte { return append(b, get(s)...) })
		rest = end
	}
	return sequence(parts), nil
}

// unknownText is a word in braces that there is not.
type unknownText struct {
	word  string
	known []string
}

func (e *unknownText) Error() string {
	return "{" + e.word + "} is no text here; there are " + strings.Join(e.known, ", ")
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

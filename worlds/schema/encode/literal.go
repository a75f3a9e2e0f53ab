package encode

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// literal returns a value as TOML. It returns "" if the value cannot be written. The result exact is true if reading
// the text gives the same value.
func literal(v reflect.Value, r rules.Rules) (text string, exact bool) {
	switch k := v.Kind(); {
	case isScalar(v):
		text = fmt.Sprint(v.Interface())
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			text = Quote(text)
		}
		return text, true
	case v.Type() == rules.DurationType, v.CanFloat():
		if r.Number(rules.InKeyUnit(v, r.Unit)) != "" {
			return "", true
		}
		return number(v, r.Unit)
	case v.CanInt() && r.Number(float64(v.Int())) == "":
		return strconv.FormatInt(v.Int(), 10), true
	case v.CanUint() && r.Number(float64(v.Uint())) == "":
		return strconv.FormatUint(v.Uint(), 10), true
	case k == reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case k == reflect.String && v.Len() > 0 && r.Text(v.String()) == "":
		return Quote(braces.Replace(v.String())), true
	case k == reflect.Pointer && !v.IsNil() && !isTable(v.Type()):
		return literal(v.Elem(), r)
	case k == reflect.Array, k == reflect.Slice && !v.IsNil() && (!isTable(v.Type().Elem()) || v.Len() == 0) &&
		r.Length(v.Len()) == "":
		return list(v, r)
	}
	return "", true
}

func list(v reflect.Value, r rules.Rules) (text string, exact bool) {
	var elems []string
	exact = true
	for i := range v.Len() {
		elem, same := literal(v.Index(i), r.OfElements())
		elems, exact = append(elems, elem), exact && same
	}
	return "[" + strings.Join(elems, ", ") + "]", exact
}

// number returns a number in the unit of its key, as TOML. The result exact is true if reading the text gives the same
// value in SI units.
func number(v reflect.Value, u rules.Unit) (text string, exact bool) {
	var x float64
	var same func(read float64) bool
	if v.Type() == rules.DurationType {
		x = u.FromTime(time.Duration(v.Int()))
		same = func(read float64) bool { return int64(math.Round(read*float64(u.Tick))) == v.Int() }
	} else {
		x = u.FromSI(v.Float())
		same = func(read float64) bool {
			again := reflect.New(v.Type()).Elem()
			again.SetFloat(u.ToSI(read))
			return again.Float() == v.Float()
		}
	}
	if math.IsInf(x, 0) {
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'f', -1, 64)), "+"), true
	}
	fewest := 12
	if v.Kind() == reflect.Float32 {
		fewest = 6
	}
	// The conversion to the unit and back may change the last digit.
	for _, near := range []float64{x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1))} {
		for digits := fewest; digits <= 17; digits++ {
			text := strconv.FormatFloat(near, 'g', digits, 64)
			if read, err := strconv.ParseFloat(text, 64); err == nil && same(read) {
				return shortest(read), true
			}
		}
	}
	return strconv.FormatFloat(x, 'g', 12, 64), false
}

// shortest returns a number as TOML. It has no exponent if it is short without one.
func shortest(x float64) string {
	if x == 0 && math.Signbit(x) {
		return "-0.0" // TOML reads -0 as the integer 0
	}
	if a := math.Abs(x); a == 0 || a >= 1e-4 && a < 1e9 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// braces doubles the braces in texts, because single braces in a file mark templates.
var braces = strings.NewReplacer("{", "{{", "}", "}}")

// Quote returns a text as a TOML string. It does not double braces.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// keyText returns a key as TOML.
func keyText(key string) string {
	bare := key != ""
	for _, c := range key {
		bare = bare && (c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}
	if bare {
		return key
	}
	return Quote(key)
}

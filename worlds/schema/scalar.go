package schema

import (
	"cmp"
	"fmt"
	"math"
	"reflect"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// setScalar sets a bool, string, number or duration. It returns the rule that the value breaks, or "" if it breaks
// none.
func setScalar(dst reflect.Value, v *value, r rules.Rules) string {
	if dst.Type() == rules.DurationType {
		return setDuration(dst, v, r)
	}
	switch k := dst.Kind(); {
	case k == reflect.Bool:
		if v.kind != kindBool {
			return "must be true or false"
		}
		dst.SetBool(v.str == "true")
		return ""
	case k == reflect.String:
		if v.kind != kindString {
			return "must be a string"
		}
		dst.SetString(v.str)
		return r.Text(v.str)
	case rules.IsInteger(k):
		return setInteger(dst, v, r)
	case k == reflect.Float64 || k == reflect.Float32:
		x, ok := v.number()
		if !ok {
			return "must be a number"
		}
		if dst.OverflowFloat(r.Unit.ToSI(x)) {
			return "must be finite"
		}
		dst.SetFloat(r.Unit.ToSI(x))
		return cmp.Or(fits(r, v, x), r.Number(rules.InKeyUnit(dst, r.Unit)))
	}
	panic("schema: cannot bind to the type " + dst.Type().String())
}

func setInteger(dst reflect.Value, v *value, r rules.Rules) string {
	n, ok := v.integer()
	if !ok {
		return "must be an integer"
	}
	if broken := r.Number(float64(n)); broken != "" {
		return broken
	}
	if v.overflow() != "" || dst.CanInt() && dst.OverflowInt(n) || dst.CanUint() &&
		(n < 0 || dst.OverflowUint(uint64(n))) {
		return "must lie in " + intervalOf(dst.Type())
	}
	if dst.CanInt() {
		dst.SetInt(n)
	} else {
		dst.SetUint(uint64(n))
	}
	return ""
}

// intervalOf returns the interval of the TOML integers, which are signed 64-bit numbers, that a type of field can hold.
func intervalOf(t reflect.Type) string {
	bits, unsigned := t.Bits(), reflect.Uint <= t.Kind()
	switch {
	case unsigned && bits == 64:
		return "[0, 2^63-1]"
	case unsigned:
		return fmt.Sprintf("[0, %d]", uint64(1)<<bits-1)
	case bits == 64:
		return "[-2^63, 2^63-1]"
	}
	return fmt.Sprintf("[%d, %d]", -1<<(bits-1), 1<<(bits-1)-1)
}

// setDuration sets a duration, rounded to nanoseconds. It returns the rule that the value breaks, or "" if it breaks
// none.
func setDuration(dst reflect.Value, v *value, r rules.Rules) string {
	x, ok := v.number()
	if !ok {
		return "must be a number"
	}
	if broken := fits(r, v, x); broken != "" {
		return broken
	}
	d := math.Round(x * float64(r.Unit.Tick))
	if math.Abs(d) >= math.MaxInt64 {
		return "must be shorter than 292 years"
	}
	if n, ok := v.integer(); ok {
		dst.SetInt(n * int64(r.Unit.Tick))
	} else {
		dst.SetInt(int64(d))
	}
	// checked again, because rounding to nanoseconds may have made the value 0
	return r.Number(rules.InKeyUnit(dst, r.Unit))
}

// fits returns the rule that a number in the file breaks, or "" if it breaks none. It prefers the interval of the key
// to that of 64-bit numbers, because the former tells the user more.
func fits(r rules.Rules, v *value, x float64) string {
	if r.Interval == "" {
		return cmp.Or(v.overflow(), r.Number(x))
	}
	return cmp.Or(r.Number(x), v.overflow())
}

package schema

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
)

// setScalar sets a bool, string, number or duration and returns the rule that the value breaks, or "".
func setScalar(dst reflect.Value, v *value, r rules) string {
	if dst.Type() == durationType {
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
		return r.text(v.str)
	case isInteger(k):
		return setInteger(dst, v, r)
	case k == reflect.Float64 || k == reflect.Float32:
		x, ok := v.number()
		if !ok {
			return "must be a number"
		}
		if dst.OverflowFloat(r.unit.toSI(x)) {
			return "must be finite"
		}
		dst.SetFloat(r.unit.toSI(x))
		return cmp.Or(r.fits(v, x), r.number(inKeyUnit(dst, r.unit)))
	}
	panic("schema: cannot bind to the type " + dst.Type().String())
}

func setInteger(dst reflect.Value, v *value, r rules) string {
	n, ok := v.integer()
	if !ok {
		return "must be an integer"
	}
	if broken := r.number(float64(n)); broken != "" {
		return broken
	}
	if v.overflow() != "" || dst.CanInt() && dst.OverflowInt(n) || dst.CanUint() && (n < 0 || dst.OverflowUint(uint64(n))) {
		return "must lie in " + intervalOf(dst.Type())
	}
	if dst.CanInt() {
		dst.SetInt(n)
	} else {
		dst.SetUint(uint64(n))
	}
	return ""
}

// intervalOf is what an integer of TOML, which has 64 bits and a sign, may be in a field of a type.
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

// setDuration rounds to nanoseconds.
func setDuration(dst reflect.Value, v *value, r rules) string {
	x, ok := v.number()
	if !ok {
		return "must be a number"
	}
	if broken := r.fits(v, x); broken != "" {
		return broken
	}
	d := math.Round(x * float64(r.unit.tick))
	if math.Abs(d) >= math.MaxInt64 {
		return "must be shorter than 292 years"
	}
	if n, ok := v.integer(); ok {
		dst.SetInt(n * int64(r.unit.tick))
	} else {
		dst.SetInt(int64(d))
	}
	return r.number(inKeyUnit(dst, r.unit)) // what is short of a nanosecond may be 0 now
}

// inKeyUnit returns what a float or a duration holds, in the unit of its key.
func inKeyUnit(v reflect.Value, u unit) float64 {
	if v.Type() == durationType {
		return u.fromTime(time.Duration(v.Int()))
	}
	if !u.converts() {
		return v.Float()
	}
	x, _ := strconv.ParseFloat(valueText(u.fromSI(v.Float())), 64) // 360 deg there and back is 360 deg
	return x
}

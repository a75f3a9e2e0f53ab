package dynamic

import (
	"fmt"
	"math"
	"strconv"
)

// number reads a JSON number; null is NaN.
func number(text []byte) (float64, error) {
	if string(text) == "null" {
		return math.NaN(), nil
	}
	if text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, fmt.Errorf("%s: must be a number", clip(text))
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%s: must fit float64", clip(text))
	}
	return v, nil
}

// integer appends an integer. It accepts 1.0, because some languages write integers so.
func (f *field) integer(dst, text []byte) ([]byte, error) {
	bits := 8 * f.size
	var v uint64
	if f.kind >= kUint8 {
		u, err := strconv.ParseUint(string(text), 10, bits)
		if err != nil {
			x, ferr := number(text)
			if ferr != nil || x != math.Trunc(x) || x < 0 || x >= math.Ldexp(1, bits) {
				return dst, fmt.Errorf("%s: must be an integer in [0, %d]", clip(text),
					uint64(math.MaxUint64)>>(64-bits))
			}
			u = uint64(x)
		}
		v = u
	} else {
		i, err := strconv.ParseInt(string(text), 10, bits)
		if err != nil {
			x, ferr := number(text)
			if half := math.Ldexp(1, bits-1); ferr != nil || x != math.Trunc(x) || x < -half || x >= half {
				return dst, fmt.Errorf("%s: must be an integer in [%d, %d]", clip(text), math.MinInt64>>(64-bits),
					math.MaxInt64>>(64-bits))
			}
			i = int64(x)
		}
		v = uint64(i)
	}
	switch f.size {
	case 1:
		return append(dst, byte(v)), nil
	case 2:
		return le.AppendUint16(dst, uint16(v)), nil
	case 4:
		return le.AppendUint32(dst, uint32(v)), nil
	}
	return le.AppendUint64(dst, v), nil
}

// A time and a duration are two 32-bit words. Clients of rosbridge call them secs and nsecs, and clients written for
// ROS 2 sec and nanosec.
var (
	timeWord     = field{kind: kUint32, size: 4}
	durationWord = field{kind: kInt32, size: 4}
)

func (e *encoder) time(dst []byte, f *field, text []byte) ([]byte, error) {
	if f.kind == kTime && string(text) == `"now"` {
		return le.AppendUint32(le.AppendUint32(dst, e.now.Sec), e.now.Nsec), nil
	}
	word := &timeWord
	if f.kind == kDuration {
		word = &durationWord
	}
	at := len(dst)
	dst = append(dst, make([]byte, 8)...)
	err := object(text, func(key, value []byte) error {
		place := at
		switch string(key) {
		case "secs", "sec":
		case "nsecs", "nsec", "nanosec":
			place += 4
		default:
			return fmt.Errorf("%s: no such field: a %s has secs and nsecs", clip(key), f.typ)
		}
		if _, err := word.integer(dst[:place:len(dst)], value); err != nil {
			return fmt.Errorf("%s: %w", clip(key), err)
		}
		return nil
	})
	return dst, err
}

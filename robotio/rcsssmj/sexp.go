package rcsssmj

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// maxFields is the number of fields of the longest expression that an agent may send: an effector has six.
const maxFields = 8

// expressions calls each with the fields of each expression of a message, such as (he1 10 0 20 1 0). The fields are
// valid during the call. It fails, after the expressions before, if a parenthesis is missing, if an expression has too
// many fields, or if it contains another one: no effector does.
func expressions(message []byte, each func(fields [][]byte)) error {
	var array [maxFields][]byte
	for at := 0; at < len(message); {
		switch message[at] {
		case ' ', '\t', '\r', '\n':
			at++
			continue
		case '(':
			at++
		default:
			return fmt.Errorf("byte %d: %q: must be (", at, message[at])
		}
		fields, closed := array[:0], false
		for at < len(message) && !closed {
			switch message[at] {
			case ' ', '\t', '\r', '\n':
				at++
			case ')':
				at, closed = at+1, true
			case '(':
				return fmt.Errorf("byte %d: an expression in an expression", at)
			default:
				from := at
				for at < len(message) && !delimits(message[at]) {
					at++
				}
				if len(fields) == maxFields {
					return fmt.Errorf("byte %d: more than %d fields", from, maxFields)
				}
				fields = append(fields, message[from:at])
			}
		}
		if !closed {
			return errors.New("the message ends in an expression")
		}
		if len(fields) > 0 {
			each(fields)
		}
	}
	return nil
}

func delimits(c byte) bool {
	return c == ' ' || c == '(' || c == ')' || c == '\t' || c == '\r' || c == '\n'
}

// numbers parses fields as finite numbers. The result is false if one is none.
func numbers(fields [][]byte, into []float64) bool {
	for i := range into {
		v, err := strconv.ParseFloat(string(fields[i]), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		into[i] = v
	}
	return true
}

// appendNumber appends a number without the digits behind the given number of decimals, as the league's server writes
// it.
func appendNumber(b []byte, v float64, decimals int) []byte {
	const rounding = 1e-6 // of numbers that have few digits, such as a time of 0.58 s
	scale := math.Pow10(decimals)
	v = math.Trunc(v*scale+math.Copysign(rounding, v)) / scale
	if v == 0 {
		v = 0 // not −0
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// appendNumbers appends numbers, each behind a space.
func appendNumbers(b []byte, decimals int, values ...float64) []byte {
	for _, v := range values {
		b = appendNumber(append(b, ' '), v, decimals)
	}
	return b
}

package ros1

import (
	"math"
	"math/rand/v2"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// builtinSize is the size of ROS's types on the wire, in bytes. Strings, times and durations are made below.
var builtinSize = map[string]int{"bool": 1, "int8": 1, "uint8": 1, "byte": 1, "char": 1, "int16": 2, "uint16": 2,
	"int32":  4,
	"uint32": 4, "int64": 8, "uint64": 8, "float32": 4, "float64": 8}

// appendRandom appends a random message with every field, arrays of up to three elements, and text in several scripts.
// It leaves out values that languages do not preserve: bools other than 0 and 1, NaNs, and nanoseconds beyond a second.
func appendRandom(b []byte, def *msg.Definition, r *rand.Rand) []byte {
	for _, f := range def.Fields {
		n := 1
		switch {
		case f.Len == msg.Variable:
			n = r.IntN(4)
			b = le.AppendUint32(b, uint32(n))
		case f.Len >= 0:
			n = f.Len
		}
		for range n {
			if nested := def.Nested(f.Base); nested != nil {
				b = appendRandom(b, nested, r)
			} else {
				b = appendBuiltin(b, f.Base, r)
			}
		}
	}
	return b
}

func appendBuiltin(b []byte, typ string, r *rand.Rand) []byte {
	switch typ {
	case "bool":
		return append(b, byte(r.IntN(2)))
	case "string":
		text := []string{"", "a", "grüße <&>", "机器人", "line\nline", "emoji 🤖", "null\x00byte"}[r.IntN(7)]
		return append(le.AppendUint32(b, uint32(len(text))), text...)
	case "time":
		return le.AppendUint32(le.AppendUint32(b, r.Uint32()), uint32(r.IntN(1e9)))
	case "duration":
		return le.AppendUint32(le.AppendUint32(b, uint32(r.Int32()-1<<30)), uint32(r.IntN(1e9)))
	case "float32":
		return le.AppendUint32(b, math.Float32bits(float32(r.NormFloat64()*1e3)))
	case "float64":
		return le.AppendUint64(b, math.Float64bits(r.NormFloat64()*1e9))
	}
	for range builtinSize[typ] {
		b = append(b, byte(r.Uint32()))
	}
	return b
}

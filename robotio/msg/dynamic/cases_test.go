package dynamic

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func load(t testing.TB, dialect string) *msg.Library {
	t.Helper()
	l := must.Get(msg.Load(dialect))(t)
	return l
}

func codec(t testing.TB, name string) *Codec {
	t.Helper()
	def := must.Get(load(t, "nubot").Message(name))(t)
	return compiled(t, def)
}

func compiled(t testing.TB, def *msg.Definition) *Codec {
	t.Helper()
	c := must.Get(Compile(def))(t)
	return c
}

// define compiles a message a/A from a definition text. parts are the messages a/B, a/C, ….
func define(t testing.TB, text string, parts ...string) *Codec {
	t.Helper()
	for i, p := range parts {
		text += "\n" + strings.Repeat("=", 80) + "\nMSG: a/" + string(rune('B'+i)) + "\n" + p
	}
	def := must.Get(msg.ParseFull("a/A", text))(t)
	return compiled(t, def)
}

// random appends a message with random finite numbers and texts.
func random(b []byte, m *message, r *rand.Rand) []byte {
	for i := range m.fields {
		f := &m.fields[i]
		n := 1
		if f.array {
			n = f.n
			if n < 0 {
				n = r.IntN(4)
				b = le.AppendUint32(b, uint32(n))
			}
		}
		for range n {
			switch f.kind {
			case kMessage:
				b = random(b, f.msg, r)
			case kString:
				s := strings.Repeat("\"ä\\\n x", r.IntN(3))
				b = append(le.AppendUint32(b, uint32(len(s))), s...)
			case kBool:
				b = append(b, byte(r.IntN(2)))
			case kFloat32:
				b = le.AppendUint32(b, math.Float32bits(float32(r.NormFloat64()*math.Pow(10, float64(r.IntN(40)-20)))))
			case kFloat64:
				b = le.AppendUint64(b, math.Float64bits(r.NormFloat64()*math.Pow(10, float64(r.IntN(40)-20))))
			case kTime, kDuration:
				b = le.AppendUint32(le.AppendUint32(b, r.Uint32N(1<<31)), r.Uint32N(1e9))
			default:
				b = append(b, le.AppendUint64(nil, r.Uint64())[:f.size]...)
			}
		}
	}
	return b
}

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

// codec returns the codec of a message of ROS 1, or of ROS 2 if its name has three parts.
func codec(t testing.TB, name string) *Codec {
	t.Helper()
	l := load(t, "nubot")
	if pkg, typ, ok := strings.Cut(name, "/msg/"); ok {
		l, name = must.Get(msg.LoadROS2("jazzy"))(t), pkg+"/"+typ
	}
	return compiled(t, must.Get(l.Message(name))(t))
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
	e := encoder{cdr: m.def.ROS2()}
	if e.cdr {
		b = append(b, cdrHeader...)
	}
	e.start = len(b)
	return randomFields(&e, b, m, r)
}

func randomFields(e *encoder, b []byte, m *message, r *rand.Rand) []byte {
	for i := range m.fields {
		f := &m.fields[i]
		n := 1
		if f.array {
			n = f.n
			if n < 0 {
				n = r.IntN(4)
				if f.most > 0 {
					n = min(n, f.most)
				}
				b = le.AppendUint32(e.align(b, 4), uint32(n))
			}
		}
		for range n {
			if f.kind == kMessage {
				b = randomFields(e, b, f.msg, r)
				continue
			}
			b = e.align(b, f.align)
			switch f.kind {
			case kString:
				s := strings.Repeat("\"ä\\\n x", r.IntN(3))
				if f.mostText > 0 {
					s = s[:min(len(s), f.mostText)]
				}
				if e.cdr {
					s += "\x00"
				}
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

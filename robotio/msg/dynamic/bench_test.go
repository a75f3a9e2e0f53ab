package dynamic

import (
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

var measured = []string{"nubot_common/OdoInfo", "sensor_msgs/LaserScan", "nubot_common/OminiVisionInfo",
	"sensor_msgs/Image"}

// sample returns an encoded message. Images have 640×480 pixels, scans 1000 ranges.
func sample(t testing.TB, c *Codec) []byte {
	text := `{}`
	b := random(nil, c.root, rand.New(rand.NewPCG(1, 1)))
	switch c.Def().Name {
	case "sensor_msgs/Image":
		data := make([]byte, 640*480*3)
		b = append(le.AppendUint32(make([]byte, 4+8+4+4+4+4+1+4), uint32(len(data))), data...)
	case "sensor_msgs/LaserScan":
		text = `{"ranges":[1.25`
		for range 999 {
			text += `,3.14159`
		}
		b = must.Get(c.AppendROS(nil, []byte(text+`]}`), now))(t)
	}
	must.Do(t, c.Check(b))
	return b
}

// TestAllocations checks that converting into a large enough buffer only allocates the reader.
func TestAllocations(t *testing.T) {
	for _, name := range measured {
		c := codec(t, name)
		b := sample(t, c)
		text := must.Get(c.AppendJSON(nil, b))(t)
		dst := make([]byte, 0, 4*len(text))
		for what, f := range map[string]func(){
			"JSON": func() { _, _ = c.AppendJSON(dst, b) },
			"CBOR": func() { _, _ = c.AppendCBOR(dst, b) },
		} {
			if n := testing.AllocsPerRun(20, f); !(n <= 1) {
				t.Errorf("%s to %s: %v allocations", name, what, n)
			}
		}
	}
}

func BenchmarkCodec(b *testing.B) {
	for _, name := range measured {
		c := codec(b, name)
		data := sample(b, c)
		text := must.Get(c.AppendJSON(nil, data))(b)
		dst := make([]byte, 0, 4*len(text))
		for what, f := range map[string]func() error{
			"JSON":      func() error { _, err := c.AppendJSON(dst, data); return err },
			"CBOR":      func() error { _, err := c.AppendCBOR(dst, data); return err },
			"from-JSON": func() error { _, err := c.AppendROS(dst, text, now); return err },
		} {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					must.Do(b, f())
				}
			})
		}
	}
}

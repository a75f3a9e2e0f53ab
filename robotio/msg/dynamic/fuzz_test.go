package dynamic

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var fuzzed = []string{"nubot_common/OminiVisionInfo", "sensor_msgs/PointCloud2", "sensor_msgs/CameraInfo",
	"tf2_msgs/TFMessage", "rosgraph_msgs/Log", "tf2_msgs/msg/TFMessage", "sensor_msgs/msg/PointCloud2",
	"rcl_interfaces/msg/ParameterDescriptor", "std_msgs/msg/Empty"}

// FuzzDecode checks that no bytes make the decoders panic. Accepted bytes give valid JSON of bounded size, which
// encodes to the same bytes unless they have values that JSON lacks.
func FuzzDecode(f *testing.F) {
	for i, name := range fuzzed {
		c := codec(f, name)
		f.Add(i, random(nil, c.root, rand.New(rand.NewPCG(1, 1))))
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		c := codec(t, fuzzed[uint(i)%uint(len(fuzzed))])
		text, err := c.AppendJSON(nil, b)
		cbor, err2 := c.AppendCBOR(nil, b)
		values := c.Values(b, func(*Value) {})
		row := tableOf(t, c, b)
		if err3 := c.Check(b); (err == nil) != (err2 == nil) || (err == nil) != (err3 == nil) ||
			(err == nil) != (values == nil) || (err == nil) != (row == nil) {
			t.Fatalf("JSON: %v, CBOR: %v, check: %v, values: %v, row: %v", err, err2, err3, values, row)
		}
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		if most := 2000 + 40*len(b); len(text) > most || len(cbor) > most {
			t.Errorf("%d bytes became %d of JSON, %d of CBOR", len(b), len(text), len(cbor))
		}
		again := must.Get(c.AppendROS(nil, text, now))(t)
		text2, err := c.AppendJSON(nil, again)
		if err != nil || !bytes.Equal(text, text2) {
			t.Errorf("%v\n%s\n%s", err, text, text2)
		}
	})
}

// tableOf makes a table of one message, and checks that its row fits its header.
func tableOf(t *testing.T, c *Codec, b []byte) error {
	t.Helper()
	cols := must.Get(NewColumns(c))(t)
	if err := cols.Widen(b); err != nil {
		return err
	}
	header := must.Get(cols.Header())(t)
	n := 0
	if err := cols.Row(b, func([]byte) { n++ }); err != nil || n != len(header) {
		t.Fatalf("%d cells for %d columns, %v", n, len(header), err)
	}
	return nil
}

// FuzzEncode checks that no text makes the encoder panic, and that its output decodes.
func FuzzEncode(f *testing.F) {
	for i, name := range fuzzed {
		c := codec(f, name)
		text := must.Get(c.AppendJSON(nil, random(nil, c.root, rand.New(rand.NewPCG(1, 1)))))(f)
		f.Add(i, text)
	}
	f.Add(0, []byte(`{"robotinfo":[{"header":{"stamp":"now"}},{}]}`))
	f.Fuzz(func(t *testing.T, i int, text []byte) {
		c := codec(t, fuzzed[uint(i)%uint(len(fuzzed))])
		b, err := c.AppendROS(nil, text, now)
		if err != nil {
			return
		}
		if most := 1000 + 100*len(text); len(b) > most {
			t.Errorf("%d bytes of text became %d", len(text), len(b))
		}
		if _, err := c.AppendJSON(nil, b); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}

// FuzzDefinition checks that no definition makes the codec panic, or expands a short input beyond the limits of a
// message.
func FuzzDefinition(f *testing.F) {
	for _, name := range fuzzed {
		f.Add(codec(f, name).Def().Text, []byte{0, 0, 0, 0, 0, 0, 0, 0}, `{}`)
	}
	f.Add("B[9] x\nD[] y\n"+separator+"MSG: a/B\nfloat64[999] z\n"+separator+"MSG: a/D\n", []byte{255, 255, 0, 0},
		`{"y":[{},{}]}`)
	f.Fuzz(func(t *testing.T, text string, b []byte, value string) {
		def, err := msg.ParseFull([]string{"a/A", "a/msg/A"}[len(b)%2], text)
		if err != nil {
			return
		}
		c, err := Compile(def)
		if err != nil {
			return
		}
		if c.Check(b) == nil {
			if _, err := c.AppendJSON(nil, b); err != nil {
				t.Errorf("checked, and then: %v", err)
			}
			if _, err := c.AppendCBOR(nil, b); err != nil {
				t.Errorf("checked, and then: %v", err)
			}
		}
		got, err := c.AppendROS(nil, []byte(value), now)
		if err != nil {
			return
		}
		if err := c.Check(got); err != nil {
			t.Errorf("%s: %s: %v", text, value, err)
		}
	})
}

var separator = strings.Repeat("=", 80) + "\n"

package dynamic

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestRoundTrip checks that random messages of every type of every dialect survive conversion to JSON and back.
func TestRoundTrip(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	n := 0
	for _, d := range msg.Dialects() {
		l := load(t, d)
		for _, name := range l.Messages() {
			def := must.Get(l.Message(name))(t)
			c := compiled(t, def)
			for range 5 {
				want := random(nil, c.root, r)
				text, err := c.AppendJSON(nil, want)
				if err != nil {
					t.Fatalf("%s %s: %v", d, name, err)
				}
				got, err := c.AppendROS(nil, text, msg.Time{})
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s %s: %v\n%s\ngot  %x\nwant %x", d, name, err, text, got, want)
				}
				n++
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d messages", n)
	}
}

func TestJSON(t *testing.T) {
	nan, inf := math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1))
	c := define(t, "float64[] x\nuint8[] b\nchar[3] c\nint8[2] i\ntime t\nduration d\nstring s\nuint64 u\nbool "+
		"o\nfloat32 f")
	var b []byte
	b = le.AppendUint64(le.AppendUint64(le.AppendUint64(le.AppendUint32(b, 3), nan), inf), math.Float64bits(1e-9))
	b = append(le.AppendUint32(b, 2), 255, 0)
	b = append(b, 'a', 'b', 'c', 0xff, 5)
	b = le.AppendUint32(le.AppendUint32(b, 7), 8)
	b = le.AppendUint32(le.AppendUint32(b, math.MaxUint32), 9)
	b = append(le.AppendUint32(b, 3), 'x', 0xff, '\n')
	b = append(le.AppendUint64(b, math.MaxUint64), 1)
	b = le.AppendUint32(b, math.Float32bits(0.1))
	got, err := c.AppendJSON(nil, b)
	want := `{"x":[null,null,1e-09],"b":"/wA=","c":"YWJj","i":[-1,5],"t":{"secs":7,"nsecs":8},` +
		`"d":{"secs":-1,"nsecs":9},"s":"x` + "\uFFFD" + `\u000a","u":18446744073709551615,"o":true,"f":0.1}`
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
	if !json.Valid(got) {
		t.Error("is not JSON")
	}
}

func TestCBOR(t *testing.T) {
	// The expected bytes follow RFC 8949, appendix A, and RFC 8746, section 2.
	c := define(t, "float32[] x\nuint8[] b\nint16 i\nbool o\nstring[1] s\ntime t\nuint16[2] w")
	var b []byte
	b = le.AppendUint32(le.AppendUint32(b, 1), math.Float32bits(1))
	b = append(le.AppendUint32(b, 2), 1, 2)
	b = append(le.AppendUint16(b, 0x10000-500), 1)
	b = append(le.AppendUint32(b, 1), 'a')
	b = le.AppendUint32(le.AppendUint32(b, 1), 1000000)
	b = append(b, 1, 0, 2, 0)
	got, err := c.AppendCBOR(nil, b)
	want := "a7" + "6178" + "d855" + "440000803f" + "6162" + "420102" + "6169" + "3901f3" + "616f" + "f5" +
		"6173" + "816161" + "6174" + "a2" + "6473656373" + "01" + "656e73656373" + "1a000f4240" + "6177" + "d845" +
		"4401000200"
	if err != nil || hex.EncodeToString(got) != want {
		t.Errorf("%v\ngot  %x\nwant %s", err, got, want)
	}
}

var now = msg.Time{Sec: 5, Nsec: 6}

func TestDefaults(t *testing.T) {
	c := codec(t, "geometry_msgs/PointStamped")
	for _, m := range []struct{ in, want string }{
		{`{}`, `{"header":{"seq":0,"stamp":{"secs":0,"nsecs":0},"frame_id":""},"point":{"x":0,"y":0,"z":0}}`},
		{` {"header" : {"frame_id":"\u00e4\n"}, "point":{"y":-1e3 , "x":null}}`,
			`{"header":{"seq":0,"stamp":{"secs":5,"nsecs":6},"frame_id":"ä\u000a"},"point":{"x":null,"y":-1000,` +
				`"z":0}}`},
		{`{"header":{"stamp":{"secs":1}}}`,
			`{"header":{"seq":0,"stamp":{"secs":1,"nsecs":0},"frame_id":""},"point":{"x":0,"y":0,"z":0}}`},
		{`{"header":{"stamp":"now"}}`,
			`{"header":{"seq":0,"stamp":{"secs":5,"nsecs":6},"frame_id":""},"point":{"x":0,"y":0,"z":0}}`},
	} {
		b, err := c.AppendROS(nil, []byte(m.in), now)
		if err != nil {
			t.Errorf("%s: %v", m.in, err)
			continue
		}
		got, err := c.AppendJSON(nil, b)
		if err != nil || string(got) != m.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", m.in, err, got, m.want)
		}
	}
}

func TestBytes(t *testing.T) {
	c := define(t, "uint8[] b\nchar[3] c")
	for _, in := range []string{`{"b":"AQI=","c":"AQID"}`, `{"b":[1,2],"c":[1,2,3.0]}`, `{"b":"AQI","c":"AQID"}`} {
		got, err := c.AppendROS(nil, []byte(in), now)
		if want := []byte{2, 0, 0, 0, 1, 2, 1, 2, 3}; err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %x, %v", in, got, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	c := define(t, "int8 i\nuint16 u\nfloat32 f\nbool o\nstring s\ntime t\nB b\nB[2] bs\nuint8[2] c\nuint64 w\nB[] "+
		"v\nD[] e", "int8 x", "", "")
	for _, m := range []struct{ in, want string }{
		{`{"i":1`, `message a/A: {"i":1: must be valid JSON`},
		{``, `message a/A: : must be valid JSON`},
		{`[]`, `message a/A: []: must be an object`},
		{`{"j":1}`, `message a/A: j: no such field`},
		{`{"i":128}`, `message a/A: i: 128: must be an integer in [-128, 127]`},
		{`{"i":1.5}`, `message a/A: i: 1.5: must be an integer in [-128, 127]`},
		{`{"u":-1}`, `message a/A: u: -1: must be an integer in [0, 65535]`},
		{`{"w":1e20}`, `message a/A: w: 1e20: must be an integer in [0, 18446744073709551615]`},
		{`{"f":1e39}`, `message a/A: f: 1e39: must fit float32`},
		{`{"f":"1"}`, `message a/A: f: "1": must be a number`},
		{`{"o":1}`, `message a/A: o: 1: must be true or false`},
		{`{"s":1}`, `message a/A: s: 1: must be a string`},
		{`{"t":1}`, `message a/A: t: 1: must be an object`},
		{`{"t":{"secs":-1}}`, `message a/A: t: secs: -1: must be an integer in [0, 4294967295]`},
		{`{"t":{"s":1}}`, `message a/A: t: s: no such field: a time has secs and nsecs`},
		{`{"b":{"x":"` + strings.Repeat("y", 100) + `"}}`, `message a/A: b: x: "` + strings.Repeat("y", 39) +
			`…: must be an integer in [-128, 127]`},
		{`{"bs":[{}]}`, `message a/A: bs: 1 elements: must be 2`},
		{`{"bs":[{},{},{}]}`, `message a/A: bs: [2]: must have 2 elements`},
		{`{"bs":{}}`, `message a/A: bs: {}: must be an array`},
		{`{"v":[{},{"x":true}]}`, `message a/A: v: [1]: x: true: must be an integer in [-128, 127]`},
		{`{"c":"AQ=="}`, `message a/A: c: 1 bytes: must be 2`},
		{`{"c":"???"}`, `message a/A: c: "???": must be base64`},
		{`{"e":[` + strings.Repeat("{},", maxEmpty) + `{}]}`,
			`message a/A: e: [65536]: a message has at most 65536 elements without bytes`},
	} {
		if _, err := c.AppendROS(nil, []byte(m.in), now); err == nil || err.Error() != m.want {
			t.Errorf("%.60s:\ngot  %v\nwant %s", m.in, err, m.want)
		}
	}
}

func TestRefusesBytes(t *testing.T) {
	c := define(t, "string[] s\nB[] b\nD[] e\nB[2] f", "float64 x", "", "")
	for _, m := range []struct {
		in   []byte
		want string
	}{
		{nil, "s: 0 bytes left: must be at least 4: ends too early"},
		{[]byte{255, 255, 255, 255}, "s: 4294967295 elements: 0 bytes are left: ends too early"},
		{[]byte{1, 0, 0, 0, 5, 0, 0, 0, 'x'}, "s: [0]: string of 5 bytes: 1 bytes are left: ends too early"},
		{[]byte{0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255}, "e: 4294967295 elements without bytes: a message has at " +
			"most 65536"},
		{make([]byte, 12), "f: 2 elements: 0 bytes are left: ends too early"},
		{make([]byte, 29), "1 bytes left over: must end with its last field"},
	} {
		for _, f := range []func(dst, b []byte) ([]byte, error){c.AppendJSON, c.AppendCBOR} {
			if _, err := f(nil, m.in); err == nil || !strings.HasSuffix(err.Error(), m.want) {
				t.Errorf("% x:\ngot  %v\nwant %s", m.in, err, m.want)
			}
		}
	}
}

// TestBombs checks limits on definitions and input that expand a short text or a few bytes to a large message.
func TestBombs(t *testing.T) {
	big := must.Get(msg.ParseFull("a/A", "B[1048576] x\n"+strings.Repeat("=",
		80)+"\nMSG: a/B\nstd_msgs/Empty[1048576] y\n"+
		strings.Repeat("=", 80)+"\nMSG: std_msgs/Empty\n"))(t)
	must.Refuse(Compile(big))(t, "an empty message takes more than")
	c := define(t, "B[] x", "float64[1000000] y")
	must.Refuse(c.AppendROS(nil, []byte(`{"x":[`+strings.Repeat("{},", 99)+`{}]}`), now))(t, "takes more than")
	c = define(t, "B[] x", "D[] y", "", "")
	b := le.AppendUint32(nil, 1000)
	for range 1000 {
		b = le.AppendUint32(b, maxEmpty)
	}
	must.Refuse(c.AppendJSON(nil, b))(t, "a message has at most")
}

// Values returns the values of a message with their paths.
func TestValues(t *testing.T) {
	c := define(t, "B b\nB[] bs\nuint8[] raw\nint16[2] i\nstring s\ntime t\nduration d\nbool o\nuint64 u",
		"float64 x\nC c", "float32 y")
	var b []byte
	b = le.AppendUint32(le.AppendUint64(b, math.Float64bits(-1.5)), math.Float32bits(0.25))
	b = le.AppendUint32(b, 1)
	b = le.AppendUint32(le.AppendUint64(b, math.Float64bits(math.Inf(1))), math.Float32bits(2))
	b = append(le.AppendUint32(b, 2), 1, 2)
	b = append(b, 0xff, 0xff, 3, 0)
	b = append(le.AppendUint32(b, 2), 'o', 'k')
	b = le.AppendUint32(le.AppendUint32(b, 7), 5e8)
	b = le.AppendUint32(le.AppendUint32(b, math.MaxUint32), 25e7)
	b = le.AppendUint64(append(b, 1), 1<<40)
	var got []string
	err := c.Values(b, func(v *Value) { got = append(got, fmt.Sprintf("%s=%v%s", v.Path, v.Number, v.Text)) })
	want := "b.x=-1.5 b.c.y=0.25 bs[0].x=+Inf bs[0].c.y=2 i[0]=-1 i[1]=3 s=NaNok t=7.5 d=-0.75 o=1 u=1.099511627776e+12"
	if text := strings.Join(got, " "); err != nil || text != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, text, want)
	}
}

// Every number of random messages equals the one at the same path in JSON.
func TestValuesAreThoseOfJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range fuzzed {
		c := codec(t, name)
		for range 20 {
			b := random(nil, c.root, r)
			text, err := c.AppendJSON(nil, b)
			var root any
			if err == nil {
				err = json.Unmarshal(text, &root)
			}
			if err == nil {
				err = c.Values(b, func(v *Value) {
					if x := valueAt(root, string(v.Path)); !sameValue(x, v) {
						t.Errorf("%s: %s = %v %q, JSON has %v", name, v.Path, v.Number, v.Text, x)
					}
				})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// valueAt returns the value at a path in decoded JSON.
func valueAt(x any, path string) any {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		switch y := x.(type) {
		case map[string]any:
			x = y[part]
		case []any:
			var i int
			fmt.Sscan(part, &i)
			x = y[i]
		}
	}
	return x
}

func sameValue(x any, v *Value) bool {
	switch y := x.(type) {
	case string:
		return v.Text != nil && y == strings.ToValidUTF8(string(v.Text), "\uFFFD")
	case bool:
		return (v.Number == 1) == y && (v.Number == 0) == !y
	case map[string]any: // a time
		if sec, ok := y["sec"].(float64); ok { // of ROS 2
			return v.Number == sec+y["nanosec"].(float64)/1e9
		}
		return v.Number == y["secs"].(float64)+y["nsecs"].(float64)/1e9
	case float64:
		return v.Number == y || float32(v.Number) == float32(y) // float32 is written with fewer digits
	}
	return false
}

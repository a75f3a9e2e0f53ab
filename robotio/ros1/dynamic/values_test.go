package dynamic

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

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
		return v.Number == y["secs"].(float64)+y["nsecs"].(float64)/1e9
	case float64:
		return v.Number == y || float32(v.Number) == float32(y) // float32 is written with fewer digits
	}
	return false
}

package mapping

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is msg.Codec, which encodes the message that the picker reads.
func TestPicker(t *testing.T) {
	def := must.Get(testTypes(t).Message("t/All"))(t)
	codec := must.Get(msg.Compile[all](def))(t)
	m := all{
		Header: msg.Header{Seq: 7, FrameID: "f"}, Yes: true, Small: -3, Byte: 200, Short: -300, Whole: math.MinInt32,
		Far:  math.MaxUint32,
		Long: -1 << 40, Single: 0.5, Text: "grüße", When: msg.Time{Sec: 2, Nsec: 5e8}, Later: msg.Duration{Sec: -1,
			Nsec: 25e7},
		List: []point{{1, 2, "a"}}, One: point{3, 4, "b"}, Xs: []float32{10, 20}, Three: [3]int16{1, 2, -3},
		Names: []string{"p", "q"},
		Color: 9, Data: []byte{5, 6},
	}
	paths := []string{
		"header.seq", "header.frame_id", "yes", "small", "byte", "short", "whole", "far", "long", "single", "text",
		"when", "later",
		"one.bearing", "one.who", "xs[1]", "xs[5]", "three[2]", "names[0]", "color", "data[1]", "color",
	}
	p := must.Get(newPicker(def, paths))(t)
	got := must.Get(p.Pick(codec.Append(nil, &m)))(t)
	n := func(x float64) dynamic.Scalar { return dynamic.Scalar{Number: x} }
	want := []dynamic.Scalar{
		n(7), {Text: "f", IsText: true}, n(1), n(-3), n(200), n(-300), n(math.MinInt32), n(math.MaxUint32), n(-1 << 40),
		n(0.5), {Text: "grüße", IsText: true}, n(2.5), n(-0.75),
		n(4), {Text: "b", IsText: true}, n(20), n(0), n(-3), {Text: "p", IsText: true}, n(9), n(6), n(9),
	}
	must.Equal(t, got, want, "result")
	for _, bad := range []string{"nothing", "one", "xs", "list[0].x", "three[3]", "text[0]", "one.x.y"} {
		if _, err := newPicker(def, []string{bad}); err == nil {
			t.Errorf("%q was found", bad)
		}
	}
}

// The picker does not panic and accepts the same messages as msg.Codec.
func FuzzPick(f *testing.F) {
	def := must.Get(testTypes(f).Message("t/All"))(f)
	codec := must.Get(msg.Compile[all](def))(f)
	p := must.Get(newPicker(def, []string{"header.seq", "text", "xs[1]", "names[0]", "one.who", "data[3]"}))(f)
	f.Add(codec.Append(nil, &all{List: []point{{}}, Names: []string{"a"}, Xs: []float32{1, 2}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var m all
		want := codec.Decode(b, &m)
		got, err := p.Pick(b)
		if (err == nil) != (want == nil) {
			t.Fatalf("picker: %v, wire: %v", err, want)
		}
		if err == nil && (got[0].Number != float64(m.Header.Seq) || got[1].Text != m.Text) {
			t.Errorf("got %v of %+v", got, m)
		}
	})
}

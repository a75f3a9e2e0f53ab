package mapping

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// view holds the values of testQuantities.
type view struct {
	points [][2]float64
	name   string
	pixels []byte
}

func testQuantities(v *view) *quantity.Set {
	q, m := quantity.NewSet(), quantity.NewSet()
	number := func(dim quantity.Dimension, get func(*quantity.Context) float64) quantity.Number {
		return quantity.Number{Dim: dim, Get: get}
	}
	many := func(*quantity.Context) int { return len(v.points) }
	m.Numbers["x"] = number(quantity.Length, func(c *quantity.Context) float64 { return v.points[c.Member][0] })
	m.Numbers["bearing"] = number(quantity.Angle, func(c *quantity.Context) float64 {
		p := v.points[c.Member]
		return math.Atan2(p[1], p[0])
	})
	m.Texts["member"] = func(c *quantity.Context) string { return strings.Repeat("m", c.Member+1) }
	q.Lists["points"] = quantity.List{Members: m, Len: many}
	q.Numbers["many"] = number(quantity.Plain, func(c *quantity.Context) float64 { return float64(many(c)) })
	q.Numbers["far"] = number(quantity.Length, func(*quantity.Context) float64 { return 1e9 })
	q.Numbers["nan"] = number(quantity.Plain, func(*quantity.Context) float64 { return math.NaN() })
	var xs []float64
	q.Vectors["xs"] = quantity.Vector{Dim: quantity.Length, Get: func(*quantity.Context) []float64 {
		xs = xs[:0]
		for _, p := range v.points {
			xs = append(xs, p[0])
		}
		return xs
	}}
	q.Texts["name"] = func(*quantity.Context) string { return v.name }
	q.Times["stamp"] = func(*quantity.Context) time.Duration { return 1500 * time.Millisecond }
	q.Blobs["pixels"] = func(c *quantity.Context) []byte {
		return c.Blob("pixels", func() ([]byte, func()) { return v.pixels, func() { v.pixels = nil } })
	}
	return q
}

// testTypes returns a library with a message that has a field of every shape.
func testTypes(t testing.TB) *msg.Library {
	t.Helper()
	l := must.Get(msg.Load("std"))(t)
	addTestTypes(t, l, strings.NewReplacer())
	return l
}

// testTypesROS2 returns the same types for ROS 2.
func testTypesROS2(t testing.TB) *msg.Library {
	t.Helper()
	l := must.Get(msg.LoadROS2("jazzy"))(t)
	addTestTypes(t, l, strings.NewReplacer("Header header", "std_msgs/Header header", "time when",
		"builtin_interfaces/Time when", "duration later", "builtin_interfaces/Duration later"))
	return l
}

func addTestTypes(t testing.TB, l *msg.Library, change *strings.Replacer) {
	t.Helper()
	for name, text := range map[string]string{
		"t/Point": "float32 x\nfloat64 bearing\nstring who\n",
		"t/All": `Header header
bool yes
int8 small
uint8 byte
int16 short
int32 whole
uint32 far
int64 long
float32 single
string text
time when
duration later
t/Point[] list
t/Point[2] two
t/Point one
float32[] xs
int16[3] three
string[] names
uint8 color
uint8[] data
`,
	} {
		must.Do(t, l.AddMessage(name, change.Replace(text)))
	}
}

type point struct {
	X       float32
	Bearing float64
	Who     string
}

type all struct {
	Header msg.Header
	Yes    bool
	Small  int8
	Byte   uint8
	Short  int16
	Whole  int32
	Far    uint32
	Long   int64
	Single float32
	Text   string
	When   msg.Time
	Later  msg.Duration
	List   []point
	Two    [2]point
	One    point
	Xs     []float32
	Three  [3]int16
	Names  []string
	Color  uint8
	Data   []byte
}

func allMapping() map[string]any {
	return map[string]any{
		"yes": "many", "small": -200.0, "byte": int64(300), "short": "nan", "whole": "far", "far": "far",
		"long":   int64(-7),
		"single": "many", "text": "{name} has {name}", "when": "stamp", "later": "stamp",
		"list": map[string]any{"each": "points", "x": "x", "bearing": "bearing", "who": "{name}/{member}"},
		"two":  []any{map[string]any{"x": 1.5}, map[string]any{"who": "second"}},
		"xs":   "xs", "three": "xs", "names": map[string]any{"each": "points", "is": "{member}"},
		"color": map[string]any{"of": "name", "is": map[string]any{"ball": int64(5)}, "else": int64(9)},
		"data":  "pixels",
	}
}

// The oracle is msg.Codec, which decodes the message that the template has filled.
func TestTemplate(t *testing.T) {
	for ros, types := range map[string]*msg.Library{"ROS 1": testTypes(t), "ROS 2": testTypesROS2(t)} {
		t.Run(ros, func(t *testing.T) { testTemplate(t, must.Get(types.Message("t/All"))(t)) })
	}
}

func testTemplate(t *testing.T, def *msg.Definition) {
	t.Helper()
	v := &view{points: [][2]float64{{1, 0}, {0, 2}}, name: "ball", pixels: []byte{1, 2, 3}}
	tpl := must.Get(newTemplate(def, allMapping(), templateConfig{known: testQuantities(v), units: unitsOf("cm", "deg"),
		frame: "{name}/base", path: "m"}))(t)
	c := &quantity.Context{}
	tail, free := tpl.Tail(c)
	b := append(tpl.Append(nil, c), tail...)
	c.FreeBlobs()
	if v.pixels == nil {
		t.Error("the tail went back before it was sent")
	}
	if free(); v.pixels != nil {
		t.Error("the tail does not go back")
	}
	codec := must.Get(msg.Compile[all](def))(t)
	var got all
	must.Do(t, codec.Decode(b, &got))
	want := all{
		Header: msg.Header{Stamp: msg.Time{Sec: 1, Nsec: 5e8}, FrameID: "ball/base"},
		Yes:    true, Small: -128, Byte: 255, Whole: math.MaxInt32, Far: math.MaxUint32, Long: -7, Single: 2,
		Text: "ball has ball", When: msg.Time{Sec: 1, Nsec: 5e8}, Later: msg.Duration{Sec: 1, Nsec: 5e8},
		List: []point{{100, 0, "ball/m"}, {0, 90, "ball/mm"}}, Two: [2]point{{X: 1.5}, {Who: "second"}},
		Xs: []float32{100, 0}, Three: [3]int16{100, 0, 0}, Names: []string{"m", "mm"}, Color: 5, Data: []byte{1, 2, 3},
	}
	must.Equal(t, got, want, "message")
	// Without values, all fields are zero.
	var zero all
	empty := must.Get(newTemplate(def, nil, templateConfig{known: testQuantities(v), path: "m"}))(t)
	must.Do(t, codec.Decode(empty.Append(nil, c), &zero))
	must.Equal(t, zero, all{Header: msg.Header{Stamp: want.Header.Stamp}}, "message without values")
	// the texts of this test make strings
	if n := testing.AllocsPerRun(100, func() { b = tpl.Append(b[:0], c) }); !(n <= 2) {
		t.Errorf("%v allocations a message", n)
	}
}

func TestTemplateErrors(t *testing.T) {
	def := must.Get(testTypes(t).Message("t/All"))(t)
	for _, c := range []struct {
		mapping map[string]any
		want    string
	}{
		{map[string]any{"singel": 1.0}, "m.singel: t/All has no such field; did you mean single?"},
		{map[string]any{"single": "mani"}, `m.single = "mani": is no number here; there are far, many, nan`},
		{map[string]any{"text": 3.0}, "m.text = 3: must be text, with quantities in {braces}"},
		{map[string]any{"text": map[string]any{"of": "name"}}, `m.text: must be text, or { of = "quantity", is = `},
		{map[string]any{"text": map[string]any{"of": "nmae", "is": map[string]any{}}}, `m.text.of = "nmae": is no text`},
		{map[string]any{"text": map[string]any{"of": "name", "is": map[string]any{"a": 1.0}}},
			"m.text.is.a = 1: must be text"},
		{map[string]any{"text": "{nobody}"}, "{nobody} is no text here; there are name"},
		{map[string]any{"text": "{name"}, "{name has no } at its end"},
		{map[string]any{"one": 3.0}, "m.one = 3: must be a table of the fields of t/Point"},
		{map[string]any{"two": []any{map[string]any{}}}, "m.two: has 1 elements: must have 2"},
		{map[string]any{"list": map[string]any{"each": "lines"}}, `m.list.each = "lines": is no list here`},
		{map[string]any{"xs": "many"}, `is no quantity of several numbers here; there are xs`},
		{map[string]any{"when": "many"}, `is no time here; there are stamp`},
		{map[string]any{"list": 3.0}, "must be a list, a quantity of several numbers, or each"},
		{map[string]any{"color": map[string]any{"of": "name"}}, "m.color: must be { of ="},
		{map[string]any{"color": map[string]any{"of": "nobody", "is": map[string]any{}}},
			"is no number and no text here"},
	} {
		_, err := newTemplate(def, c.mapping, templateConfig{known: testQuantities(&view{}), units: unitsOf("m", "rad"),
			path: "m"})
		must.Fail(t, err, c.want, c.mapping)
	}
}

func TestSilent(t *testing.T) {
	def := must.Get(testTypes(t).Message("t/Point"))(t)
	var v view
	tpl := must.Get(newTemplate(def, nil, templateConfig{known: testQuantities(&v), when: "many", path: "m"}))(t)
	silent := tpl.Silent(&quantity.Context{})
	if v.points = make([][2]float64, 1); !silent || tpl.Silent(&quantity.Context{}) {
		t.Error("there is a message without points, or none with one")
	}
}

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
		"one.bearing", "one.who", "xs[1]", "xs[5]", "three[2]", "names[0]", "color", "data[1]", "color", "xs[]",
		"three[]", "names[]",
	}
	p := must.Get(newPicker(def, paths))(t)
	got := must.Get(p.Pick(codec.Append(nil, &m)))(t)
	n := func(x float64) dynamic.Scalar { return dynamic.Scalar{Number: x} }
	want := []dynamic.Scalar{
		n(7), {Text: "f", IsText: true}, n(1), n(-3), n(200), n(-300), n(math.MinInt32), n(math.MaxUint32), n(-1 << 40),
		n(0.5), {Text: "grüße", IsText: true}, n(2.5), n(-0.75),
		n(4), {Text: "b", IsText: true}, n(20), n(0), n(-3), {Text: "p", IsText: true}, n(9), n(6), n(9),
		{All: &dynamic.Array{Numbers: []float64{10, 20}}}, {All: &dynamic.Array{Numbers: []float64{1, 2, -3}}},
		{All: &dynamic.Array{Texts: []string{"p", "q"}}},
	}
	must.Equal(t, got, want, "picked values")
	for _, bad := range []string{"nothing", "one", "xs", "list[0].x", "three[3]", "text[0]", "text[]", "list[]",
		"one.x.y"} {
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

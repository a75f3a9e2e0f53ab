package msg

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestCompileErrors(t *testing.T) {
	var lib Library
	for name, text := range map[string]string{"p/In": "float32 x\n",
		"p/M": "int32 a_b\nIn[] in\nuint8[3] three\ntime t\n"} {
		must.Do(t, lib.AddMessage(name, text))
	}
	def := must.Get(lib.Message("p/M"))(t)
	type in struct{ X float32 }
	type dur = Duration
	cases := []struct {
		err  error
		want string
	}{
		{compileErr[struct {
			AB    int32
			In    []in
			Three [3]uint8
			T     Time
		}](def), ""},
		{compileErr[struct {
			Other int32 `ros:"a_b"`
			In    []in
			Three [3]uint8
			T     Time
		}](def), ""},
		{compileErr[struct {
			AB    int32
			In    []in
			Three [3]uint8
		}](def), "no field for t"},
		{compileErr[struct {
			AB    int64
			In    []in
			Three [3]uint8
			T     Time
		}](def), "field AB: is int64: must hold int32"},
		{compileErr[struct {
			AB    int32
			In    in
			Three [3]uint8
			T     Time
		}](def), "field In: is msg.in: must hold p/In[]"},
		{compileErr[struct {
			AB    int32
			In    []struct{ X, Y float32 }
			Three [3]uint8
			T     Time
		}](def), "field In: field Y: the message has no such field"},
		{compileErr[struct {
			AB    int32
			In    []in
			Three [4]uint8
			T     Time
		}](def), "field Three: is [4]uint8: must hold uint8[3]"},
		{compileErr[struct {
			AB    int32
			In    []in
			Three [3]uint8
			T     dur
		}](def), "field T: is msg.Duration: must hold time"},
		{compileErr[struct {
			AB, A_B int32
			In      []in
			Three   [3]uint8
			T       Time
		}](def), "fields AB and A_B both match a_b"},
		{compileErr[struct {
			AB    int32
			In    []in
			Three [3]uint8
			t     Time
		}](def), "field t: must be exported"},
		{compileErr[int](def), "must be a struct"},
	}
	for _, c := range cases {
		if c.want == "" && c.err != nil || c.want != "" && (c.err == nil || !strings.Contains(c.err.Error(), c.want)) {
			t.Errorf("err = %v, want %q", c.err, c.want)
		}
	}
}

func compileErr[T any](def *Definition) error {
	_, err := Compile[T](def)
	return err
}

func BenchmarkMarshalOdoInfo(b *testing.B) {
	def := must.Get(definition("nubot", "nubot_common/OdoInfo"))(b)
	c := must.Get(Compile[OdoInfo](def))(b)
	m := &OdoInfo{Header: Header{FrameID: "base_link"}, Vx: 1}
	var buf []byte
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf = c.Append(buf[:0], m)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Do(b, c.Decode(buf, m))
		}
	})
}

func TestTime(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want Time
	}{
		{0, Time{}}, {-1, Time{}}, {1500 * time.Millisecond, Time{1, 5e8}},
		{math.MaxInt64, Time{math.MaxUint32, 999999999}},
	} {
		must.Equal(t, TimeFrom(c.d), c.want, "TimeFrom(%v)", c.d)
	}
	must.Equal(t, (Time{3, 7}).String(), "3.000000007", "String")
}

// TestConversions checks conversion both ways, and that nanoseconds are in [0, 1e9).
func TestConversions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, math.MaxInt32*1e9).Draw(t, "d"))
		if r := TimeFrom(d); r.Since() != d || r.Nsec >= 1_000_000_000 {
			t.Fatalf("TimeFrom(%v) = %v", d, r)
		}
	})
}

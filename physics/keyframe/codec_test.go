package keyframe_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
)

type kind string

// plain has a field of every kind of plain data.
type plain struct {
	Flag    bool
	N       int
	Small   int8
	U       uint64
	Byte    uint8
	F       float64
	Single  float32
	For     time.Duration
	Name    string
	Kind    kind
	Vec     [3]float64
	Nested  struct{ A, B float64 }
	List    []float64
	Lists   [][]string
	Pointer *struct{ X float64 }
}

// state is a part like those of a simulation.
type state struct {
	flag, other bool
	f           float64
	vec         [3]float64
	single      float32
	n           int
	at          int // in [−1, 5)
	i           int64
	u           uint64
	since       time.Duration
	name        kind
	raw         []byte
	ring        []time.Duration
	plain       plain
}

func (s *state) Exchange(c *keyframe.Codec) {
	c.Part("first", "")
	c.Bools(&s.flag, &s.other)
	c.Float(&s.f)
	c.Floats(s.vec[:])
	c.Single(&s.single)
	c.Int(&s.n)
	c.Index(&s.at, -1, 5)
	c.Part("second", "")
	c.Int64(&s.i)
	c.Uint(&s.u)
	c.Duration(&s.since)
	keyframe.Text(c, &s.name)
	c.Bytes(&s.raw)
	keyframe.Slice(c, &s.ring, func(d *time.Duration, c *keyframe.Codec) { c.Duration(d) })
	c.Value(&s.plain)
}

// full returns a state with numbers that differ from others only in their bits.
func full() *state {
	nan := math.Float64frombits(0x7ff8_0000_dead_beef)
	s := &state{
		flag: true, f: nan, vec: [3]float64{math.Copysign(0, -1), math.Inf(-1), 5e-324},
		single: math.Float32frombits(0x7fc0_1234),
		n:      math.MinInt, at: 4, i: math.MaxInt64, u: math.MaxUint64, since: -time.Hour, name: "ö\x00",
		raw: []byte{0, 255}, ring: []time.Duration{1, -2, math.MaxInt64},
	}
	s.plain = plain{
		Flag: true, N: -1, Small: -128, U: math.MaxUint64, Byte: 255, F: nan, Single: -0, For: 1, Name: "name",
		Kind: "k", Vec: [3]float64{1, 2, nan},
		List: []float64{1, 2}, Lists: [][]string{{"a", ""}, {"b"}}, Pointer: &struct{ X float64 }{3},
	}
	s.plain.Nested.B = -0.5
	return s
}

func save(s keyframe.Exchanger) []byte {
	c := keyframe.Append(nil)
	s.Exchange(c)
	return c.Data()
}

// Restored state has every bit of the saved state, whatever was there before.
func TestEveryBitIsKept(t *testing.T) {
	for name, from := range map[string]*state{"full": full(), "zero": {}} {
		want := save(from)
		for before, into := range map[string]*state{"full": full(), "zero": {}} {
			c := keyframe.Restore(want)
			into.Exchange(c)
			if err := c.End(); err != nil {
				t.Errorf("%s into %s: %v", name, before, err)
			}
			if got := save(into); !bytes.Equal(got, want) {
				t.Errorf("%s into %s: is\n%x, want\n%x", name, before, got, want)
			}
		}
	}
	// Independently of the codec: numbers by their bits, the rest by reflection.
	var into state
	into.Exchange(keyframe.Restore(save(full())))
	want := full()
	if math.Float64bits(into.f) != math.Float64bits(want.f) ||
		math.Float32bits(into.single) != math.Float32bits(want.single) || !math.Signbit(into.vec[0]) ||
		math.Float64bits(into.plain.Vec[2]) != math.Float64bits(want.plain.Vec[2]) {
		t.Errorf("%+v, want the bits of %+v", into, want)
	}
	for _, s := range []*state{&into, want} { // NaNs, which are not equal to themselves
		s.f, s.single, s.plain.F, s.plain.Vec[2] = 0, 0, 0, 0
	}
	if !reflect.DeepEqual(&into, want) {
		t.Errorf("%+v, want %+v", into, want)
	}
}

// The codec appends behind the existing bytes.
func TestAppendKeepsWhatThereIs(t *testing.T) {
	c := keyframe.Append([]byte("before"))
	full().Exchange(c)
	must.Equal(t, c.Data(), append([]byte("before"), save(full())...), "data")
}

// If data is cut off or added, restoring fails with the part's name, and later fields stay unchanged.
func TestDamage(t *testing.T) {
	data := save(full())
	for n := range data {
		var s state
		c := keyframe.Restore(data[:n])
		s.Exchange(c)
		if err := c.End(); err == nil || !strings.HasPrefix(err.Error(), "key frame: first: ") &&
			!strings.HasPrefix(err.Error(), "key frame: second: ") {
			t.Errorf("%d bytes of %d: %v", n, len(data), err)
		}
	}
	for want, c := range map[string]struct {
		data []byte
		pass func(*keyframe.Codec)
	}{
		"key frame: 2 bytes follow its end": {[]byte{0, 0}, func(*keyframe.Codec) {}},
		"key frame: has 2 where a truth value must be 0 or 1": {[]byte{2},
			func(c *keyframe.Codec) { c.Bool(new(bool)) }},
		"key frame: has an index of 3, which must lie in [0, 3)": {[]byte{6},
			func(c *keyframe.Codec) { c.Index(new(int), 0, 3) }},
		"key frame: has an index of -2, which must lie in [-1, 3)": {[]byte{3},
			func(c *keyframe.Codec) { c.Index(new(int), -1, 3) }},
		"key frame: ends too early: 100 things are to follow in 1 bytes": {[]byte{100, 0},
			func(c *keyframe.Codec) { c.Bytes(new([]byte)) }},
		"key frame: ends too early, or has an integer that is too large": {bytes.Repeat([]byte{255}, 11),
			func(c *keyframe.Codec) { c.Uint(new(uint64)) }},
		"key frame: has an integer that is too large: 128": {[]byte{128, 2},
			func(c *keyframe.Codec) { c.Value(new(int8)) }},
		"key frame: has an integer that is too large: 256": {[]byte{128, 2},
			func(c *keyframe.Codec) { c.Value(new(uint8)) }},
		"key frame: ends too early: 1000000 things are to follow in 0 bytes": {[]byte{192, 132, 61},
			func(c *keyframe.Codec) { c.Value(new([]float64)) }},
	} {
		codec := keyframe.Restore(c.data)
		c.pass(codec)
		must.Equal(t, fmt.Sprint(codec.End()), want, "error")
	}
	kept := 7
	c := keyframe.Restore([]byte{255})
	c.Bool(new(bool))
	c.Int(&kept)
	c.Index(&kept, 0, 8)
	if kept != 7 {
		t.Errorf("%d was restored after an error", kept)
	}
}

// Types that are no plain data are a programmer's mistake.
func TestOtherTypesPanic(t *testing.T) {
	for _, x := range []any{new(map[string]int), new(any), new(func()), &struct{ hidden int }{}, new(chan int)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: no panic", x)
				}
			}()
			keyframe.Append(nil).Value(x)
		}()
	}
}

// Whatever the data, restoring ends without a panic and takes little memory. It either fails, or restores a state whose
// saved form is the same data.
func FuzzRestore(f *testing.F) {
	f.Add(save(full()))
	f.Add(save(&state{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s state
		c := keyframe.Restore(data)
		s.Exchange(c)
		if err := c.End(); err != nil {
			if !strings.HasPrefix(err.Error(), "key frame: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
		} else {
			again := save(&s)
			var x state
			c := keyframe.Restore(again)
			x.Exchange(c)
			if err := c.End(); err != nil || !bytes.Equal(save(&x), again) {
				t.Errorf("%x: %v", data, err)
			}
		}
		if n := cap(s.ring)*8 + cap(s.plain.List)*8 + cap(s.plain.Lists)*24 + cap(s.raw); n > 64*len(data)+1024 {
			t.Errorf("%d bytes of memory for %d of data", n, len(data))
		}
	})
}

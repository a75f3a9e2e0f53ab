package mitecom

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// The bytes are those of the structs of mitecom-data.h on a little-endian machine: 'MXTC' is the number 0x4d585443.
func TestMessage(t *testing.T) {
	m := Message{Flags: 5, Team: 4, Robot: 258}
	m.Set(Role, 2)
	m.Set(X, -1500)
	m.Set(RivalX+3, 7)
	m.Set(X, 9)
	b := m.Append([]byte{1})
	must.Equal(t, hex.EncodeToString(b[1:]), "4354584d"+"0100"+"0400"+"05000000"+"0400"+"0201"+
		"0000000002000000"+"0000010024faffff"+"0d00010007000000"+"0000010009000000", "bytes")
	got := must.Get(Parse(b[1:]))(t)
	for key, want := range map[Key]int32{Role: 2, X: 9, 0x1000d: 7} {
		v, ok := got.Get(key)
		if v != want || !ok {
			t.Errorf("%#x = %d, %v, want %d", uint32(key), v, ok, want)
		}
	}
	if _, ok := got.Get(BallX); ok {
		t.Error("the ball is known")
	}
	must.Equal(t, [3]Key{MateX, BallTime, Side}, [3]Key{0x10016, 0x20002, 0x30001}, "keys")
	must.Refuse(Parse(nil))(t, "a datagram of 0 bytes: must begin with the header of Mitecom")
	must.Refuse(Parse(b))(t, "must begin with the header")
	must.Refuse(Parse(b[1:len(b)-1]))(t, "with 4 values has 47 bytes: must have 48")
	b[5] = 2
	must.Refuse(Parse(b[1:]))(t, "version 2 of Mitecom: must be 1")
}

// Whatever is parsed has the same bytes again.
func FuzzParse(f *testing.F) {
	m := Message{Team: 1, Robot: 2, Values: []Value{{X, -1}}}
	f.Add(m.Append(nil))
	f.Add([]byte("CTXM"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := Parse(b); err == nil && !bytes.Equal(m.Append(nil), b) {
			t.Errorf("%x becomes %x", b, m.Append(nil))
		}
	})
}

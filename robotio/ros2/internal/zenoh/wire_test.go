package zenoh

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestNumbers(t *testing.T) {
	for v, want := range map[uint64]string{
		0: "00", 127: "7f", 128: "8001", 1<<14 - 1: "ff7f", 1<<56 - 1: "ffffffffffffff7f",
		1 << 56: "808080808080808001", 1<<64 - 1: "ffffffffffffffffff",
	} {
		b := appendUint(nil, v)
		must.Equal(t, hex.EncodeToString(b), want, "the bytes of %d", v)
		r := reader{b: b}
		must.Equal(t, r.uint(), v, "the number of %x", b)
		must.Equal(t, len(r.b), 0, "the bytes left of %x", b)
	}
}

// messages are the layouts of the wire, written by hand after the tables of zenoh-protocol.
var messages = []struct {
	name, hex string
	m         message
}{
	{"put", "bd" + "00" + "03612f62" + "210d" + "81" + "43027879" + "03010203",
		message{kind: kindPush, key: key{text: "a/b"}, qos: 0x0d, body: bodyPut, attachment: []byte("xy"),
			payload: []byte{1, 2, 3}}},
	{"put of a source", "3d" + "00" + "0161" + "81" + "c113f0" + "0f0e0d0c0b0a09080706050403020100" + "0708" +
		"430178" + "0109", message{kind: kindPush, key: key{text: "a"}, body: bodyPut,
		attachment: []byte("x"), payload: []byte{9},
		source: source{ID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 7}, sequence: 8}},
	{"put of the sender's key 5", "5d" + "05" + "01" + "0107", message{kind: kindPush,
		key: key{number: 5, sender: true}, body: bodyPut, payload: []byte{7}}},
	{"deletion", "3d" + "00" + "0161" + "02", message{kind: kindPush, key: key{text: "a"}, body: bodyDel, del: true}},
	{"query", "bc" + "07" + "00" + "0161" + "b401" + "26e807" + "a3" + "01" + "c3020009" + "450141",
		message{kind: kindRequest, id: 7, key: key{text: "a"}, target: 1, timeout: 1000, body: bodyQuery, mode: 1,
			hasPayload: true, payload: []byte{9}, attachment: []byte("A")}},
	{"reply", "3b" + "07" + "00" + "0161" + "04" + "01" + "0109", message{kind: kindResponse, id: 7,
		key: key{text: "a"}, body: bodyReply, payload: []byte{9}}},
	{"error", "3b" + "07" + "00" + "0161" + "05" + "0109", message{kind: kindResponse, id: 7, key: key{text: "a"},
		body: bodyErr, payload: []byte{9}}},
	{"last response", "1a" + "07", message{kind: kindFinal, id: 7}},
	{"interest", "79" + "03" + "39" + "00" + "0161", message{kind: kindInterest, id: 3,
		modes: interestCurrent | interestFuture, key: key{text: "a"},
		options: interestKeys | interestTokens | interestRestricted | interestNamed}},
	{"end of an interest", "19" + "03", message{kind: kindInterest, id: 3}},
	{"key", "1e" + "20" + "05" + "00" + "0161", message{kind: kindDeclare, declare: declareKey, id: 5,
		key: key{sender: true, text: "a"}}},
	{"token as an answer", "3e" + "03" + "26" + "08" + "00" + "0161", message{kind: kindDeclare, answers: true, to: 3,
		declare: declareToken, id: 8, key: key{text: "a"}}},
	{"end of the answers", "3e" + "03" + "1a", message{kind: kindDeclare, answers: true, to: 3,
		declare: declareFinal}},
	{"queryable", "1e" + "a4" + "09" + "00" + "0161" + "2101", message{kind: kindDeclare, declare: declareQueryable,
		id: 9, key: key{text: "a"}, complete: true}},
	{"removal of a token", "1e" + "87" + "08" + "5f03010061", message{kind: kindDeclare, declare: declareToken + 1,
		id: 8, key: key{text: "a"}}},
}

func TestMessages(t *testing.T) {
	for _, c := range messages {
		must.Equal(t, hex.EncodeToString(c.m.append(nil)), c.hex, "%s: bytes", c.name)
		b := must.Get(hex.DecodeString(c.hex))(t)
		r := reader{b: b}
		must.Equal(t, r.message(), c.m, "%s: message", c.name)
		must.Equal(t, len(r.b), 0, "%s: bytes left", c.name)
		for n := range b {
			if r := (reader{b: b[:n:n]}); r.message().kind == 0 && r.err == nil || r.err == nil {
				t.Errorf("%s: the first %d bytes are a message", c.name, n)
			}
		}
	}
	r := reader{b: must.Get(hex.DecodeString("9a07" + "1e"))(t)}
	r.message()
	must.Fail(t, r.err, "unknown extension 14 is mandatory")
}

// What is decoded, encoded and decoded again is the same.
func FuzzMessage(f *testing.F) {
	for _, c := range messages {
		f.Add(must.Get(hex.DecodeString(c.hex))(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := reader{b: b}
		m := r.message()
		if r.err != nil || m.kind == kindOAM {
			return
		}
		first := m.append(nil)
		r = reader{b: first}
		n := r.message()
		if second := n.append(nil); r.err != nil || len(r.b) > 0 || !bytes.Equal(first, second) {
			t.Errorf("%x: got %x, want %x; error %v", b, second, first, r.err)
		}
	})
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a/b", "a/b", true}, {"a/b", "a/c", false}, {"a/*", "a/b", true}, {"a/*", "a", false}, {"a/**", "a", true},
		{"a/**", "a/b/c", true}, {"**/c", "a/b/c", true}, {"**", "@a", false}, {"@a/**", "@a/b", true},
		{"a/*", "a/@b", false}, {"a/**", "a/@b/c", false}, {"a/**/@b/**", "a/x/@b/c", true}, {"a/$*b", "a/xb", true},
		{"a/$*b", "a/bx", false}, {"a/*/c", "*/b/*", true}, {"a$*/**", "*b/**", false}, {"a$*", "$*b", true},
		{"**/a/**", "**/b/**", true}, {"*", "**", true}, {"a/b", "**/**", true},
	} {
		must.Equal(t, overlap(c.a, c.b), c.want, "%s and %s", c.a, c.b)
		must.Equal(t, overlap(c.b, c.a), c.want, "%s and %s", c.b, c.a)
	}
	for _, bad := range []string{"", "/a", "a//b", "a/", "a*", "a?", "#", "a$b"} {
		if checkKey(bad) == nil {
			t.Errorf("key %q is allowed", bad)
		}
	}
	for _, good := range []string{"a", "a/*", "**/a$*b", "@a/%/b::c_"} {
		must.Do(t, checkKey(good))
	}
}

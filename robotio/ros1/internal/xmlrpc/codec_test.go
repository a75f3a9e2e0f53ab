package xmlrpc

import (
	"bytes"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// sample has every type, with difficult values.
var sample = []any{true, false, 0, -2147483648, 1.5, -1e-300, "", " a <b>&\"'\n\tü ", []byte{0, 255},
	[]any{}, []any{1, []any{"x"}}, map[string]any{}, map[string]any{"a": map[string]any{"b <": 2}, "": "e"},
	DateTime("20240101T00:00:00")}

func TestRoundTrip(t *testing.T) {
	raw := must.Get(encodeCall("m", sample))(t)
	method, got, err := decodeCall(raw)
	if err != nil || method != "m" {
		t.Fatal(method, err)
	}
	must.Equal(t, got, sample, "result")
}

func TestEncodeErrors(t *testing.T) {
	zero := 0.0
	for _, v := range []any{nil, 1 << 31, zero / zero, 1 / zero, "a\x00b", "\xff", int64(1), struct{}{}, []any{nil},
		map[string]any{"\x01": 1}} {
		if b, err := encodeResponse(v); err == nil {
			t.Errorf("%#v encodes to %s", v, b)
		}
	}
}

// TestForeignSpellings decodes spellings that peers send and we do not.
func TestForeignSpellings(t *testing.T) {
	cases := []struct {
		body string
		want []any
	}{
		// xmlrpcpp: no <string>, i4, white space between tags
		{"<?xml version=\"1.0\"?>\r\n<methodCall><methodName>f</methodName>\r\n<params><param><value>/n</value>" +
			"</param><param><value><i4>7</i4></value></param></params></methodCall>\r\n", []any{"/n", 7}},
		{"<?xml version='1.0' encoding='UTF-8'?><methodCall>\n<methodName> f " +
			"</methodName>\n<params>\n<param>\n<value> <boolean>1</boolean> " +
			"</value>\n</param>\n</params>\n</methodCall>", []any{true}},
		{"<methodCall><methodName>f</methodName></methodCall>", nil},
		{"<methodCall><methodName>f</methodName><params/></methodCall>", nil},
		{"<methodCall><methodName>f</methodName><params><param><value/></param><param><value><string/></value>" +
			"</param></params></methodCall>", []any{"", ""}},
	}
	for _, c := range cases {
		method, got, err := decodeCall([]byte(c.body))
		if err != nil || method != "f" || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\n= %q %#v, %v", c.body, method, got, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	call := func(v string) string {
		return "<methodCall><methodName>f</methodName><params><param><value>" + v +
			"</value></param></params></methodCall>"
	}
	for _, body := range []string{"", "x", "<a/>", "<methodCall>", call("<int>x</int>"), call("<int>4294967296</int>"),
		call("<nil/>"),
		call("<boolean>2</boolean>"), call("<double>x</double>"), call("<base64>!</base64>"), call("<array></array>"),
		call("a<int>1</int>"),
		call("<int>1</int><int>2</int>"), call("<struct><member><value>1</value></member></struct>"),
		call(strings.Repeat("<array><data><value>", 40) + strings.Repeat("</value></data></array>", 40)),
		`<!DOCTYPE a [<!ENTITY b "c">]><methodCall><methodName>f</methodName></methodCall>`,
	} {
		if m, args, err := decodeCall([]byte(body)); err == nil {
			t.Errorf("%s\n= %q %v, want an error", body, m, args)
		}
	}
}

func TestFault(t *testing.T) {
	_, err := decodeResponse(encodeFault(&Fault{4, "no\x00 \xff"}))
	must.Equal[error](t, err, &Fault{4, "no� �"}, "error")
}

// TestProperty checks that decode(encode(v)) is v.
func TestProperty(t *testing.T) {
	text := rapid.StringMatching(`[ -~\täöü日本]*`)
	leaf := rapid.OneOf(rapid.Map(rapid.Int32(), func(i int32) any { return int(i) }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Float64Range(-1e300, 1e300),
			func(f float64) any { return f }))
	tree := rapid.OneOf(leaf, rapid.Map(rapid.SliceOf(leaf), func(l []any) any { return append([]any{}, l...) }),
		rapid.Map(rapid.MapOf(text, leaf), func(m map[string]any) any { return m }))
	rapid.Check(t, func(t *rapid.T) {
		want := tree.Draw(t, "value")
		raw := must.Get(encodeResponse(want))(t)
		got, err := decodeResponse(raw)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, %v, want %#v\n%s", got, err, want, raw)
		}
	})
}

// TestAgainstPython uses Python's xmlrpc.client as the oracle: it reads our call, and we read its call.
func TestAgainstPython(t *testing.T) {
	raw := must.Get(encodeCall("m", sample))(t)
	cmd := exec.Command("/usr/bin/python3", "-c", `
import sys, xmlrpc.client as x
args, method = x.loads(sys.stdin.buffer.read())
sys.stdout.buffer.write(x.dumps(args, method).encode())`)
	cmd.Stdin = bytes.NewReader(raw)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no python3: %v", err)
	}
	method, got, err := decodeCall(out)
	if err != nil || method != "m" {
		t.Fatalf("%q %v\n%s", method, err, out)
	}
	must.Equal(t, got, sample, "result")
}

// FuzzDecode checks that no body makes the decoder panic, and that accepted values encode again.
func FuzzDecode(f *testing.F) {
	raw := must.Get(encodeCall("m", sample))(f)
	f.Add(raw)
	f.Add(encodeFault(&Fault{1, "x"}))
	f.Add([]byte("<methodResponse><params><param><value><i4>1</i4></value></param></params></methodResponse>"))
	for _, body := range costly() {
		f.Add(body[:min(len(body), 4096)]) // small bodies, for speed; TestAllocs has the large ones
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		allocs.AtMost(t, allocs.ParseLimit, func() {
			if m, args, err := decodeCall(body); err == nil {
				if _, err := encodeCall(m, args); err != nil && !strings.Contains(err.Error(), "finite") {
					t.Error(err)
				}
			}
		})
		allocs.AtMost(t, allocs.ParseLimit, func() { _, _ = decodeResponse(body) })
	})
}

package xmlrpc

import (
	"bytes"
	"context"
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
	must.Equal(t, got, sample, "arguments")
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
	must.Equal(t, got, sample, "arguments from Python")
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

// fill repeats part between head and tail, to almost 1 MiB.
func fill(head, part, tail string) []byte {
	return []byte(head + strings.Repeat(part, (1<<20-1-len(head)-len(tail))/len(part)) + tail)
}

// costly returns bodies of almost 1 MiB with as many elements of one kind as possible.
func costly() map[string][]byte {
	const head, tail = "<methodCall><methodName>m</methodName><params>", "</params></methodCall>"
	const list, end = head + "<param><value><array><data>", "</data></array></value></param>" + tail
	return map[string][]byte{
		"empty values":  fill(list, "<value/>", end),
		"integers":      fill(list, "<value><i4>1</i4></value>", end),
		"empty arrays":  fill(list, "<value><array><data/></array></value>", end),
		"empty structs": fill(list, "<value><struct/></value>", end),
		"members": fill(head+"<param><value><struct>", "<member><name>a</name><value/></member>",
			"</struct></value></param>"+tail),
		"parameters":     fill(head, "<param><value/></param>", tail),
		"attributes":     fill(list+"<value ", `a="" `, "/>"+end),
		"comments":       fill(list, "<!---->", end),
		"instructions":   fill(list, "<?a?>", end),
		"white space":    fill(list, " ", end),
		"references":     fill(list+"<value>", "&lt;", "</value>"+end),
		"pieces of text": fill(list+"<value>", "x<!---->", "</value>"+end),
		"a long name":    fill("<", "a", ">"),
		"open elements":  fill(list, "<value><array><data>", ""),
		"name spaces":    fill(list+"<value ", `xmlns:a="" `, "/>"+end),
		"base64":         fill(list+"<value><base64>", "AAAA ", "</base64></value>"+end),
		"calls at once": fill(
			"<methodCall><methodName>system.multicall</methodName><params><param><value><array><data>",
			"<value><struct><member><name>methodName</name><value>m</value></member><member><name>params</name>"+
				"<value><array><data/></array></value></member></struct></value>", end),
	}
}

// TestAllocs bounds the memory for any body of less than 1 MiB.
func TestAllocs(t *testing.T) {
	response := strings.NewReplacer("methodCall", "methodResponse", "<methodName>m</methodName>", "")
	for name, body := range costly() {
		t.Run(name, func(t *testing.T) {
			allocs.AtMost(t, allocs.ParseLimit, func() { _, _, _ = decodeCall(body) })
			answer := []byte(response.Replace(string(body)))
			allocs.AtMost(t, allocs.ParseLimit, func() { _, _ = decodeResponse(answer) })
		})
	}
}

// TestMulticallIsBounded checks that the large results of many calls in one body are bounded together.
func TestMulticallIsBounded(t *testing.T) {
	s := &Server{handler: func(context.Context, string, []any) (any, error) { return strings.Repeat("x", 1<<19), nil }}
	body := costly()["calls at once"]
	var out []byte
	allocs.AtMost(t, allocs.ParseLimit, func() { out = s.answer(t.Context(), body) })
	v, err := decodeResponse(out)
	results, _ := v.([]any)
	if err != nil || len(results) < 1000 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	if first, _ := results[0].([]any); len(first) != 1 {
		t.Errorf("the first result: %.80v", results[0])
	}
	last, _ := results[len(results)-1].(map[string]any)
	if text, _ := last["faultString"].(string); !strings.Contains(text, "must be at most 4194304 bytes") {
		t.Errorf("the last result: %.80v", results[len(results)-1])
	}
}

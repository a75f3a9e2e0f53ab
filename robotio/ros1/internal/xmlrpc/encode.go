package xmlrpc

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DateTime is a dateTime.iso8601 as it was sent. It is not converted to a time, because the format does not define the
// time zone.
type DateTime string

// encoder encodes values. err is the first error: a type or a number that XML-RPC lacks, or a byte that XML cannot
// contain.
type encoder struct {
	b   []byte
	err error
}

// put appends XML.
func (e *encoder) put(xml ...string) {
	for _, s := range xml {
		e.b = append(e.b, s...)
	}
}

// text appends an escaped text between two pieces of XML.
func (e *encoder) text(before, s, after string) {
	if i := strings.IndexFunc(s, notXML); (i >= 0 || !utf8.ValidString(s)) && e.err == nil {
		e.err = fmt.Errorf("xmlrpc: string %q: holds a byte that XML cannot carry", s)
	}
	e.put(before, escaper.Replace(s), after)
}

// value appends <value>…</value>.
func (e *encoder) value(v any) {
	fail := func(format string, args ...any) {
		if e.err == nil {
			e.err = fmt.Errorf("xmlrpc: "+format, args...)
		}
	}
	e.put("<value>")
	switch v := v.(type) {
	case bool:
		bit := "0"
		if v {
			bit = "1"
		}
		e.put("<boolean>", bit, "</boolean>")
	case int:
		if v < math.MinInt32 || v > math.MaxInt32 {
			fail("integer %d: must fit 32 bits", v)
		}
		e.put("<int>", strconv.Itoa(v), "</int>")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			fail("double %v: must be finite", v)
		}
		e.put("<double>", strconv.FormatFloat(v, 'g', -1, 64), "</double>")
	case string:
		e.text("<string>", v, "</string>")
	case DateTime:
		e.text("<dateTime.iso8601>", string(v), "</dateTime.iso8601>")
	case []byte:
		e.put("<base64>", base64.StdEncoding.EncodeToString(v), "</base64>")
	case []string:
		appendList(e, v)
	case []any:
		appendList(e, v)
	case map[string]any:
		e.put("<struct>")
		for _, name := range slices.Sorted(maps.Keys(v)) { // sorted, so that equal values have equal bytes
			e.text("<member><name>", name, "</name>")
			e.value(v[name])
			e.put("</member>")
		}
		e.put("</struct>")
	default:
		fail("Go type %T: must be bool, int, float64, string, []byte, []any or map[string]any", v)
	}
	e.put("</value>")
}

func appendList[T any](e *encoder, list []T) {
	e.put("<array><data>")
	for _, v := range list {
		e.value(v)
	}
	e.put("</data></array>")
}

// escaper escapes only what is required, because xmlrpcpp does not read numeric entities, such as that of a line break.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// notXML reports whether a character is outside XML 1.0's Char production.
func notXML(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

const prologue = `<?xml version="1.0"?>` + "\n"

func encodeCall(method string, args []any) ([]byte, error) {
	var e encoder
	e.text(prologue+"<methodCall><methodName>", method, "</methodName><params>")
	for _, a := range args {
		e.put("<param>")
		e.value(a)
		e.put("</param>")
	}
	e.put("</params></methodCall>\n")
	return e.b, e.err
}

// encodeResponse encodes a method's result. It writes no line breaks between tags, because xmlrpcpp's parser does not
// accept them.
func encodeResponse(v any) ([]byte, error) {
	var e encoder
	e.put(prologue + "<methodResponse><params><param>")
	e.value(v)
	e.put("</param></params></methodResponse>\n")
	return e.b, e.err
}

func encodeFault(f *Fault) []byte {
	text := strings.ToValidUTF8(f.Text, "�")
	text = strings.Map(func(r rune) rune {
		if notXML(r) {
			return '�'
		}
		return r
	}, text)
	var e encoder
	e.put(prologue + "<methodResponse><fault>")
	e.value(map[string]any{"faultCode": f.Code, "faultString": text})
	e.put("</fault></methodResponse>\n")
	if e.err != nil { // the code exceeds 32 bits
		return encodeFault(&Fault{Code: -1, Text: text})
	}
	return e.b
}

// Fault is an XML-RPC fault: the peer understood the call and refused it.
type Fault struct {
	Code int
	Text string
}

func (f *Fault) Error() string { return fmt.Sprintf("xmlrpc fault %d: %s", f.Code, f.Text) }

// Clone returns a deep copy of a value.
func Clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = Clone(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = Clone(e)
		}
		return c
	}
	return v
}

// Size estimates the memory of a value in bytes, including maps and lists.
func Size(v any) int {
	const each = 16
	n := each
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			n += each + len(k) + Size(e)
		}
	case []any:
		for _, e := range v {
			n += Size(e)
		}
	case string:
		n += len(v)
	case []byte:
		n += len(v)
	}
	return n
}

// Check returns an error for a value that Call cannot send: a value of an unsupported type, or a number that XML-RPC
// cannot express.
func Check(v any) error {
	var e encoder
	e.value(v)
	return e.err
}

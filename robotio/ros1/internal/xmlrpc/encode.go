package xmlrpc

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DateTime is a dateTime.iso8601 as it was sent: the format leaves the time zone open.
type DateTime string

// appendValue appends <value>…</value>. It fails on types and numbers that XML-RPC lacks.
func appendValue(b []byte, v any) ([]byte, error) {
	b = append(b, "<value>"...)
	var err error
	switch v := v.(type) {
	case bool:
		bit := "0"
		if v {
			bit = "1"
		}
		b = append(b, "<boolean>"+bit+"</boolean>"...)
	case int:
		if v < math.MinInt32 || v > math.MaxInt32 {
			return b, fmt.Errorf("xmlrpc: integer %d: must fit 32 bits", v)
		}
		b = append(b, "<int>"+strconv.Itoa(v)+"</int>"...)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return b, fmt.Errorf("xmlrpc: double %v: must be finite", v)
		}
		b = append(b, "<double>"+strconv.FormatFloat(v, 'g', -1, 64)+"</double>"...)
	case string:
		b = append(b, "<string>"...)
		if b, err = appendText(b, v); err != nil {
			return b, err
		}
		b = append(b, "</string>"...)
	case DateTime:
		b = append(b, "<dateTime.iso8601>"...)
		if b, err = appendText(b, string(v)); err != nil {
			return b, err
		}
		b = append(b, "</dateTime.iso8601>"...)
	case []byte:
		b = append(b, "<base64>"+base64.StdEncoding.EncodeToString(v)+"</base64>"...)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return appendValue(b[:len(b)-len("<value>")], list)
	case []any:
		b = append(b, "<array><data>"...)
		for _, e := range v {
			if b, err = appendValue(b, e); err != nil {
				return b, err
			}
		}
		b = append(b, "</data></array>"...)
	case map[string]any:
		if b, err = appendStruct(b, v); err != nil {
			return b, err
		}
	default:
		return b, fmt.Errorf("xmlrpc: Go type %T: must be bool, int, float64, string, []byte, []any or map[string]any",
			v)
	}
	return append(b, "</value>"...), nil
}

// appendStruct appends a map's members, sorted by name so that equal values have equal bytes.
func appendStruct(b []byte, m map[string]any) ([]byte, error) {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	b = append(b, "<struct>"...)
	var err error
	for _, n := range names {
		b = append(b, "<member><name>"...)
		if b, err = appendText(b, n); err != nil {
			return b, err
		}
		b = append(b, "</name>"...)
		if b, err = appendValue(b, m[n]); err != nil {
			return b, err
		}
		b = append(b, "</member>"...)
	}
	return append(b, "</struct>"...), nil
}

// appendText appends s, escaped. It fails on bytes that XML cannot contain.
func appendText(b []byte, s string) ([]byte, error) {
	if i := strings.IndexFunc(s, notXML); i >= 0 || !utf8.ValidString(s) {
		return b, fmt.Errorf("xmlrpc: string %q: holds a byte that XML cannot carry", s)
	}
	return append(b, escaper.Replace(s)...), nil
}

// escaper escapes only what is required, because xmlrpcpp does not read numeric entities, such as that of a line break.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// notXML reports whether a character is outside XML 1.0's Char production.
func notXML(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

const prologue = `<?xml version="1.0"?>` + "\n"

func encodeCall(method string, args []any) ([]byte, error) {
	b := []byte(prologue + "<methodCall><methodName>")
	b, err := appendText(b, method)
	if err != nil {
		return nil, err
	}
	b = append(b, "</methodName><params>"...)
	for _, a := range args {
		b = append(b, "<param>"...)
		if b, err = appendValue(b, a); err != nil {
			return nil, err
		}
		b = append(b, "</param>"...)
	}
	return append(b, "</params></methodCall>\n"...), nil
}

// encodeResponse encodes a method's result. It writes no line breaks between tags, because xmlrpcpp's parser does not
// accept them.
func encodeResponse(v any) ([]byte, error) {
	b, err := appendValue([]byte(prologue+"<methodResponse><params><param>"), v)
	if err != nil {
		return nil, err
	}
	return append(b, "</param></params></methodResponse>\n"...), nil
}

func encodeFault(f *Fault) []byte {
	text := strings.ToValidUTF8(f.Text, "�")
	text = strings.Map(func(r rune) rune {
		if notXML(r) {
			return '�'
		}
		return r
	}, text)
	b, err := appendValue([]byte(prologue+"<methodResponse><fault>"), map[string]any{"faultCode": f.Code,
		"faultString": text})
	if err != nil { // the code exceeds 32 bits
		return encodeFault(&Fault{Code: -1, Text: text})
	}
	return append(b, "</fault></methodResponse>\n"...)
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

// Check fails on a value that Call cannot send: one of another type, or a number that XML-RPC cannot express.
func Check(v any) error {
	_, err := appendValue(nil, v)
	return err
}

package xmlrpc

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits on the content of a body, in addition to the limit on its size. Guesses, far above what ROS sends.
const (
	maxDepth  = 32
	maxValues = 1 << 20
)

// decoder reads the tokens of a body. It skips comments, processing instructions and white space between tags. Anything
// else unexpected is an error. The field err holds the first error. After it, the methods read nothing and return zero
// values.
type decoder struct {
	x      *xml.Decoder
	values int
	err    error
}

func newDecoder(body []byte) *decoder {
	x := xml.NewDecoder(bytes.NewReader(body))
	x.CharsetReader = func(charset string, r io.Reader) (io.Reader, error) {
		switch strings.ToLower(charset) {
		case "utf-8", "us-ascii", "ascii":
			return r, nil
		}
		return nil, fmt.Errorf("charset %q: must be utf-8", charset)
	}
	return &decoder{x: x}
}

// fail sets the error, unless there is one already.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// next reads the next start or end tag, and the text before it. tag is "" for an end tag.
func (d *decoder) next() (tag, text string) {
	var b strings.Builder
	for d.err == nil {
		var t xml.Token
		if t, d.err = d.x.Token(); d.err != nil {
			break
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			return t.Name.Local, b.String()
		case xml.EndElement:
			return "", b.String()
		case xml.Directive:
			d.fail("a document type: must hold none")
		}
	}
	return "", ""
}

// start reads <name>. It returns false if the end tag of the enclosing element came instead.
func (d *decoder) start(name string) bool {
	tag, text := d.next()
	if strings.TrimSpace(text) != "" {
		d.fail("text %.40q: must be <%s>", text, name)
	}
	if tag != "" && tag != name {
		d.fail("<%.40s>: must be <%s>", tag, name)
	}
	return tag != "" && d.err == nil
}

// need reads <name>, and fails if the element is missing.
func (d *decoder) need(name string) {
	if !d.start(name) {
		d.fail("<%s> is missing", name)
	}
}

// end reads the end tag of the current element. It fails if there is text before the tag.
func (d *decoder) end() {
	if text := d.text(); strings.TrimSpace(text) != "" {
		d.fail("text %.40q: must be a tag", text)
	}
}

// text reads up to the end tag of the current element, which must contain only text.
func (d *decoder) text() string {
	tag, text := d.next()
	if tag != "" {
		d.fail("<%.40s>: must be text", tag)
	}
	return text
}

// value reads the content of <value>, and its end tag.
func (d *decoder) value(depth int) (v any) {
	if d.values++; d.values > maxValues || depth > maxDepth {
		d.fail("more than %d values or %d levels", maxValues, maxDepth)
	}
	tag, text := d.next()
	if tag == "" {
		return text // <value>text</value> is a string
	}
	if strings.TrimSpace(text) != "" {
		d.fail("text %.40q before <%.40s>", text, tag)
	}
	switch tag {
	case "array":
		v = d.array(depth)
	case "struct":
		v = d.members(depth)
	default:
		v = d.typed(tag, d.text())
	}
	d.end()
	return v
}

// typed returns the value of an element that contains only text.
func (d *decoder) typed(name, raw string) any {
	text := strings.TrimSpace(raw)
	switch name {
	case "string":
		return raw
	case "int", "i4":
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			d.fail("<%s> %.40q: must be a 32-bit integer", name, text)
		}
		return int(n)
	case "double":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			d.fail("<double> %.40q: must be a number", text)
		}
		return f
	case "boolean":
		if text != "0" && text != "1" {
			d.fail("<boolean> %.40q: must be 0 or 1", text)
		}
		return text == "1"
	case "base64":
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			d.fail("<base64>: %w", err)
		}
		return b
	case "dateTime.iso8601":
		return DateTime(text)
	}
	d.fail("<%.40s>: must be a type of XML-RPC", name)
	return nil
}

func (d *decoder) array(depth int) any {
	list := []any{}
	for d.need("data"); d.start("value"); {
		list = append(list, d.value(depth+1))
	}
	d.end()
	return list
}

func (d *decoder) members(depth int) any {
	m := map[string]any{}
	for d.start("member") {
		d.need("name")
		name := d.text()
		d.need("value")
		m[name] = d.value(depth + 1)
		d.end()
	}
	return m
}

// decodeCall decodes a <methodCall>.
func decodeCall(body []byte) (method string, args []any, err error) {
	d := newDecoder(body)
	d.need("methodCall")
	d.need("methodName")
	method = strings.TrimSpace(d.text())
	if d.start("params") {
		for d.start("param") {
			d.need("value")
			args = append(args, d.value(0))
			d.end()
		}
		d.end()
	}
	if d.err != nil {
		return "", nil, d.err
	}
	return method, args, nil
}

// decodeResponse decodes a <methodResponse>. A fault is returned as a *Fault.
func decodeResponse(body []byte) (any, error) {
	d := newDecoder(body)
	d.need("methodResponse")
	tag, _ := d.next()
	switch tag {
	case "params":
		d.need("param")
	case "fault":
	default:
		d.fail("<%.40s>: must be <params> or <fault>", tag)
	}
	d.need("value")
	v := d.value(0)
	if d.err != nil || tag == "params" {
		return v, d.err
	}
	m, _ := v.(map[string]any)
	code, _ := m["faultCode"].(int)
	text, _ := m["faultString"].(string)
	return nil, &Fault{code, text}
}

package xmlrpc

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits on the content of a body, besides its size. Guesses, far above what ROS sends.
const (
	maxDepth  = 32
	maxValues = 1 << 20
)

// decoder reads the tokens of a body. It skips comments, processing instructions and white space between tags. Anything
// else unexpected is an error.
type decoder struct {
	x      *xml.Decoder
	values int
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

// next returns the next start or end tag, and the text before it.
func (d *decoder) next() (tok xml.Token, text string, err error) {
	var b strings.Builder
	for {
		t, err := d.x.Token()
		if err != nil {
			return nil, "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement, xml.EndElement:
			return t, b.String(), nil
		case xml.Directive:
			return nil, "", errors.New("a document type: must hold none")
		}
	}
}

// start expects <name>. ok is false if the end tag of the enclosing element came instead.
func (d *decoder) start(name string) (ok bool, err error) {
	tok, text, err := d.next()
	if err != nil {
		return false, err
	}
	if strings.TrimSpace(text) != "" {
		return false, fmt.Errorf("text %.40q: must be <%s>", text, name)
	}
	s, ok := tok.(xml.StartElement)
	if ok && s.Name.Local != name {
		return false, fmt.Errorf("<%.40s>: must be <%s>", s.Name.Local, name)
	}
	return ok, nil
}

// need is start for a required element.
func (d *decoder) need(name string) error {
	ok, err := d.start(name)
	if err == nil && !ok {
		err = fmt.Errorf("<%s> is missing", name)
	}
	return err
}

// end expects the end tag of the current element, without text before it.
func (d *decoder) end() error {
	text, err := d.text()
	if err == nil && strings.TrimSpace(text) != "" {
		err = fmt.Errorf("text %.40q: must be a tag", text)
	}
	return err
}

// text reads up to the end tag of the current element, which must contain only text.
func (d *decoder) text() (string, error) {
	tok, text, err := d.next()
	if err != nil {
		return "", err
	}
	if s, ok := tok.(xml.StartElement); ok {
		return "", fmt.Errorf("<%.40s>: must be text", s.Name.Local)
	}
	return text, nil
}

// value reads the content of <value>, and its end tag.
func (d *decoder) value(depth int) (any, error) {
	if d.values++; d.values > maxValues || depth > maxDepth {
		return nil, fmt.Errorf("more than %d values or %d levels", maxValues, maxDepth)
	}
	tok, text, err := d.next()
	if err != nil {
		return nil, err
	}
	s, ok := tok.(xml.StartElement)
	if !ok {
		return text, nil // <value>text</value> is a string
	}
	if strings.TrimSpace(text) != "" {
		return nil, fmt.Errorf("text %.40q before <%.40s>", text, s.Name.Local)
	}
	v, err := d.typed(s.Name.Local, depth)
	if err != nil {
		return nil, err
	}
	return v, d.end()
}

// typed reads a typed value after its start tag, and the end tag.
func (d *decoder) typed(name string, depth int) (any, error) {
	switch name {
	case "array":
		return d.array(depth)
	case "struct":
		return d.members(depth)
	}
	raw, err := d.text()
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(raw)
	switch name {
	case "string":
		return raw, nil
	case "int", "i4":
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("<%s> %.40q: must be a 32-bit integer", name, text)
		}
		return int(n), nil
	case "double":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("<double> %.40q: must be a number", text)
		}
		return f, nil
	case "boolean":
		if text != "0" && text != "1" {
			return nil, fmt.Errorf("<boolean> %.40q: must be 0 or 1", text)
		}
		return text == "1", nil
	case "base64":
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nil, fmt.Errorf("<base64>: %w", err)
		}
		return b, nil
	case "dateTime.iso8601":
		return DateTime(text), nil
	}
	return nil, fmt.Errorf("<%.40s>: must be a type of XML-RPC", name)
}

func (d *decoder) array(depth int) (any, error) {
	if err := d.need("data"); err != nil {
		return nil, err
	}
	list := []any{}
	for {
		ok, err := d.start("value")
		if err != nil {
			return nil, err
		}
		if !ok {
			return list, d.end()
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

func (d *decoder) members(depth int) (any, error) {
	m := map[string]any{}
	for {
		ok, err := d.start("member")
		if err != nil || !ok {
			return m, err
		}
		if err := d.need("name"); err != nil {
			return nil, err
		}
		name, err := d.text()
		if err != nil {
			return nil, err
		}
		if err := d.need("value"); err != nil {
			return nil, err
		}
		if m[name], err = d.value(depth + 1); err != nil {
			return nil, err
		}
		if err := d.end(); err != nil {
			return nil, err
		}
	}
}

// decodeCall decodes a <methodCall>.
func decodeCall(body []byte) (method string, args []any, err error) {
	d := newDecoder(body)
	if err = d.need("methodCall"); err != nil {
		return "", nil, err
	}
	if err = d.need("methodName"); err != nil {
		return "", nil, err
	}
	if method, err = d.text(); err != nil {
		return "", nil, err
	}
	method = strings.TrimSpace(method)
	ok, err := d.start("params")
	if err != nil || !ok {
		return method, nil, err
	}
	for {
		ok, err := d.start("param")
		if err != nil {
			return "", nil, err
		}
		if !ok {
			return method, args, d.end()
		}
		if err := d.need("value"); err != nil {
			return "", nil, err
		}
		v, err := d.value(0)
		if err != nil {
			return "", nil, err
		}
		if err := d.end(); err != nil {
			return "", nil, err
		}
		args = append(args, v)
	}
}

// decodeResponse decodes a <methodResponse>. A fault is returned as a *Fault.
func decodeResponse(body []byte) (any, error) {
	d := newDecoder(body)
	if err := d.need("methodResponse"); err != nil {
		return nil, err
	}
	tok, _, err := d.next()
	if err != nil {
		return nil, err
	}
	s, _ := tok.(xml.StartElement)
	switch s.Name.Local {
	case "params":
		if err := d.need("param"); err != nil {
			return nil, err
		}
	case "fault":
	default:
		return nil, fmt.Errorf("<%.40s>: must be <params> or <fault>", s.Name.Local)
	}
	if err := d.need("value"); err != nil {
		return nil, err
	}
	v, err := d.value(0)
	if err != nil || s.Name.Local == "params" {
		return v, err
	}
	m, _ := v.(map[string]any)
	code, _ := m["faultCode"].(int)
	text, _ := m["faultString"].(string)
	return nil, &Fault{code, text}
}

package markup

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-gl/mathgl/mgl64"
)

// Limits of a file, far above those of any robot.
const (
	maxElements = 100_000
	maxErrors   = 20
	// MaxDepth is how deep elements may be nested.
	MaxDepth = 200
	// Largest is the largest absolute value of a number.
	Largest = 1e9
)

// Place is a position in a file: line and column, from 1 on. Columns count bytes.
type Place struct{ Line, Col int }

// Error is a rule that a file breaks.
type Error struct {
	File string
	Place
	Rule string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Rule)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Rule)
}

// Element is an XML element. Reading marks what it uses, so that the rest can be listed.
type Element struct {
	Place
	Name     string
	Attrs    []Attribute
	Children []*Element
	Text     []byte // between its children
	Used     bool
	Why      string // for an element that is skipped: what it is, if its name does not say
}

// Attribute is an attribute of an element.
type Attribute struct {
	Name, Value string
	Used        bool
}

// Reader reads one file.
type Reader struct {
	File string // for messages only
	errs []error
}

// Fail records an error at an element.
func (r *Reader) Fail(e *Element, format string, args ...any) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, &Error{r.File, e.Place, e.String() + ": " + fmt.Sprintf(format, args...)})
	}
}

// Err returns the recorded errors, joined, or nil.
func (r *Reader) Err() error { return errors.Join(r.errs...) }

// String returns the element as an error names it: <joint name="wheel">.
func (e *Element) String() string {
	for _, a := range e.Attrs {
		switch a.Name {
		case "name", "reference", "filename", "class":
			return fmt.Sprintf("<%.40s %s=%.60q>", e.Name, a.Name, a.Value)
		}
	}
	return fmt.Sprintf("<%.40s>", e.Name)
}

// declaration is what may stand before the first element. Files name versions and encodings there that they have not.
var declaration = regexp.MustCompile(`^\x{FEFF}?\s*<\?xml[^>]*\?>`)

// Parse reads the tree of elements. Its errors end the reading. The argument foreign, if it is not nil, returns a rule
// that an element breaks because the file has another format, or "".
func (r *Reader) Parse(data []byte, foreign func(xml.StartElement) string) (*Element, error) {
	data = bytes.TrimRight(data, "\x00") // some editors leave them
	if n := len(declaration.Find(data)); n > 0 {
		data = slices.Clone(data)
		for i, c := range data[:n] {
			if c != '\n' { // places stay
				data[i] = ' '
			}
		}
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	var root *Element
	var open []*Element
	count := 0
	for {
		line, col := d.InputPos()
		at := Place{line, col}
		refuse := func(format string, args ...any) (*Element, error) {
			return nil, &Error{r.File, at, fmt.Sprintf(format, args...)}
		}
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
			at = Place{syntax.Line, 1}
			return refuse("is no XML: %s", syntax.Msg)
		}
		if err != nil {
			return refuse("is no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if count++; count > maxElements || len(open) == MaxDepth {
				return refuse("has too many elements: must have at most %d, nested at most %d deep", maxElements, MaxDepth)
			}
			if foreign != nil {
				if rule := foreign(token); rule != "" {
					return refuse("%s", rule)
				}
			}
			e := &Element{Place: at, Name: token.Name.Local}
			for _, a := range token.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					e.Attrs = append(e.Attrs, Attribute{Name: a.Name.Local, Value: a.Value})
				}
			}
			if len(open) > 0 {
				in := open[len(open)-1]
				in.Children = append(in.Children, e)
			} else {
				root = e
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				in := open[len(open)-1]
				in.Text = append(in.Text, token...)
			}
		}
	}
	if root == nil {
		return nil, &Error{r.File, Place{1, 1}, "is no XML: it has no element"}
	}
	return root, nil
}

// All returns the children with a name, and marks them as used.
func (e *Element) All(name string) (list []*Element) {
	if e == nil {
		return nil
	}
	for _, c := range e.Children {
		if c.Name == name {
			c.Used = true
			list = append(list, c)
		}
	}
	return list
}

// Child returns the first child with a name, or nil. Another such child is an error.
func (r *Reader) Child(e *Element, name string) *Element {
	list := e.All(name)
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		r.Fail(list[1], "%s has it twice", e)
	}
	return list[0]
}

// Attr returns the value of an attribute, without the space around it.
func (e *Element) Attr(name string) (value string, ok bool) {
	if e == nil {
		return "", false
	}
	for i := range e.Attrs {
		if a := &e.Attrs[i]; a.Name == name {
			a.Used = true
			return strings.TrimSpace(a.Value), true
		}
	}
	return "", false
}

// Required is like Attr, but an attribute that is missing or empty is an error.
func (r *Reader) Required(e *Element, name string) string {
	value, _ := e.Attr(name)
	switch {
	case value == "":
		r.Fail(e, "must have the attribute %s", name)
	case strings.ContainsFunc(value, func(c rune) bool { return !unicode.IsPrint(c) }):
		r.Fail(e, "%s = %.60q: must be printable", name, value)
	}
	return value
}

// Floats reads as many numbers as into has. Without the attribute, into keeps its values, unless the attribute is
// required.
func (r *Reader) Floats(e *Element, name string, required bool, into ...*float64) {
	value, ok := e.Attr(name)
	if !ok {
		if required {
			r.Fail(e, "must have the attribute %s", name)
		}
		return
	}
	r.Numbers(e, name+" = ", value, into...)
}

// Bound is like Floats for a limit in a direction, +1 or -1. Files have limits such as 1e16 for joints without.
func (r *Reader) Bound(e *Element, name string, direction int, into *float64) {
	value, _ := e.Attr(name)
	if x, _ := strconv.ParseFloat(value, 64); x*float64(direction) > Largest {
		*into = math.Inf(direction)
		return
	}
	r.Floats(e, name, false, into)
}

// Numbers reads as many numbers from a text as into has. In an error, what stands before the text.
func (r *Reader) Numbers(e *Element, what, text string, into ...*float64) {
	fields := strings.Fields(text)
	if len(fields) != len(into) {
		r.Fail(e, "%s%.60q: must be %d numbers", what, text, len(into))
		return
	}
	for i, f := range fields {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(x) {
			r.Fail(e, "%s%.60q: must be a number", what, f)
			return
		}
		if !(math.Abs(x) <= Largest) {
			r.Fail(e, "%s%.60q: must lie within ±%g", what, f, Largest)
			return
		}
		*into[i] = x
	}
}

// Vector is like Floats for three numbers.
func (r *Reader) Vector(e *Element, name string, required bool, v *mgl64.Vec3) {
	r.Floats(e, name, required, &v[0], &v[1], &v[2])
}

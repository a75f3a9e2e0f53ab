package urdf

import (
	"bytes"
	"cmp"
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
	maxDepth    = 40
	maxLinks    = 1000
	maxErrors   = 20
	largest     = 1e9 // number
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

// element is an XML element. Reading marks what it uses, so that the rest can be listed.
type element struct {
	Place
	name     string
	attrs    []attribute
	children []*element
	text     string
	used     bool
	why      string // for an element that is skipped: what it is, if its name does not say
}

type attribute struct {
	name, value string
	used        bool
}

// reader reads one file.
type reader struct {
	file string
	errs []error
}

// fail records an error at an element.
func (r *reader) fail(e *element, format string, args ...any) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, &Error{r.file, e.Place, e.String() + ": " + fmt.Sprintf(format, args...)})
	}
}

// String returns the element as an error names it: <joint name="wheel">.
func (e *element) String() string {
	for _, a := range e.attrs {
		if a.name == "name" || a.name == "reference" || a.name == "filename" {
			return fmt.Sprintf("<%.40s %s=%.60q>", e.name, a.name, a.value)
		}
	}
	return fmt.Sprintf("<%.40s>", e.name)
}

const expandXacro = "is a file of xacro: expand it first, as in: xacro robot.urdf.xacro > robot.urdf"

// declaration is what may stand before the first element. Files name versions and encodings there that they have not.
var declaration = regexp.MustCompile(`^\x{FEFF}?\s*<\?xml[^>]*\?>`)

// parse reads the tree of elements.
func (r *reader) parse(data []byte) (*element, error) {
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
	var root *element
	var open []*element
	count := 0
	for {
		line, col := d.InputPos()
		at := Place{line, col}
		refuse := func(format string, args ...any) (*element, error) {
			return nil, &Error{r.file, at, fmt.Sprintf(format, args...)}
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
			if count++; count > maxElements || len(open) == maxDepth {
				return refuse("has too many elements: must have at most %d, nested at most %d deep", maxElements, maxDepth)
			}
			if strings.Contains(token.Name.Space, "xacro") {
				return refuse("<xacro:%.40s>: the file %s", token.Name.Local, expandXacro)
			}
			e := &element{Place: at, name: token.Name.Local}
			for _, a := range token.Attr {
				if strings.Contains(a.Value, "${") || strings.Contains(a.Value, "$(") {
					return refuse("%s = %.60q: the file %s", a.Name.Local, a.Value, expandXacro)
				}
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					e.attrs = append(e.attrs, attribute{name: a.Name.Local, value: a.Value})
				}
			}
			if len(open) > 0 {
				in := open[len(open)-1]
				in.children = append(in.children, e)
			} else {
				root = e
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		}
	}
	if root == nil || root.name != "robot" {
		at := Place{1, 1}
		found := "it has no element"
		if root != nil {
			at, found = root.Place, fmt.Sprintf("it is <%.40s>", root.name)
		}
		return nil, &Error{r.file, at, "must begin with <robot>, as URDF does: " + found}
	}
	return root, nil
}

// all returns the children with a name, and marks them as used.
func (e *element) all(name string) (list []*element) {
	if e == nil {
		return nil
	}
	for _, c := range e.children {
		if c.name == name {
			c.used = true
			list = append(list, c)
		}
	}
	return list
}

// child returns the first child with a name, or nil. Another such child is an error.
func (r *reader) child(e *element, name string) *element {
	list := e.all(name)
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		r.fail(list[1], "%s has it twice", e)
	}
	return list[0]
}

// attr returns the value of an attribute, without the space around it.
func (e *element) attr(name string) (value string, ok bool) {
	if e == nil {
		return "", false
	}
	for i := range e.attrs {
		if a := &e.attrs[i]; a.name == name {
			a.used = true
			return strings.TrimSpace(a.value), true
		}
	}
	return "", false
}

// required is like attr, but an attribute that is missing or empty is an error.
func (r *reader) required(e *element, name string) string {
	value, _ := e.attr(name)
	switch {
	case value == "":
		r.fail(e, "must have the attribute %s", name)
	case strings.ContainsFunc(value, func(c rune) bool { return !unicode.IsPrint(c) }):
		r.fail(e, "%s = %.60q: must be printable", name, value)
	}
	return value
}

// floats reads as many numbers as into has. Without the attribute, into keeps its values, unless the attribute is
// required.
func (r *reader) floats(e *element, name string, required bool, into ...*float64) {
	value, ok := e.attr(name)
	if !ok {
		if required {
			r.fail(e, "must have the attribute %s", name)
		}
		return
	}
	r.numbers(e, name+" = ", value, into...)
}

// bound is like floats for a limit in a direction, +1 or -1. Files have limits such as 1e16 for joints without.
func (r *reader) bound(e *element, name string, direction int, into *float64) {
	value, _ := e.attr(name)
	if x, _ := strconv.ParseFloat(value, 64); x*float64(direction) > largest {
		*into = math.Inf(direction)
		return
	}
	r.floats(e, name, false, into)
}

func (r *reader) numbers(e *element, what, text string, into ...*float64) {
	fields := strings.Fields(text)
	if len(fields) != len(into) {
		r.fail(e, "%s%.60q: must be %d numbers", what, text, len(into))
		return
	}
	for i, f := range fields {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(x) {
			r.fail(e, "%s%.60q: must be a number", what, f)
			return
		}
		if !(math.Abs(x) <= largest) {
			r.fail(e, "%s%.60q: must lie within ±%g", what, f, largest)
			return
		}
		*into[i] = x
	}
}

func (r *reader) vector(e *element, name string, required bool, v *mgl64.Vec3) {
	r.floats(e, name, required, &v[0], &v[1], &v[2])
}

// value reads the number in the text of a child of an SDF element. Without the child, it returns the default.
func (r *reader) value(e *element, name string, otherwise float64) float64 {
	if c := r.child(e, name); c != nil {
		r.numbers(c, "", c.text, &otherwise)
	}
	return otherwise
}

// Note is something that a file has and that is not carried over.
type Note struct {
	What   string  // such as <transmission name="left">
	Places []Place // where, at least once
}

// unused lists what reading did not mark as used below an element. Things of the same name in the same kind of element
// are one note.
func unused(e *element, in string, into *notes) {
	for _, a := range e.attrs {
		if !a.used {
			into.add(fmt.Sprintf("attribute %s of <%.40s>", a.name, e.name), e.Place)
		}
	}
	for _, c := range e.children {
		if c.used {
			unused(c, e.name, into)
			continue
		}
		what := fmt.Sprintf("<%.40s>", c.name)
		if c.name == "plugin" {
			what = c.String()
		}
		if in != "" {
			what += fmt.Sprintf(" of <%.40s>", e.name)
		}
		what = cmp.Or(c.why, what)
		into.add(what, c.Place)
	}
}

// notes lists what is not carried over, in the order in which it was found.
type notes []Note

func (n *notes) add(what string, at Place) {
	for i := range *n {
		if (*n)[i].What == what {
			(*n)[i].Places = append((*n)[i].Places, at)
			return
		}
	}
	*n = append(*n, Note{what, []Place{at}})
}

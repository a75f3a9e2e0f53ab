package msg

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of a definition text, so that files which are not definitions fail early. Guesses, far above real messages.
const (
	MaxText   = 1 << 20 // bytes of a definition
	maxFields = 1 << 12
)

// parsed is a parsed definition whose nested types have not been looked up.
type parsed struct {
	constants []Constant
	fields    []Field
}

// parse parses .msg text. Errors begin with where.
func (g grammar) parse(where, text, pkg string) (parsed, error) {
	var p parsed
	if len(text) > MaxText {
		return p, fmt.Errorf("%s: %d bytes: a definition has at most %d", where, len(text), MaxText)
	}
	seen := map[string]bool{}
	i := -1
	for line := range strings.SplitSeq(text, "\n") {
		i++
		clean := stripComment(line)
		if clean == "" {
			continue
		}
		var name string
		var err error
		if _, rest := cutWord(clean); strings.Contains(rest, "=") {
			var c Constant
			if c, err = g.parseConstant(line, clean); err == nil {
				p.constants = append(p.constants, c)
			}
		} else {
			var f Field
			if f, err = g.parseField(clean, pkg); err == nil {
				p.fields = append(p.fields, f)
				name = f.Name
			}
		}
		if err == nil && name != "" && seen[name] {
			err = fmt.Errorf("field = %q: appears twice", name)
		}
		if err == nil && len(p.fields)+len(p.constants) > maxFields {
			err = fmt.Errorf("more than %d fields and constants", maxFields)
		}
		if err != nil {
			return parsed{}, fmt.Errorf("%s:%d: %w", where, i+1, err)
		}
		seen[name] = true
	}
	return p, nil
}

func stripComment(line string) string {
	line, _, _ = strings.Cut(line, "#")
	return strings.TrimSpace(line)
}

// cutWord splits text after its first word.
func cutWord(text string) (word, rest string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

func (g grammar) parseField(clean, pkg string) (Field, error) {
	typ, rest := cutWord(clean)
	name, value := cutWord(rest)
	if name == "" || value != "" && g == ros1 {
		return Field{}, fmt.Errorf("%q: a field is a type and a name", clean)
	}
	if !validIdent(name) {
		return Field{}, fmt.Errorf("field = %q: must be letters, digits and underscores, a letter first", name)
	}
	f, err := g.parseType(typ, pkg)
	f.Name = name
	if err == nil && value != "" {
		err = g.checkDefault(f, value)
	}
	return f, err
}

// checkDefault checks the default value of a field. Nothing else reads defaults: a simulator sets all fields.
func (g grammar) checkDefault(f Field, value string) error {
	ok := f.Builtin()
	switch {
	case ok && f.Len == NoArray:
		ok = g.checkConstant(Constant{Type: f.Base, Text: value}) == nil
	case ok:
		ok = value[0] == '[' && value[len(value)-1] == ']'
	}
	if !ok {
		return fmt.Errorf("field %s %s = %q: must be a default value of the type", f.Type(), f.Name, value)
	}
	return nil
}

// parseConstant parses TYPE NAME=VALUE. The value of a string is everything after the first equals sign, including
// comment signs in ROS 1. Any other value ends at a comment.
func (g grammar) parseConstant(line, clean string) (Constant, error) {
	typ, rest := cutWord(clean)
	if !builtin(typ) || typ == "time" || typ == "duration" {
		return Constant{}, fmt.Errorf("%q: a constant's type must be a number, bool or string", clean)
	}
	if typ == "string" && g == ros1 {
		_, rest = cutWord(strings.TrimSpace(line))
	}
	name, val, _ := strings.Cut(rest, "=")
	c := Constant{Type: typ, Name: strings.TrimSpace(name), Text: strings.TrimSpace(val)}
	if !validIdent(c.Name) {
		return Constant{}, fmt.Errorf("constant = %q: must be letters, digits and underscores, a letter first", c.Name)
	}
	if err := g.checkConstant(c); err != nil {
		return Constant{}, fmt.Errorf("constant %s = %q: must be a %s", c.Name, c.Text, typ)
	}
	return c, nil
}

func (g grammar) checkConstant(c Constant) (err error) {
	base := 10
	if g == ros2 && strings.ContainsAny(c.Text, "xXoObB") {
		base = 0 // for example 0x10
	}
	switch c.Type {
	case "string":
	case "bool":
		switch c.Text {
		case "True", "False", "true", "false", "0", "1":
		default:
			return strconv.ErrSyntax
		}
	case "float32", "float64":
		_, err = strconv.ParseFloat(c.Text, 64)
	case "byte":
		if g == ros2 {
			_, err = strconv.ParseUint(c.Text, base, 8)
		} else {
			_, err = strconv.ParseInt(c.Text, base, 8)
		}
	case "char":
		_, err = strconv.ParseUint(c.Text, base, 8)
	default:
		bits, _ := strconv.Atoi(strings.TrimLeft(c.Type, "uint"))
		if c.Type[0] == 'u' {
			_, err = strconv.ParseUint(c.Text, base, bits)
		} else {
			_, err = strconv.ParseInt(c.Text, base, bits)
		}
	}
	return err
}

// maxFull is the maximum size of a full definition text in bytes. It is a guess: the texts of ROS's largest messages
// take about 20 KB.
const maxFull = 256 << 10

// ParseFull returns the definition of the message name (package/Type) from a full definition text. A full text has the
// definition and then, for each dependency, a line of equals signs, a line "MSG: package/Type" and the definition of
// the dependency. Publishers send such a text in connection headers, and Definition.Text is such a text. ParseFull
// fails if the text is invalid or a dependency is missing. A name with three parts, such as std_msgs/msg/Header, is a
// type of ROS 2, and so are its dependencies. Source: genmsg 0.5, gentools.compute_full_text; genpy,
// dynamic.generate_dynamic; MCAP's schema encodings ros1msg and ros2msg.
func ParseFull(name, text string) (*Definition, error) {
	if len(text) > maxFull {
		return nil, fmt.Errorf("%s: %d bytes: a full definition has at most %d", name, len(text), maxFull)
	}
	l := &Library{}
	if short := shortName(name); short != name {
		l.grammar, l.typeNames = ros2, map[string]string{short: name}
		name = short
	}
	for part, rest, more := cutSeparator(text); ; part, rest, more = cutSeparator(rest) {
		who := name
		if l.msgs != nil { // not in the first part
			var line string
			line, part, _ = strings.Cut(part, "\n")
			var ok bool
			if who, ok = strings.CutPrefix(strings.TrimSpace(line), "MSG:"); !ok {
				return nil, fmt.Errorf("%s: line %.80q after a separator: must be MSG: package/Type", name, line)
			}
			who = strings.TrimSpace(who)
			if short := shortName(who); l.grammar == ros2 && short != who {
				l.typeNames[short] = who
				who = short
			}
		}
		if err := l.AddMessage(who, part); err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	m, err := l.Message(name)
	if err != nil {
		return nil, err
	}
	m.Text = text
	return m, nil
}

// cutSeparator splits text at its first line of equals signs.
func cutSeparator(text string) (part, rest string, more bool) {
	for i := 0; i < len(text); {
		end := strings.IndexByte(text[i:], '\n')
		next := i + end + 1
		if end < 0 {
			next = len(text)
		}
		if line := strings.TrimSpace(text[i:next]); len(line) >= 80 && strings.Trim(line, "=") == "" {
			return strings.TrimSuffix(text[:i], "\n"), text[next:], true
		}
		i = next
	}
	return text, "", false
}

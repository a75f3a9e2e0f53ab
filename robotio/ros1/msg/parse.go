package msg

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of a definition text, so that other files fail early. Guesses, far above real messages.
const (
	MaxText   = 1 << 20 // bytes of a definition
	maxFields = 1 << 12
)

// parsed is a parsed definition with unresolved nested types.
type parsed struct {
	constants []Constant
	fields    []Field
}

// parse parses .msg text. Errors begin with where.
func parse(where, text, pkg string) (parsed, error) {
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
		if strings.Contains(clean, "=") {
			var c Constant
			if c, err = parseConstant(line, clean); err == nil {
				p.constants = append(p.constants, c)
			}
		} else {
			var f Field
			if f, err = parseField(clean, pkg); err == nil {
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

func parseField(clean, pkg string) (Field, error) {
	words := strings.Fields(clean)
	if len(words) != 2 {
		return Field{}, fmt.Errorf("%q: a field is a type and a name", clean)
	}
	if !validIdent(words[1]) {
		return Field{}, fmt.Errorf("field = %q: must be letters, digits and underscores, a letter first", words[1])
	}
	base, n, err := parseType(words[0], pkg)
	if err != nil {
		return Field{}, err
	}
	return Field{Name: words[1], Base: base, Len: n}, nil
}

// parseConstant parses TYPE NAME=VALUE. The value of a string is everything after the first equals sign, including
// comment signs. Any other value ends at a comment.
func parseConstant(line, clean string) (Constant, error) {
	typ := strings.Fields(clean)[0]
	if !builtin(typ) || typ == "time" || typ == "duration" {
		return Constant{}, fmt.Errorf("%q: a constant's type must be a number, bool or string", clean)
	}
	rest := strings.TrimPrefix(clean, typ)
	if typ == "string" {
		rest = strings.TrimPrefix(strings.TrimSpace(line), typ)
	}
	name, val, _ := strings.Cut(rest, "=")
	c := Constant{Type: typ, Name: strings.TrimSpace(name), Text: strings.TrimSpace(val)}
	if !validIdent(c.Name) {
		return Constant{}, fmt.Errorf("constant = %q: must be letters, digits and underscores, a letter first", c.Name)
	}
	if err := checkConstant(c); err != nil {
		return Constant{}, fmt.Errorf("constant %s = %q: must be a %s", c.Name, c.Text, typ)
	}
	return c, nil
}

func checkConstant(c Constant) (err error) {
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
		_, err = strconv.ParseInt(c.Text, 10, 8)
	case "char":
		_, err = strconv.ParseUint(c.Text, 10, 8)
	default:
		bits, _ := strconv.Atoi(strings.TrimLeft(c.Type, "uint"))
		if c.Type[0] == 'u' {
			_, err = strconv.ParseUint(c.Text, 10, bits)
		} else {
			_, err = strconv.ParseInt(c.Text, 10, bits)
		}
	}
	return err
}

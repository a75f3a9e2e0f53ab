package replay

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// worlds finds the first line that differs between the world files attached to the recordings.
func (x *comparison) worlds() error {
	names := append([]string{"world.toml"}, x.a.Attachments()...)
	names = append(names, x.b.Attachments()...)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		a, was, err := x.a.file(name)
		if err != nil {
			return fmt.Errorf("A: %w", err)
		}
		b, is, err := x.b.file(name)
		if err != nil {
			return fmt.Errorf("B: %w", err)
		}
		switch {
		case strings.HasPrefix(name, "drawn-") && was != is, bytes.Equal(a, b) && was == is:
			continue
		case was != is:
			x.differ("world", nil, name, there(was), there(is))
		case !utf8.Valid(a) || !utf8.Valid(b):
			x.differ("world", nil, name, fmt.Sprintf("%d bytes", len(a)), fmt.Sprintf("%d other bytes", len(b)))
		default:
			where, p, q := differingLine(string(a), string(b))
			if where == "" {
				continue
			}
			x.differ("world", nil, name+where, p, q)
		}
		return nil
	}
	return nil
}

// file returns the content of an attached file. ok is false if the recording has no file of that name.
func (r *Recording) file(name string) (data []byte, ok bool, err error) {
	if !slices.Contains(r.Attachments(), name) {
		return nil, false, nil
	}
	file, err := r.Attachment(name)
	return file.Data, true, err
}

func there(is bool) string {
	if is {
		return "has it"
	}
	return nothing
}

// differingLine returns the first line in which two texts differ: was is the line in a, and is the line in b. It
// ignores differences between seeds, which are compared elsewhere. where says where the line is in the text a: the
// number of the line and, for TOML, the table with its name and the name of its parent. An example is ":12,
// [[robot.sensor]] omni of cyan1".
func differingLine(a, b string) (where, was, is string) {
	p, q := strings.Split(a, "\n"), strings.Split(b, "\n")
	var table, name, outer string // outer is the name of the parent table
	for i := range max(len(p), len(q)) {
		was, is = lineOf(p, i), lineOf(q, i)
		if was != is && !(table == "" && strings.HasPrefix(was, "seed = ") && strings.HasPrefix(is, "seed = ")) {
			where = fmt.Sprintf(":%d", i+1)
			if table != "" {
				where += ", " + table
			}
			if name != "" && name != outer {
				where += " " + name
			}
			if strings.Contains(table, ".") && outer != "" {
				where += " of " + outer
			}
			return where, was, is
		}
		switch text, isName := strings.CutPrefix(was, "name = "); {
		case strings.HasPrefix(was, "["):
			table, name = was, ""
			if !strings.Contains(table, ".") {
				outer = ""
			}
		case isName && strings.HasPrefix(table, "[["):
			if name = strings.Trim(text, `"`); !strings.Contains(table, ".") {
				outer = name
			}
		}
	}
	return "", "", ""
}

func lineOf(lines []string, i int) string {
	if i >= len(lines) {
		return nothing
	}
	return strings.TrimSpace(lines[i])
}

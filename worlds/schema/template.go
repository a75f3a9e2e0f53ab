package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Limits for everything that the templates of all files of a world make together.
const (
	maxMade     = maxMarks // number of values
	maxMadeText = MaxBytes // number of bytes in texts that contain names
)

// Made counts what calls of [File.Expand] have made from the files of one world.
type Made struct{ values, text int }

// Vars holds the names and values of the vars tables of files.
type Vars map[string]*variable

type variable struct {
	*value
	used bool
}

// Read adds the names in the vars table of a file. If a name is already there, it gets the value from this file.
func (v Vars) Read(f *File, made *Made) error {
	table := f.root.table["vars"]
	if table == nil {
		return nil
	}
	e := &expander{made: made, failed: map[offset]bool{}}
	if table.kind != kindTable {
		e.fail("", "vars", table, "must be a table")
		return e.errs.join()
	}
	for _, key := range table.keys {
		child := table.table[key]
		e.fail("vars", keyText(key), child, rules.Rules{Match: true}.Text(key))
		e.entry("vars", key, child, nil)
		child.shared = "vars\x00" + key
		v[key] = &variable{value: child}
	}
	return e.errs.join()
}

// Unused reports those names in the vars table of a file that no file uses. It may be called only when all files have
// been expanded.
func (v Vars) Unused(f *File) error {
	var errs collector
	for name, variable := range v {
		if !variable.used && variable.text == f.text && errs.room() {
			n := &Node{where: "vars", key: keyText(name)}
			names := slices.DeleteFunc(v.names(), func(other string) bool { return other == name })
			errs.add(n.errorAt(variable.value, fmt.Sprintf("nothing uses {%s}%s", name, rules.DidYouMean(name, names)),
				nil))
		}
	}
	return errs.join()
}

func (v Vars) names() []string { return slices.Sorted(maps.Keys(v)) }

// Expand expands the tables of a file that have the key for_each. It also replaces {names} by their values, which come
// from for_each or, failing that, from vars. Later errors say for which values of for_each they occur. A file is
// expanded only once: another call returns the result of the first call.
func (f *File) Expand(vars Vars, made *Made) error {
	if f.expansion != nil {
		return f.expansion.err
	}
	e := &expander{vars: vars, made: made, failed: map[offset]bool{}}
	for _, key := range f.root.keys {
		if key != "vars" && key != "include" { // the tables vars and include have already been read
			e.entry("", key, f.root.table[key], nil)
		}
	}
	f.expansion = &expansion{e.errs.join()}
	return f.expansion.err
}

// expansion is the result of expanding the templates of a file.
type expansion struct{ err error }

// expander expands one file.
type expander struct {
	vars    Vars
	made    *Made
	errs    collector
	failed  map[offset]bool // places of values with errors; an error is reported for only one copy of a value
	stopped bool
}

// offset is the place of a value in a file.
type offset struct {
	*text
	at int32
}

func (e *expander) fail(where, key string, v *value, rule string) {
	if rule == "" || e.failed[offset{v.text, v.at}] || !e.errs.room() {
		return
	}
	e.failed[offset{v.text, v.at}] = true
	n := &Node{where: where, key: key}
	e.errs.add(n.errorAt(v, rule, nil))
}

// value expands a value in place.
func (e *expander) value(where, key string, v *value, r *row) {
	v.row = r
	switch v.kind {
	case kindString:
		if strings.ContainsAny(v.str, "{}") {
			e.fill(where, key, v)
		}
	case kindArray:
		e.array(where, key, v, r)
	case kindTable:
		for _, name := range v.keys {
			e.entry(joinPath(where, key), name, v.table[name], r)
		}
	}
}

// entry expands the value of a key of a table.
func (e *expander) entry(path, key string, v *value, r *row) {
	switch {
	case key == forEach:
		e.fail(path, key, v, "is allowed only in the tables of an array, as [[robot]]")
	case !e.stopped:
		e.value(path, keyText(key), v, r)
	}
}

// fill replaces the names in a text by the values of the names.
func (e *expander) fill(where, key string, v *value) {
	var text strings.Builder
	for rest := v.str; ; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			text.WriteString(rest)
			break
		}
		text.WriteString(rest[:i])
		brace := rest[i]
		if rest = rest[i+1:]; rest != "" && rest[0] == brace { // a doubled brace
			text.WriteByte(brace)
			rest = rest[1:]
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		if brace == '}' || !closed || name == "" || (rules.Rules{Match: true}).Text(name) != "" {
			e.fail(where, key, v, "has a brace that is not one of {name}, {{ and }}")
			return
		}
		found := e.lookup(name, v.row)
		switch {
		case found == nil:
			e.fail(where, key, v, "there is no name "+name+rules.DidYouMean(name,
				append(v.row.names(), e.vars.names()...)))
			return
		case len(v.str) == len(name)+2:
			e.replace(where, key, v, found)
			return
		case found.kind >= kindArray:
			e.fail(where, key, v, fmt.Sprintf("{%s} is a list or a table: it can only replace a whole value", name))
			return
		}
		text.WriteString(found.inText())
		if e.made.text+text.Len() > maxMadeText {
			e.failTooLarge(where, key, v)
			return
		}
		rest = after
	}
	e.made.text += text.Len()
	v.str, v.filled = text.String(), true
}

// lookup returns the value of a name, as the row or vars give it.
func (e *expander) lookup(name string, r *row) *value {
	if v := r.lookup(name); v != nil {
		return v
	}
	if variable := e.vars[name]; variable != nil {
		variable.used = true
		return variable.value
	}
	return nil
}

// replace replaces a text that consists of a single name by the value of that name. Copies share the contents of arrays
// and tables, because these contents never change afterwards.
func (e *expander) replace(where, key string, v, by *value) {
	if !e.count(by) {
		e.failTooLarge(where, key, v)
		return
	}
	v.kind, v.str, v.elems, v.keys, v.table = by.kind, by.str, by.elems, by.keys, by.table
	v.filled, v.name, v.shared = true, by, by.shared
}

// count adds the size of a value to the size of everything that was made. It returns false if the sum exceeds a limit.
func (e *expander) count(v *value) bool {
	e.made.values++
	for _, elem := range v.elems {
		if e.made.values > maxMade || !e.count(elem) {
			return false
		}
	}
	for _, child := range v.table {
		if e.made.values > maxMade || !e.count(child) {
			return false
		}
	}
	return e.made.values <= maxMade
}

// failTooLarge ends the expansion because it makes too much.
func (e *expander) failTooLarge(where, key string, v *value) {
	if !e.stopped {
		e.fail(where, key, v, fmt.Sprintf("expands to too much: for_each and names may make %d values and 1 MiB of "+
			"text "+
			"of the files of a world", maxMade))
	}
	e.stopped = true
}

// inText returns a single value as text that can be inserted into another text.
func (v *value) inText() string {
	if x, ok := v.number(); ok && v.kind == kindFloat && v.overflow() == "" {
		return valueText(x)
	}
	if n, ok := v.integer(); ok && v.overflow() == "" {
		return strconv.FormatInt(n, 10)
	}
	return v.str
}

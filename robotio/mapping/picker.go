package mapping

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
)

// newPicker returns a dynamic.Picker. It returns an error if the definition lacks a path, or exceeds a limit.
func newPicker(def *msg.Definition, paths []string, lists ...dynamic.List) (*dynamic.Picker, error) {
	if err := fits(def); err != nil {
		return nil, err
	}
	p, err := dynamic.NewPicker(def, paths, lists...)
	lacks, _ := errors.AsType[dynamic.MissingError](err)
	if lacks == nil {
		return p, err
	}
	var errs []error
	for _, m := range lacks {
		errs = append(errs, missingText(def, m))
	}
	return p, errors.Join(errs...)
}

// missingText returns the error for a path that a definition lacks.
func missingText(def *msg.Definition, m dynamic.Missing) error {
	if m.Array {
		return fmt.Errorf("each = %q: %s has no array of messages of that name", m.Path, def.Name)
	}
	return fmt.Errorf("field = %q: %s", m.Path, noSuchField(m.Def, m.Path))
}

// noSuchField returns the text of an error: the message has no field at a path. The text suggests the fields below the
// path, or a similar path.
func noSuchField(def *msg.Definition, path string) string {
	all := appendPaths(nil, def, "")
	below := slices.DeleteFunc(slices.Clone(all), func(p string) bool {
		return !strings.HasPrefix(p, path+".") && !strings.HasPrefix(p, path+"[")
	})
	text := def.Name + " has no number, time or text of that name; "
	if near := rules.Nearest(path, all); near != "" && len(below) == 0 {
		return fmt.Sprintf("%sdid you mean %q?", text, near)
	} else if len(below) == 0 {
		below = all
	}
	return text + thereAre(below)
}

// appendPaths appends the paths of all fields of a message to paths, until paths has 500 elements. The path of an array
// is the path of its first element.
func appendPaths(paths []string, def *msg.Definition, prefix string) []string {
	const mostPaths = 500 // guess
	for _, f := range def.Fields {
		switch nested := def.Nested(f.Base); {
		case len(paths) >= mostPaths:
			return paths
		case nested == nil && f.Len == msg.NoArray:
			paths = append(paths, prefix+f.Name)
		case nested == nil:
			paths = append(paths, prefix+f.Name+"[0]")
		case f.Len == msg.NoArray:
			paths = appendPaths(paths, nested, prefix+f.Name+".")
		}
	}
	return paths
}

// thereAre returns the start of a sentence that lists names. Of many names, it lists the first twelve.
func thereAre(names []string) string {
	const most = 12
	switch n := len(names) - most; {
	case len(names) == 0:
		return "there is none"
	case n > 0:
		return fmt.Sprintf("there are %s and %d more", strings.Join(names[:most], ", "), n)
	}
	return "there are " + strings.Join(names, ", ")
}

package mapping

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// accepted holds the texts that are allowed in a field of a message. The field fills no argument of an action. A
// message with another text is refused, because it asks for something that the simulator cannot do.
type accepted struct {
	slot  int // index of the field in Actions.fields
	texts []string
}

// addAccepted makes Read refuse messages in which a field has none of its accepted texts. accepts maps each such field
// to its accepted texts. addAccepted returns an error if the definition has no text field of that name.
func (a *Actions) addAccepted(def *msg.Definition, accepts map[string][]string) error {
	for _, field := range slices.Sorted(maps.Keys(accepts)) {
		if !isText(def, strings.Split(field, ".")) {
			return fmt.Errorf("accepts.%s: %s has no text of that name", field, def.Name)
		}
		a.accepts = append(a.accepts, accepted{len(a.fields), accepts[field]})
		a.fields = append(a.fields, field)
	}
	return nil
}

// isText reports whether the field at a path is a string.
func isText(def *msg.Definition, path []string) bool {
	for _, f := range def.Fields {
		if f.Name != path[0] || f.Len != msg.NoArray {
			continue
		}
		if len(path) == 1 {
			return f.Base == "string"
		}
		nested := def.Nested(f.Base)
		return nested != nil && isText(nested, path[1:])
	}
	return false
}

func (a *accepted) check(fields []string, values []dynamic.Scalar) error {
	text := values[a.slot].Text
	if slices.Contains(a.texts, text) {
		return nil
	}
	var quoted []string
	for _, t := range a.texts {
		quoted = append(quoted, fmt.Sprintf("%q", t))
	}
	return fmt.Errorf("%s = %.80q: must be one of %s", fields[a.slot], text, strings.Join(quoted, ", "))
}

// addOnly compiles the key only, a chain of conditions: each table may hold the next one in its key and. Messages for
// which one of them is 0 cause nothing.
func (c *actionCompiler) addOnly() error {
	for table := c.actionConfig.only; table != nil; {
		next, isTable := table["and"].(map[string]any)
		if _, given := table["and"]; given && !isTable {
			return errors.New("and: must be another { field = … }")
		}
		table = maps.Clone(table)
		delete(table, "and")
		var s source
		field, err := s.compile(table, false, units{1, 1}, quantity.Plain)
		switch {
		case err != nil:
			return err
		case field == "":
			return errors.New("must be a field of the message")
		}
		if err := s.checkJSON(c.def, field); err != nil {
			return err
		}
		c.use(&s, field, strings.TrimSuffix(c.path, ".do"), "only")
		c.Actions.only = append(c.Actions.only, s)
		table = next
	}
	return nil
}

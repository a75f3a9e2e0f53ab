package rules

import (
	"fmt"
	"reflect"
	"strings"
)

// Violation is a rule that a field of a struct breaks: `Robots[0].Body.CoMZ = 0.9: must lie below Height`.
type Violation struct {
	Field string // path from the judged struct; empty for the struct itself
	Value any    // value in Go, in SI; nil if there is none to show
	Rule  string // may name other fields in braces: "must lie below {Height}"
	Unit  string // unit of the numbers in the rule; empty for none
	// Within is the path of the struct that states the rule.
	Within string
	err    error
}

func (v *Violation) Error() string {
	where := v.Field
	if value := reflect.ValueOf(v.Value); value.Kind() == reflect.String {
		where += fmt.Sprintf(" = %q", value.String())
	} else if v.Value != nil && where != "" {
		where += fmt.Sprintf(" = %v", v.Value)
	}
	rule := strings.NewReplacer("{", "", "}", "").Replace(v.Rule)
	if v.Unit != "" {
		rule += " " + v.Unit
	}
	if where == "" {
		return rule
	}
	return where + ": " + rule
}

// Unwrap returns the error that a nested Validate gave, or nil.
func (v *Violation) Unwrap() error { return v.err }

// join appends path b to path a.
func join(a, b string) string {
	if a == "" || b == "" || b[0] == '[' {
		return a + b
	}
	return a + "." + b
}

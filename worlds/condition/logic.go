package condition

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// All holds when each of its conditions does, Any when one does.
type (
	All []Choice
	Any []Choice
)

func (a All) Validate(w World) error { return validate(a, w) }
func (a Any) Validate(w World) error { return validate(a, w) }

func (a All) Bind(s State) (func() bool, error) {
	tests, err := bind(a, s)
	return func() bool {
		all := true
		for _, test := range tests { // to the end: for_s counts in each of them
			all = test() && all
		}
		return all
	}, err
}

func (a Any) Bind(s State) (func() bool, error) {
	tests, err := bind(a, s)
	return func() bool {
		any := false
		for _, test := range tests {
			any = test() || any
		}
		return any
	}, err
}

func (a All) String() string     { return join(a, " and ", (*Choice).String) }
func (a Any) String() string     { return join(a, " or ", (*Choice).String) }
func (a All) Now(s State) string { return now(a, s) }
func (a Any) Now(s State) string { return now(a, s) }

// Not holds when its condition does not.
type Not struct{ Choice }

func (n *Not) Bind(s State) (func() bool, error) {
	test, err := n.Choice.Bind(s)
	return func() bool { return !test() }, err
}

func (n *Not) String() string { return "not (" + n.Choice.String() + ")" }

func validate(list []Choice, w World) error {
	if len(list) == 0 {
		return &schema.Violation{Rule: "needs one condition at least"}
	}
	var errs []error
	for i := range list {
		errs = append(errs, Below(fmt.Sprintf("[%d]", i), list[i].Validate(w)))
	}
	return errors.Join(errs...)
}

func bind(list []Choice, s State) ([]func() bool, error) {
	tests := make([]func() bool, len(list))
	var errs []error
	for i := range list {
		test, err := list[i].Bind(s)
		tests[i] = test
		errs = append(errs, err)
	}
	return tests, errors.Join(errs...)
}

func join(list []Choice, with string, text func(*Choice) string) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = text(&list[i])
		if len(list) > 1 && (len(list[i].All) > 1 || len(list[i].Any) > 1) {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, with)
}

// now says what there is once, where several conditions ask for the same.
func now(list []Choice, s State) string {
	var texts []string
	for i := range list {
		if text := list[i].Now(s); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

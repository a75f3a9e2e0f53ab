package condition

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// All holds while all of its conditions hold. Any holds while at least one of its conditions holds.
type (
	All []Choice
	Any []Choice
)

func (a All) Validate(w World) error { return validate(a, w) }
func (a Any) Validate(w World) error { return validate(a, w) }

func (a All) Bind(s State) (Test, error) {
	tests, err := bind(a, s)
	return Test{func() bool {
		all := true
		for _, test := range tests { // calls each test, because for_s counts the time inside each test
			all = test.Holds() && all
		}
		return all
	}, describeAll(tests)}, err
}

func (a Any) Bind(s State) (Test, error) {
	tests, err := bind(a, s)
	return Test{func() bool {
		any := false
		for _, test := range tests {
			any = test.Holds() || any
		}
		return any
	}, describeAll(tests)}, err
}

func (a All) String() string { return join(a, " and ") }
func (a Any) String() string { return join(a, " or ") }

// Not holds while the condition inside it does not hold.
type Not struct{ Choice }

func (n *Not) Bind(s State) (Test, error) {
	test, err := n.Choice.Bind(s)
	return Test{func() bool { return !test.Holds() }, test.Now}, err
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

func bind(list []Choice, s State) ([]Test, error) {
	tests := make([]Test, len(list))
	var errs []error
	for i := range list {
		test, err := list[i].Bind(s)
		tests[i] = test
		errs = append(errs, err)
	}
	return tests, errors.Join(errs...)
}

func join(list []Choice, with string) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].String()
		if len(list) > 1 && (len(list[i].All) > 1 || len(list[i].Any) > 1) {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, with)
}

// describeAll returns a function that describes the present values of several tests. The description of a test is left
// out if the description of another test contains it.
func describeAll(tests []Test) func() string {
	return func() string {
		var texts []string
		for _, test := range tests {
			text := test.Now()
			if slices.ContainsFunc(texts, func(said string) bool { return containsSequence(said, text) }) {
				continue
			}
			texts = slices.DeleteFunc(texts, func(said string) bool { return containsSequence(text, said) })
			texts = append(texts, text)
		}
		return strings.Join(texts, ", ")
	}
}

// containsSequence reports whether the descriptions in things occur, side by side and in the same order, in list.
func containsSequence(list, things string) bool {
	return strings.Contains(", "+list+", ", ", "+things+", ")
}

package recording

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// Patterns are names of topics: * stands for any characters, ? for one; /cyan1/* has all in that namespace.
type Patterns []string

// wildcards replaces what stands for other characters by one of them.
var wildcards = strings.NewReplacer("*", "x", "?", "x")

// Validate reports every one that matches no topic's name.
func (p Patterns) Validate() error {
	var errs []error
	for i, pattern := range p {
		if err := graph.Check(wildcards.Replace(pattern)); err != nil || pattern == "" || strings.HasPrefix(pattern, "~") {
			errs = append(errs, fmt.Errorf("topics[%d] = %q: must be a name of letters, digits, / and _, with * and ? for any of them", i, pattern))
		}
	}
	return errors.Join(errs...)
}

// Compile returns what matches the names that one of them does. They must be valid.
func (p Patterns) Compile() *regexp.Regexp {
	var all []string
	for _, pattern := range p {
		if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "*") {
			pattern = "/" + pattern
		}
		all = append(all, strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern)))
	}
	return regexp.MustCompile("^(?:" + strings.Join(all, "|") + ")$")
}

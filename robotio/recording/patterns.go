package recording

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// Patterns are patterns of topic names: * matches any characters, ? matches one. /cyan1/* matches all topics in that
// namespace.
type Patterns []string

// wildcards replaces wildcards with a letter.
var wildcards = strings.NewReplacer("*", "x", "?", "x")

// Validate reports every pattern that cannot match a topic's name.
func (p Patterns) Validate() error {
	var errs []error
	for i, pattern := range p {
		err := graph.Check(wildcards.Replace(pattern))
		if err != nil || pattern == "" || strings.HasPrefix(pattern, "~") {
			errs = append(errs, fmt.Errorf(
				"topics[%d] = %q: must be a name of letters, digits, / and _, with * and ? for any of them",
				i,
				pattern,
			))
		}
	}
	return errors.Join(errs...)
}

// Compile returns an expression that matches the names that any pattern matches. The patterns must be valid.
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

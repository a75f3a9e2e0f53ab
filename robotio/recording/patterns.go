package recording

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// Patterns is a list of patterns for the names of topics. In a pattern, * matches any characters, and ? matches one
// character. So /cyan1/* matches all topics in the namespace /cyan1.
type Patterns []string

// wildcards replaces the wildcards of a pattern with a letter, so that the rest can be checked as a name.
var wildcards = strings.NewReplacer("*", "x", "?", "x")

// Validate returns an error that lists every pattern that cannot match the name of a topic.
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

// Compile returns a regular expression that matches a name if any of the patterns matches the name. The patterns must
// be valid.
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

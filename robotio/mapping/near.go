package mapping

import (
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// mostListed bounds how many names an error lists.
const mostListed = 12

// few lists names, the first dozen of many.
func few(names []string) string {
	if len(names) > mostListed {
		return strings.Join(names[:mostListed], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// meantOrFew ends an error about a name that there is not: with the one that was probably meant, or with some that there are.
func meantOrFew(name string, known []string) string {
	if near := rules.Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) == 0 {
		return "; there is none"
	}
	return "; there are " + few(known)
}

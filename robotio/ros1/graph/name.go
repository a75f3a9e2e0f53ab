package graph

import (
	"fmt"
	"strings"
)

// maxName is the maximum length of a name in bytes. It is a guess with a wide margin, far above real names.
const maxName = 1024

// Check returns an error if s is not a valid name. A valid name has an optional / or ~ at its start, then a letter,
// then letters, digits, / and _. The root namespace / is valid too.
func Check(s string) error {
	rest := s
	if s == "/" {
		return nil
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") {
		rest = s[1:]
	}
	rest = strings.TrimPrefix(rest, "/") // ~/x means the same as ~x
	for i, r := range rest {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && r != '/' && (r < '0' || r > '9')) {
			return fmt.Errorf("name %q: must be letters, digits, / and _, a letter first", clip(s))
		}
	}
	if rest == "" || strings.Contains(rest, "//") || len(s) > maxName {
		return fmt.Errorf("name %q: must be 1 to %d bytes without //", clip(s), maxName)
	}
	return nil
}

// clip truncates text for an error message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// Namespace returns the namespace of an absolute name, with a slash at its start and its end. The namespace of /a/b is
// /a/, and the namespace of / is /.
func Namespace(name string) string {
	if name == "/" {
		return name
	}
	return name[:strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1]
}

// Canonical returns a name without double slashes and without a slash at its end.
func Canonical(name string) string {
	lead := ""
	if strings.HasPrefix(name, "/") {
		lead = "/"
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	return lead + strings.Join(parts, "/")
}

// Resolve returns the absolute form of a name that a node uses. The argument node is the absolute name of the node. An
// absolute name stays as it is. A name such as ~private is below the name of the node. Any other name is in the
// namespace of the node.
func Resolve(node, name string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return Canonical(name)
	case strings.HasPrefix(name, "~"):
		return Canonical(node + "/" + name[1:])
	}
	return Canonical(Namespace(node) + name)
}

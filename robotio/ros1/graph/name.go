package graph

import (
	"fmt"
	"strings"
)

// maxName bounds the length of a name in bytes. A guess, far above real names.
const maxName = 1024

// Check fails unless s is a valid name: an optional / or ~, then a letter, then letters, digits, / and _. The root
// namespace / is valid.
func Check(s string) error {
	rest := s
	if s == "/" {
		return nil
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") {
		rest = s[1:]
	}
	rest = strings.TrimPrefix(rest, "/") // ~/x is the same as ~x
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

// Namespace returns the namespace of an absolute name, with slashes at both ends: /a/b is in /a/, and / is in /.
func Namespace(name string) string {
	if name == "/" {
		return name
	}
	return name[:strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1]
}

// Canonical removes double and trailing slashes.
func Canonical(name string) string {
	lead := ""
	if strings.HasPrefix(name, "/") {
		lead = "/"
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	return lead + strings.Join(parts, "/")
}

// Resolve returns the absolute form of a name that a node uses; node is absolute. Absolute names stay, ~private names
// lie below the node, and others in the node's namespace.
func Resolve(node, name string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return Canonical(name)
	case strings.HasPrefix(name, "~"):
		return Canonical(node + "/" + name[1:])
	}
	return Canonical(Namespace(node) + name)
}

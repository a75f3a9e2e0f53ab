package schema

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Failed is the paths of keys with errors (true), and of the tables around them (false). Checks of the rest of a file
// use it to avoid repeated and consequential errors.
type Failed map[string]bool

// FailedIn returns the paths of all [Error]s in err.
func FailedIn(err error) Failed {
	f := Failed{}
	for _, e := range rules.Split(err) {
		if e, ok := errors.AsType[*Error](e); ok {
			f.Add(joinPath(e.Where, e.Key))
		}
	}
	return f
}

// Add records that a key failed. The path "" is the whole file.
func (f Failed) Add(path string) {
	f[path] = true
	for path != "" {
		path = parentPath(path)
		f[path] = f[path]
	}
}

// At reports whether the key of a path failed, or a table around it.
func (f Failed) At(path string) bool {
	for !f[path] {
		if path == "" {
			return false
		}
		path = parentPath(path)
	}
	return true
}

// Touches reports whether something failed at a path, around it or below it.
func (f Failed) Touches(path string) bool {
	_, below := f[path]
	return below || f.At(path)
}

// Without returns err without the [Error]s about failed keys.
func (f Failed) Without(err error) error {
	var rest []error
	for _, e := range rules.Split(err) {
		if placed, ok := errors.AsType[*Error](e); !ok || !f.At(joinPath(placed.Where, placed.Key)) {
			rest = append(rest, e)
		}
	}
	return errors.Join(rest...)
}

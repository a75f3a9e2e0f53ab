package schema

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Failed holds the paths of keys that have errors, with the value true, and the paths of the tables around these keys,
// with the value false. Checks of the rest of a file use Failed to avoid reporting an error twice, and reporting errors
// that only follow from other errors.
type Failed map[string]bool

// FailedIn returns the paths of all [Error]s inside err.
func FailedIn(err error) Failed {
	f := Failed{}
	for _, e := range rules.Split(err) {
		if e, ok := errors.AsType[*Error](e); ok {
			f.Add(joinPath(e.Where, e.Key))
		}
	}
	return f
}

// Add records that the key at a path failed. The path "" stands for the whole file.
func (f Failed) Add(path string) {
	f[path] = true
	for path != "" {
		path = parentPath(path)
		f[path] = f[path]
	}
}

// At reports whether the key at a path failed, or a table around the key.
func (f Failed) At(path string) bool {
	for !f[path] {
		if path == "" {
			return false
		}
		path = parentPath(path)
	}
	return true
}

// Touches reports whether anything failed at a path, in a table around it, or below it.
func (f Failed) Touches(path string) bool {
	_, below := f[path]
	return below || f.At(path)
}

// Without returns err without those [Error]s that concern failed keys.
func (f Failed) Without(err error) error {
	var rest []error
	for _, e := range rules.Split(err) {
		if placed, ok := errors.AsType[*Error](e); !ok || !f.At(joinPath(placed.Where, placed.Key)) {
			rest = append(rest, e)
		}
	}
	return errors.Join(rest...)
}

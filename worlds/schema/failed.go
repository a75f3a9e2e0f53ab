package schema

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Failed holds the paths of the keys that errors are about, with true, and of the tables around those, with false. Who
// judges the rest of a file by it says nothing twice, and nothing that only follows.
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

// Add notes that a key failed. The path "" is the whole file.
func (f Failed) Add(path string) {
	f[path] = true
	for path != "" {
		path = parentPath(path)
		f[path] = f[path]
	}
}

// At tells whether the key of a path failed, or a table that it stands in.
func (f Failed) At(path string) bool {
	for !f[path] {
		if path == "" {
			return false
		}
		path = parentPath(path)
	}
	return true
}

// Touches tells whether something failed at a path, around it or below it.
func (f Failed) Touches(path string) bool {
	_, below := f[path]
	return below || f.At(path)
}

// Without returns err without the [Error]s about what failed.
func (f Failed) Without(err error) error {
	var rest []error
	for _, e := range rules.Split(err) {
		if placed, ok := errors.AsType[*Error](e); !ok || !f.At(joinPath(placed.Where, placed.Key)) {
			rest = append(rest, e)
		}
	}
	return errors.Join(rest...)
}

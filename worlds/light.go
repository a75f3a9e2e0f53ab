package worlds

import (
	"errors"
	"slices"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// FindLamp fails unless name is that of a lamp near the field.
func (w *World) FindLamp(name string) error {
	if slices.ContainsFunc(w.Light.Spots, func(s render.Spot) bool { return s.Name == name && name != "" }) {
		return nil
	}
	return errors.New("there is no such lamp among [[light.spot]]")
}

// validateColors reports invalid colours in a world that was built in Go. In files, the reader reports them.
func (w *World) validateColors() error {
	var errs []error
	for _, l := range w.looks() {
		if _, err := l.color.Linear(); err != nil && l.color != "" {
			errs = append(errs, &schema.Violation{Path: l.path, Key: l.key, Value: string(l.color), Rule: err.Error()})
		}
	}
	return errors.Join(errs...)
}

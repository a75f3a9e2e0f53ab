package worlds

import (
	"errors"
	"slices"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// FindLamp fails unless a name is a nearby lamp's.
func (w *World) FindLamp(name string) error {
	if slices.ContainsFunc(w.Light.Spots, func(s render.Spot) bool { return s.Name == name && name != "" }) {
		return nil
	}
	return errors.New("there is no such lamp among [[light.spot]]")
}

// colors reports what is no colour in a world that was built in Go: in files the reader does.
func (w *World) colors() error {
	judge := func(path, key string, c render.Color) error {
		if _, err := c.Linear(); err != nil && c != "" {
			return &schema.Violation{Path: path, Key: key, Value: string(c), Rule: err.Error()}
		}
		return nil
	}
	return errors.Join(judge("ball", "color", w.Ball.Color), judge("hall", "carpet_color", w.Hall.Carpet))
}

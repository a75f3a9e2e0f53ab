package main

import (
	"reflect"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// sensorLevels returns the names of all levels that world files may use. Each kind of sensor has only some of these
// levels.
func sensorLevels() []string {
	field, ok := reflect.TypeFor[sensors.Config]().FieldByName("Level")
	if !ok {
		panic("a sensor's configuration has no level")
	}
	return strings.Split(field.Tag.Get("oneof"), "|")
}

// applyLevels applies flags to a world, in their order: see worlds.World.ApplyLevel. name is the name of the flag, for
// errors.
func applyLevels(w *worlds.World, name string, flags []string) error {
	for _, flag := range flags {
		if err := w.ApplyLevel(flag); err != nil {
			return console.BadInputf("%s %s: %w", name, flag, err)
		}
	}
	return nil
}

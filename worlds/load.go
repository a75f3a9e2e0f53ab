package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Load reads a world by the name of one that ships or by a path. The error joins everything that is wrong, with what
// others check about a world: they get it even where some of it is wrong, see [World.Sound].
func Load(nameOrPath string, others ...func(*World) error) (*World, error) {
	filename, read, err := worldFiles.find(nameOrPath, "")
	if err != nil {
		return nil, fmt.Errorf("world %q: %w", nameOrPath, err)
	}
	data, err := read()
	if err != nil {
		return nil, fmt.Errorf("world %q: cannot be read: %w", nameOrPath, err)
	}
	return Parse(filename, data, others...)
}

// Parse reads a world from the text of a file. Paths inside start from the folder of filename.
func Parse(filename string, data []byte, others ...func(*World) error) (*World, error) {
	var read sources
	file, err := read.parse(filename, data)
	if err != nil {
		return nil, err
	}
	bases, err := read.includes(file, []string{filename})
	if err != nil {
		return nil, err
	}
	defer func() { read.models = models.Library{} }() // what a World keeps are its props' Groups
	w := defaultWorld()
	w.file = file
	err = file.Root().Bind(&w, bases...)
	w.fail(err)
	w.assignNumbers()
	for _, check := range append([]func(*World) error{(*World).Validate}, others...) {
		err = errors.Join(err, w.failed.Without(file.Locate(check(&w))))
		w.fail(err)
	}
	if err != nil {
		return nil, errors.Join(schema.Flatten(err)...)
	}
	return &w, nil
}

// Errors returns the single errors inside what reading or checking a world returned, by their places in the file.
func Errors(err error) []error { return schema.Flatten(err) }

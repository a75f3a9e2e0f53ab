package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Load reads a world by the name of one that ships or by a path. The error joins everything that is wrong.
func Load(nameOrPath string) (*World, error) {
	filename, read, err := worldFiles.find(nameOrPath, "")
	if err != nil {
		return nil, fmt.Errorf("world %q: %w", nameOrPath, err)
	}
	data, err := read()
	if err != nil {
		return nil, fmt.Errorf("world %q: cannot be read: %w", nameOrPath, err)
	}
	return Parse(filename, data)
}

// Parse reads a world from the text of a file. Paths inside start from the folder of filename.
func Parse(filename string, data []byte) (*World, error) {
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
	if err := file.Root().Bind(&w, bases...); err != nil {
		// Keys were judged while they were bound; what a key that failed left unset must not be blamed again.
		return nil, errors.Join(schema.Flatten(errors.Join(err, file.Locate(w.references())))...)
	}
	if err := file.Locate(w.Validate()); err != nil {
		return nil, err
	}
	return &w, nil
}

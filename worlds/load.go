package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Load reads a world by the name of one that ships or by a path. The error joins everything that is wrong.
func Load(nameOrPath string) (*World, error) {
	filename, data, err := worldFiles.read(nameOrPath, "")
	if err != nil {
		return nil, fmt.Errorf("world %q: %w", nameOrPath, err)
	}
	return Parse(filename, data)
}

// Parse reads a world from the text of a file. Paths inside start from the folder of filename.
func Parse(filename string, data []byte) (*World, error) {
	file, err := schema.Parse(filename, data)
	if err != nil {
		return nil, err
	}
	bases, err := includes(file, []string{filename})
	if err != nil {
		return nil, err
	}
	w := defaultWorld()
	if err := file.Root().Bind(&w, bases...); err != nil {
		// Keys were judged while they were bound; what a key that failed left unset must not be blamed again.
		return nil, errors.Join(schema.Flatten(errors.Join(err, file.Locate(w.references())))...)
	}
	if err := file.Locate(w.Validate()); err != nil {
		return nil, err
	}
	w.file = file
	return &w, nil
}

// includes returns the files that a file starts from, lowest first. chain holds the files on the way here.
func includes(file *schema.File, chain []string) ([]*schema.Node, error) {
	const deepest = 16
	key := file.Root().Get("include")
	if key == nil {
		return nil, nil
	}
	list, ok := key.Value().([]any)
	if !ok {
		return nil, key.Errorf("must be an array of names or paths")
	}
	var nodes []*schema.Node
	for _, entry := range list {
		name, ok := entry.(string)
		if !ok {
			return nil, key.Errorf("must be an array of names or paths")
		}
		filename, data, err := worldFiles.read(name, chain[len(chain)-1])
		if err != nil {
			return nil, key.Errorf("%q: %w", name, err)
		}
		if i := slices.Index(chain, filename); i >= 0 {
			return nil, key.Errorf("includes itself: %s", strings.Join(append(chain[i:], filename), " → "))
		}
		if len(chain) >= deepest {
			return nil, key.Errorf("includes go deeper than %d files", deepest)
		}
		base, err := schema.Parse(filename, data)
		if err != nil {
			return nil, err
		}
		below, err := includes(base, append(slices.Clone(chain), filename))
		if err != nil {
			return nil, err
		}
		nodes = append(append(nodes, below...), base.Root())
	}
	return nodes, nil
}

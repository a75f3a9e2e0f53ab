package worlds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Load reads a world, given by the name of a shipped world or by a path. It also runs the checks in others. The error
// joins all problems, including those that the checks find. The checks also run for a world with errors, see
// [World.NoErrorAt].
func Load(nameOrPath string, others ...func(*World) error) (*World, error) {
	return load(nameOrPath, nil, others)
}

// LoadWithSeed is like Load, but uses the given seed instead of the seed in the file.
func LoadWithSeed(nameOrPath string, seed uint64, others ...func(*World) error) (*World, error) {
	return load(nameOrPath, &seed, others)
}

func load(nameOrPath string, seed *uint64, others []func(*World) error) (*World, error) {
	filename, read, err := worldFiles.find(nil, nameOrPath, "")
	if err != nil {
		return nil, fmt.Errorf("world %q: %w", nameOrPath, err)
	}
	data, err := read()
	if err != nil {
		return nil, fmt.Errorf("world %q: cannot be read: %w", nameOrPath, err)
	}
	return parse(filename, data, seed, others)
}

// Parse reads a world from the text of a file. Paths in the text start from the folder of filename.
func Parse(filename string, data []byte, others ...func(*World) error) (*World, error) {
	return parse(filename, data, nil, others)
}

func parse(filename string, data []byte, seed *uint64, others []func(*World) error) (*World, error) {
	return newSources(nil).parseWorld(filename, data, seed, others)
}

// parseWorld reads a world from the text of a file.
func (s *sources) parseWorld(filename string, data []byte, seed *uint64, others []func(*World) error) (*World, error) {
	if _, err := s.parse(filename, data); err != nil {
		return nil, err
	}
	return s.world(context.Background(), filename, seed, others)
}

// world reads a world whose file has already been parsed. If seed is not nil, it replaces the seed in the file.
func (s *sources) world(ctx context.Context, filename string, seed *uint64,
	others []func(*World) error) (*World, error) {
	file := s.file(filename)
	bases, err := s.includes(file, []string{filename})
	if err != nil {
		return nil, err
	}
	if err := s.expand(file, bases); err != nil {
		return nil, err
	}
	defer func() { s.models = s.models.Another() }() // frees the memory of the models' files
	seeded := seed != nil
	if !seeded {
		given := seedIn(append(bases, file))
		seed = &given
	}
	w, err := s.draw(ctx, filename, bases, *seed)
	if w == nil {
		return nil, err
	}
	w.filename, w.seeded, w.others = filename, seeded, others
	err = errors.Join(err, file.Locate(s.exact.set(w)))
	checks := append([]func(*World) error{(*World).Validate}, others...)
	// with another seed, checks that do not depend on the seed are left out, because they passed with the first seed
	switch {
	case s.judged && !w.Random():
		checks = nil
	case s.judged && w.judgedHere():
		checks = checks[:1]
	}
	for _, check := range checks {
		found := w.failed.Without(file.Locate(check(w)))
		if w.Random() {
			found = ofSeed(found, w.Seed)
		}
		err = errors.Join(err, found)
		w.fail(err)
	}
	if err != nil {
		return nil, errors.Join(schema.WithoutRepeats(schema.Flatten(err))...)
	}
	return w, nil
}

// WithSeed returns the world that the same files give with another seed. It does not read the files again. Changes that
// were made to w after it was read are not in the new world. Several goroutines may call WithSeed. It fails if the seed
// gives an invalid world. The checks given to Load run again, but not if all random values are places, motion, light
// and events. For a world that was built in Go, WithSeed returns an unchanged copy. A random world from a [Bundle]
// contains only the worlds for its own seed and for the seeds of its events; for any other seed WithSeed fails.
func (w *World) WithSeed(seed uint64) (*World, error) {
	drawn, _, err := w.Draw(context.Background(), seed)
	return drawn, err
}

// Draw is like [World.WithSeed]. If ctx ends before random values with which the world is valid are found, it returns
// the error of ctx. It also returns the work of drawing the random values: how many values were read, at most about
// [MaxWork]. Work does not depend on the machine.
func (w *World) Draw(ctx context.Context, seed uint64) (drawn *World, work int, err error) {
	if w.file == nil {
		other := *w
		other.Seed = seed
		return &other, 0, nil
	}
	if w.drawnElsewhere() {
		drawn, err = w.redrawn(seed)
		return drawn, 0, err
	}
	s := w.file.Context.(*sources).again()
	drawn, err = s.world(ctx, w.filename, &seed, w.others)
	return drawn, s.work, err
}

// Source returns the file system that contains the files that the world names. For a world that came with its files,
// this is a file system in memory. For all other worlds it is nil, which stands for the machine's file system.
func (w *World) Source() *files.FS {
	if w.file == nil {
		return nil
	}
	return w.file.Context.(*sources).models.In
}

// Files returns the paths of the files from which the world was read, sorted. They are the paths of the world's own
// file, and of the files of included worlds, models and fields. Files that ship with the program are left out, and so
// are files that came with the world in a [Bundle].
func (w *World) Files() []string {
	if w.file == nil || w.Source() != nil {
		return nil
	}
	var all []string
	for name := range w.file.Context.(*sources).files {
		if !strings.HasPrefix(name, embeddedPrefix) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// Shipped reports whether the world was read only from files that ship with the program.
func (w *World) Shipped() bool { return w.file != nil && w.Source() == nil && len(w.Files()) == 0 }

// Errors returns the single errors that are joined in an error about a world, ordered by their places in the file.
func Errors(err error) []error { return schema.Flatten(err) }

package worlds

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Limits of what a world is made of, far above any that a person writes.
const (
	maxFiles     = 256     // worlds that it includes, models of its robots, fields
	maxFileBytes = 4 << 20 // of them in all
	maxDepth     = 16      // of includes
)

// sources reads the files of one world, each once, and bounds them. It is the Context of each of them.
type sources struct {
	files    map[string]*schema.File // by name
	found    map[reference]string    // names of files
	bytes    int
	included map[string]bool // by name, of worlds that others started from
	names    []string        // of their robots, once asked for
	made     schema.Made
	defaults defaults
	expanded bool           // the world's own file and those that it includes
	judged   bool           // in another world: all that they say, and all that may be drawn
	models   models.Library // which knows where the files lie
	exact    exact
}

// newSources returns sources of files in a file system.
func newSources(in *files.FS) *sources { return &sources{models: models.Library{In: in}} }

// reference is a name or a path that stands in a file.
type reference struct {
	library
	name, from string
}

// again returns sources of the same files, for another world of them.
func (s *sources) again() *sources {
	other := &sources{
		files: make(map[string]*schema.File, len(s.files)), found: maps.Clone(s.found), bytes: s.bytes,
		included: map[string]bool{}, models: s.models.Another(), exact: s.exact, expanded: true, judged: true,
	}
	for name, file := range s.files {
		other.files[name] = file.Another(other)
	}
	return other
}

// file returns one that has been parsed.
func (s *sources) file(filename string) *schema.File { return s.files[filepath.Clean(filename)] }

// sourcesOf returns what reads the files of the world that a node belongs to.
func sourcesOf(n *schema.Node) *sources {
	if s, ok := n.Context().(*sources); ok {
		return s
	}
	return &sources{} // of a file that no world has read
}

// open reads a file that another refers to.
func (s *sources) open(l library, name, from string) (*schema.File, error) {
	_, file, err := s.find(l, name, from)
	return file, err
}

// expand writes out the templates of a world's file and of those that it includes, lowest first, with the names that
// all of them give.
func (s *sources) expand(file *schema.File, bases []*schema.File) error {
	if s.expanded {
		return nil
	}
	s.expanded = true
	vars := schema.Vars{}
	all := append(slices.Clone(bases), file)
	for _, f := range all {
		if err := vars.Read(f, &s.made); err != nil {
			return err
		}
	}
	var errs []error
	for _, f := range all {
		errs = append(errs, f.Expand(vars, &s.made))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return vars.Unused(file)
}

// find reads and parses a file that another refers to, and tells which file it is. Templates in robot models and fields
// have no names but their own; those of worlds wait for expand.
func (s *sources) find(l library, name, from string) (filename string, file *schema.File, err error) {
	ref := reference{l, name, from}
	filename, known := s.found[ref]
	if file = s.file(filename); !known {
		if filename, file, err = s.search(ref); err != nil {
			return filename, nil, err
		}
		s.found[ref] = filename
	}
	if l != worldFiles {
		err = file.Expand(nil, &s.made)
	}
	return filename, file, err
}

// search finds a file that has not been asked for in these words.
func (s *sources) search(ref reference) (filename string, file *schema.File, err error) {
	filename, read, err := ref.find(s.models.In, ref.name, ref.from)
	if err != nil {
		return "", nil, err
	}
	if file = s.file(filename); file != nil {
		return filename, file, nil
	}
	data, err := read()
	if err != nil {
		return "", nil, fmt.Errorf("cannot be read: %w", err)
	}
	file, err = s.parse(filename, data)
	return filename, file, err
}

func (s *sources) parse(filename string, data []byte) (*schema.File, error) {
	if s.bytes += len(data); len(s.files) >= maxFiles || s.bytes > maxFileBytes {
		return nil, fmt.Errorf("is one too many: a world is made of at most %d files and %d MiB", maxFiles,
			maxFileBytes>>20)
	}
	file, err := schema.Parse(filename, data)
	if err != nil {
		return nil, err
	}
	file.Context = s
	if s.files == nil {
		s.files, s.found, s.included = map[string]*schema.File{}, map[reference]string{}, map[string]bool{}
	}
	s.files[filepath.Clean(filename)] = file
	return file, nil
}

// maxProposed bounds the names among which the robot is looked for that was probably meant. A guess: worlds have tens
// of robots.
const maxProposed = 1000

// robots returns the names of the robots that the world's files have, each time that it stands there, to propose one
// for a name that is none of an included world's. All files have been read when the first robot is.
func (s *sources) robots() []string {
	if s.names != nil {
		return s.names
	}
	s.names = []string{}
	for _, filename := range slices.Sorted(maps.Keys(s.files)) {
		list := s.files[filename].Root().Get("robot")
		if list == nil {
			continue
		}
		all, _ := list.Value().([]any)
		for _, robot := range all[:min(len(all), maxProposed-len(s.names))] {
			table, _ := robot.(map[string]any)
			if name, ok := table["name"].(string); ok {
				s.names = append(s.names, name)
			}
		}
	}
	return s.names
}

// includes returns the files that a file starts from, lowest first, each where it comes first. chain holds the files on
// the way here.
func (s *sources) includes(file *schema.File, chain []string) ([]*schema.File, error) {
	key := file.Root().Get("include")
	if key == nil {
		return nil, nil
	}
	list, ok := key.Value().([]any)
	if !ok {
		return nil, key.Errorf("must be an array of names or paths")
	}
	var bases []*schema.File
	for _, entry := range list {
		name, ok := entry.(string)
		if !ok {
			return nil, key.Errorf("must be an array of names or paths")
		}
		filename, base, err := s.find(worldFiles, name, chain[len(chain)-1])
		if err != nil {
			if _, placed := errors.AsType[*schema.Error](err); placed {
				return nil, err
			}
			return nil, key.Errorf("%q: %w", name, err)
		}
		if i := slices.Index(chain, filename); i >= 0 {
			return nil, key.Errorf("includes itself: %s", strings.Join(append(chain[i:], filename), " → "))
		}
		if s.included[filename] {
			continue
		}
		if len(chain) >= maxDepth {
			return nil, key.Errorf("includes go deeper than %d files", maxDepth)
		}
		below, err := s.includes(base, append(slices.Clone(chain), filename))
		if err != nil {
			return nil, err
		}
		s.included[filename] = true
		bases = append(append(bases, below...), base)
	}
	return bases, nil
}

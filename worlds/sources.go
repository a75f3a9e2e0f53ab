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

// Limits of the files of a world, far above any that a person writes.
const (
	maxFiles     = 256     // number of included worlds, models of robots, and fields
	maxFileBytes = 4 << 20 // bytes of all files together
	maxDepth     = 16      // depth of includes
)

// sources reads the files of one world, each once, within limits. It is the Context of each file.
type sources struct {
	files    map[string]*schema.File // by name
	found    map[reference]string    // file names by reference
	bytes    int
	included map[string]bool // names of worlds that others include
	names    []string        // names of the robots, once asked for
	made     schema.Made
	defaults defaults
	expanded bool           // templates of the world's own file and of included ones have been expanded
	judged   bool           // an earlier world from the same files has been judged, with all values that may be drawn
	models   models.Library // knows the file system
	exact    exact
}

// newSources returns sources that read from a file system.
func newSources(in *files.FS) *sources { return &sources{models: models.Library{In: in}} }

// reference is a name or a path in a file.
type reference struct {
	library
	name, from string
}

// again returns sources of the same files, for another world from them.
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

// file returns a parsed file.
func (s *sources) file(filename string) *schema.File { return s.files[filepath.Clean(filename)] }

// sourcesOf returns the sources of the world that a node belongs to.
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

// expand expands the templates of a world's file and of included ones, lowest first, with the variables of all of them.
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

// find reads and parses a file that another refers to, and returns its name. Templates in robot models and fields have
// only their own variables; those of worlds wait for expand.
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

// search finds a file for a reference that is new.
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
		return nil, fmt.Errorf("is one too many: a world may have at most %d files and %d MiB", maxFiles,
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

// maxProposed is the largest number of names that are searched for a similar robot name. Guess: worlds have tens of
// robots.
const maxProposed = 1000

// robots returns the names of the robots in the world's files, with repetitions, to propose one for a misspelt name of
// an included world's robot. All files have been read when the first robot is bound.
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

// includes returns the files that a file includes, lowest first, each at its first occurrence. chain is the chain of
// files that led here.
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

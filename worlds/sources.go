package worlds

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/animation"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Limits for the files of a world. They are far above what any person writes.
const (
	maxFiles     = 256     // number of included worlds, models of robots, and fields
	maxFileBytes = 4 << 20 // number of bytes of all files together
	maxDepth     = 16      // number of levels of included worlds
)

// sources reads the files of one world. It reads each file once, and keeps within the limits. It is the Context of each
// schema.File.
type sources struct {
	files    map[string]*schema.File // files by their names
	found    map[reference]string    // names of files, by the references to them
	bytes    int
	included map[string]bool // names of the worlds that other worlds include
	names    []string        // names of the robots; nil until they are needed
	made     schema.Made
	defaults defaults
	expanded bool // whether the templates of the world's own file and of included files have been expanded
	// whether all values that may be drawn have been judged, for an earlier world from the same files
	judged     bool
	models     models.Library           // models of props, and the file system with all files
	meshFiles  map[string]*models.Model // meshes of robots that were read
	triangles  int                      // of the meshes of robots
	solids     map[tilted]solid         // bodies of props
	robotFiles map[string]*described
	plans      map[mapFile]*plan             // maps that were read
	scripts    map[mapFile]*animation.Script // animations that were read
	// images of walls, boxes, cylinders and the floor that were read
	textures map[mapFile]*render.Texture
	exact    exact
	work     int // work of drawing the random values; see [World.Draw]
}

// newSources returns sources that read from a file system.
func newSources(in *files.FS) *sources { return &sources{models: models.Library{In: in}} }

// reference is a name or a path in a file.
type reference struct {
	library
	name, from string
}

// again returns sources with the same files, from which another world can be made.
func (s *sources) again() *sources {
	other := &sources{
		files: make(map[string]*schema.File, len(s.files)), found: maps.Clone(s.found), bytes: s.bytes,
		included: map[string]bool{}, models: s.models.Another(), solids: maps.Clone(s.solids),
		plans: maps.Clone(s.plans), meshFiles: maps.Clone(s.meshFiles), textures: maps.Clone(s.textures),
		scripts: maps.Clone(s.scripts),
		exact:   s.exact, expanded: true, judged: true,
	}
	for name, file := range s.files {
		other.files[name] = file.Another(other)
	}
	return other
}

// file returns the parsed file with a name.
func (s *sources) file(filename string) *schema.File { return s.files[filepath.Clean(filename)] }

// sourcesOf returns the sources of the world to which a node belongs.
func sourcesOf(n *schema.Node) *sources {
	if s, ok := n.Context().(*sources); ok {
		return s
	}
	return &sources{} // the file of the node does not belong to a world
}

// open reads a file to which another file refers. The argument from is the name of the other file.
func (s *sources) open(l library, name, from string) (*schema.File, error) {
	_, file, err := s.find(l, name, from)
	return file, err
}

// expand expands the templates of a world's file and of the files that it includes, beginning with the file that the
// others override. The templates can use the variables of all these files.
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

// find reads and parses a file to which another file refers, and returns the file and its name. The argument from is
// the name of the other file. Templates in robot models and fields can use only their own variables, so find expands
// them. The method expand expands templates in worlds.
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

// search finds the file for a reference that has not been looked up before.
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
	parse := schema.Parse
	if f := formatOf(filename); f != nil {
		parse = func(filename string, _ []byte) (*schema.File, error) { return parseDescribed(filename, f) }
	}
	file, err := parse(filename, data)
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

// maxProposed is the largest number of robot names among which a similar name is searched. The value is a guess: worlds
// have tens of robots.
const maxProposed = 1000

// robots returns the names of all robots in the world's files; a name may occur several times. The names are used to
// propose a robot of an included world if its name is misspelt. All files have been read when the first robot is bound.
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

// includes returns the files that a file includes, directly or indirectly. Each file comes before the files that
// override it, and is in the list only once. The argument chain holds the files through which this file was reached.
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

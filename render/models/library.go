package models

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/files"
)

// Limits for all models of one world. A model that is shown several times counts each time. A renderer needs about a
// kilobyte per triangle before it subdivides triangles for curved images.
const (
	maxBytes     = 32 << 20 // total size of files; a file counts once
	maxTriangles = 250_000
	maxVertices  = 750_000
	maxParts     = 20_000 // number of meshes; a mesh that is placed several times counts each time
)

// Library loads the models of one world. It reads each file once, and bounds the total size of the models. The zero
// value is empty and ready for use. It must be used by one goroutine at a time.
type Library struct {
	In     *files.FS         // file system from which Load reads; nil for the files of the machine
	files  map[string][]byte // by path
	models map[shown]*Model
	images map[[sha256.Size]byte]*pixels // by the files' hashes
	bytes  int                           // of files
	pixels int                           // of textures
	size   size
}

// shown identifies a model at a scale.
type shown struct {
	path  string
	scale float64
}

// Model is the content of a file. Parts have the names of their nodes. Their meshes are in the Group's frame, so
// their PoseBP is the identity. If both sides of a part are visible, the second half of its triangles are its backs.
type Model struct {
	*render.Group
	// LeftOut names what the file has and the Group does not show, such as "animations (2)".
	LeftOut []string
	Plain   bool // whether the file gives no materials, so that the Group's material is only a stand-in
	// FileAxes reports whether the axes are those of the file, as of STL, OBJ and COLLADA.
	FileAxes bool
	size     size
}

// size counts the parts, triangles and vertices of models.
type size struct{ parts, triangles, vertices int }

// add adds another size. It fails if the sum exceeds a limit.
func (s *size) add(other size) error {
	for _, x := range []struct {
		have *int
		more int
		most int
		what string
	}{
		{&s.parts, other.parts, maxParts, "parts, each a mesh at a node"},
		{&s.triangles, other.triangles, maxTriangles, "triangles"},
		{&s.vertices, other.vertices, maxVertices, "vertices"},
	} {
		if *x.have += x.more; *x.have > x.most {
			return fmt.Errorf("has too many %s: a world's models have at most %d in all", x.what, x.most)
		}
	}
	return nil
}

// Another returns a library for another world with the same models. It reads a model that is already loaded again only
// for another scale.
func (l *Library) Another() Library { return Library{In: l.In, models: maps.Clone(l.models)} }

// Load reads a .gltf, .glb, .stl, .obj or .dae file and scales it. Files to which it refers must be in its folder or
// below.
// Load fails if the file is not a regular file or has another format, if it has no triangles or too many, or if its
// data are inconsistent.
// Callers share the Model and must not change it.
func (l *Library) Load(path string, scale float64) (*Model, error) {
	path = filepath.Clean(path)
	return l.load(path, scale, l.In.Folder(filepath.Dir(path), maxBytes), func() ([]byte, error) {
		return l.In.Read(path, maxBytes)
	})
}

// Files returns the content of all files that Load reads for a model: the model, and the files to which it refers. The
// keys are paths relative to the model's folder.
func Files(in *files.FS, path string) (map[string][]byte, error) {
	dir, name := filepath.Split(filepath.Clean(path))
	data, err := in.Read(path, maxBytes)
	if err != nil {
		return nil, err
	}
	s := store{files: in.Folder(filepath.Clean(dir), maxBytes), room: maxBytes - len(data), read: map[string][]byte{},
		pixels: maxPixels}
	if _, err := readModel(path, data, &s, 1, size{}); err != nil {
		return nil, err
	}
	s.read[name] = data
	return s.read, nil
}

// LoadFS is like Load, for a file in a file system.
func (l *Library) LoadFS(fsys fs.FS, path string, scale float64) (*Model, error) {
	dir, name := filepath.Split(path)
	sub, err := fs.Sub(fsys, filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	return l.load("fs:"+path, scale, sub, func() ([]byte, error) { return fs.ReadFile(sub, name) })
}

func (l *Library) load(path string, scale float64, beside fs.FS, read func() ([]byte, error)) (*Model, error) {
	g := l.models[shown{path, scale}]
	if g == nil {
		data, ok := l.files[path]
		if !ok {
			var err error
			if data, err = read(); err != nil {
				return nil, files.Cause(err)
			}
			if l.bytes += len(data); l.bytes > maxBytes {
				return nil, tooLong()
			}
			if l.files == nil {
				l.files = map[string][]byte{}
			}
			l.files[path] = data
		}
		s := store{files: beside, room: maxBytes - l.bytes, pixels: maxPixels - l.pixels, images: l.images}
		var err error
		if g, err = readModel(path, data, &s, scale, l.size); err != nil {
			return nil, err
		}
		l.bytes, l.pixels, l.images = maxBytes-s.room, maxPixels-s.pixels, s.images
		if l.models == nil {
			l.models = map[shown]*Model{}
		}
		l.models[shown{path, scale}] = g
	}
	if err := l.size.add(g.size); err != nil {
		return nil, err
	}
	return g, nil
}

func tooLong() error {
	return fmt.Errorf("is too long: a world's models and their buffers have at most %d MiB in all", maxBytes>>20)
}

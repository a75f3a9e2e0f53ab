package files

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"
)

// maxDepth is the largest depth of folders in memory. The value is a guess: packages of messages are three folders
// deep.
const maxDepth = 32

// Memory returns a file system with the given files. The keys of the map are paths with slashes. Memory fails if a path
// leaves the file system, such as "../x" or "/x", or if it uses another file as a folder. The bytes must not change
// afterwards.
func Memory(files map[string][]byte) (*FS, error) {
	in := fstest.MapFS{}
	for name, data := range files {
		if !fs.ValidPath(name) || name == "." || strings.Count(name, "/") >= maxDepth {
			return nil, fmt.Errorf("%.100q: must be a path of at most %d names without . and .., from no root", name,
				maxDepth)
		}
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			if _, ok := files[above]; ok {
				return nil, fmt.Errorf("%.100q: goes through a file", name)
			}
		}
		in[name] = &fstest.MapFile{Data: data, Mode: 0o444}
	}
	return &FS{in}, nil
}

// absent is the error for a path that is not in memory. errors.Is(err, fs.ErrNotExist) is true for it.
type absent struct{}

func (absent) Error() string        { return "is not among the files that came with the world" }
func (absent) Is(target error) bool { return target == fs.ErrNotExist }

// clean returns a path in the form of the names of files in memory: with slashes, and cleaned as by filepath.Clean.
func clean(path string) string { return filepath.ToSlash(filepath.Clean(path)) }

// stat describes the file or folder at a path in memory.
func (f *FS) stat(path string) (fs.FileInfo, error) {
	info, err := f.memory.Stat(clean(path))
	if err != nil {
		return nil, absent{}
	}
	return info, nil
}

func (f *FS) read(path string, limit int) ([]byte, error) {
	info, err := f.stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, notRegular(info.Mode())
	case info.Size() > int64(limit):
		return nil, tooLong(limit)
	}
	return f.memory[clean(path)].Data, nil
}

// memoryFolder is a folder in memory. The folder need not exist; then it contains no files.
type memoryFolder struct {
	in    *FS
	path  string
	limit int
}

// Open opens a file or a folder.
func (m memoryFolder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := m.in.memory.Open(path.Join(m.path, name))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: absent{}}
	}
	return file, nil
}

// ReadFile returns a copy of the bytes of a file.
func (m memoryFolder) ReadFile(name string) ([]byte, error) {
	data, err := []byte(nil), fs.ErrInvalid
	if fs.ValidPath(name) {
		data, err = m.in.read(path.Join(m.path, name), m.limit)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return bytes.Clone(data), nil
}

package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// FS is where the files lie that a world names. nil is the machine's file system; that of [Memory] holds a few files,
// and no path leads out of it.
type FS struct{ root *node }

// Read returns a file's bytes as the function Read does. They must not be changed.
func (f *FS) Read(path string, most int) ([]byte, error) {
	if f == nil {
		return Read(path, most)
	}
	n, err := f.find(path)
	if err != nil {
		return nil, err
	}
	return n.read(most)
}

// Stat tells what a path leads to.
func (f *FS) Stat(path string) (fs.FileInfo, error) {
	if f == nil {
		return os.Stat(path)
	}
	return f.find(path)
}

// Folder returns what is in a folder and below it as the function Folder does.
func (f *FS) Folder(path string, most int) fs.ReadFileFS {
	if f == nil {
		return Folder(path, most)
	}
	n, err := f.find(path)
	return memory{n, err, most}
}

// find returns what a path leads to in memory.
func (f *FS) find(path string) (*node, error) {
	return f.root.find(filepath.ToSlash(filepath.Clean(path)))
}

package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// FS is the file system from which a world's files are read. A nil FS is the machine's file system. An FS from [Memory]
// holds a fixed set of files, and no path leads out of it.
type FS struct{ root *node }

// Read returns a file's bytes, like the function Read. The caller must not change the bytes.
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

// Stat describes the file or folder at a path.
func (f *FS) Stat(path string) (fs.FileInfo, error) {
	if f == nil {
		return os.Stat(path)
	}
	return f.find(path)
}

// Folder returns a folder as a file system, like the function Folder.
func (f *FS) Folder(path string, most int) fs.ReadFileFS {
	if f == nil {
		return Folder(path, most)
	}
	n, err := f.find(path)
	return memory{n, err, most}
}

// find returns the node at a path in a file system in memory.
func (f *FS) find(path string) (*node, error) {
	return f.root.find(filepath.ToSlash(filepath.Clean(path)))
}

package files

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// maxDepth is the largest depth of folders in memory. The value is a guess: packages of messages are three folders
// deep.
const maxDepth = 32

// Memory returns a file system with the given files. The keys of the map are paths with slashes. Memory fails if a path
// leads out, such as "../x" or "/x", or if it leads through another file. The bytes must not change afterwards.
func Memory(files map[string][]byte) (*FS, error) {
	root := newFolder(".")
	for name, data := range files {
		elems := strings.Split(name, "/")
		if !fs.ValidPath(name) || name == "." || len(elems) > maxDepth {
			return nil, fmt.Errorf("%.100q: must be a path of at most %d names without . and .., from no root", name,
				maxDepth)
		}
		at, last := root, len(elems)-1
		for _, elem := range elems[:last] {
			below := at.below[elem]
			if below == nil {
				below = newFolder(elem)
				at.below[elem] = below
			}
			if at = below; !at.IsDir() {
				return nil, fmt.Errorf("%.100q: goes through a file", name)
			}
		}
		if at.below[elems[last]] != nil {
			return nil, fmt.Errorf("%.100q: is a folder too", name)
		}
		at.below[elems[last]] = &node{name: elems[last], data: data}
	}
	return &FS{root}, nil
}

// node is a file or a folder in memory. It is also its own fs.FileInfo and fs.DirEntry.
type node struct {
	name  string
	data  []byte
	below map[string]*node // contents of a folder by their names; nil for a file
}

func newFolder(name string) *node { return &node{name: name, below: map[string]*node{}} }

// absent is the error for a path that is not in memory. errors.Is(err, fs.ErrNotExist) is true for it.
type absent struct{}

func (absent) Error() string        { return "is not among the files that came with the world" }
func (absent) Is(target error) bool { return target == fs.ErrNotExist }

func (n *node) find(path string) (*node, error) {
	if !fs.ValidPath(path) {
		return nil, absent{}
	}
	if path == "." {
		return n, nil
	}
	for elem := range strings.SplitSeq(path, "/") {
		if n = n.below[elem]; n == nil {
			return nil, absent{}
		}
	}
	return n, nil
}

func (n *node) read(most int) ([]byte, error) {
	if n.IsDir() {
		return nil, notRegular(n.Mode())
	}
	if len(n.data) > most {
		return nil, tooLong(most)
	}
	return n.data, nil
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return int64(len(n.data)) }
func (n *node) IsDir() bool                { return n.below != nil }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) Sys() any                   { return nil }
func (n *node) Mode() fs.FileMode {
	if n.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// entries returns the entries of a folder, sorted by name.
func (n *node) entries() (all []fs.DirEntry) {
	for _, below := range n.below {
		all = append(all, below)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// memory is a folder in memory. If there is no such folder, it is the error that says why.
type memory struct {
	root *node
	err  error
	most int
}

func (m memory) find(op, name string) (*node, error) {
	err := m.err
	if !fs.ValidPath(name) {
		err = fs.ErrInvalid
	}
	var n *node
	if err == nil {
		n, err = m.root.find(name)
	}
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return n, nil
}

// Open opens a file or a folder.
func (m memory) Open(name string) (fs.File, error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return &openFolder{n, n.entries()}, nil
	}
	return openFile{bytes.NewReader(n.data), n}, nil
}

// ReadFile returns a copy of the bytes of a file.
func (m memory) ReadFile(name string) ([]byte, error) {
	n, err := m.find("read", name)
	if err != nil {
		return nil, err
	}
	data, err := n.read(m.most)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return bytes.Clone(data), nil
}

// openFile is a file that has been opened.
type openFile struct {
	*bytes.Reader
	info *node
}

func (f openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f openFile) Close() error               { return nil }

// openFolder is a folder that has been opened.
type openFolder struct {
	info *node
	left []fs.DirEntry
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: notRegular(f.info.Mode())}
}

// ReadDir returns the next entries, or all remaining ones if count is 0 or less.
func (f *openFolder) ReadDir(count int) ([]fs.DirEntry, error) {
	if count > 0 && len(f.left) == 0 {
		return nil, io.EOF
	}
	if count <= 0 || count > len(f.left) {
		count = len(f.left)
	}
	next := f.left[:count]
	f.left = f.left[count:]
	return next, nil
}

// Package aside writes files that get their name when they are whole: FILE.partial until then, so that nobody takes
// half a file for one. Who writes it, how, is others' business.
//
//	f, err := aside.Create("match.bag", false)
//	_, err = f.Write(b)
//	err = f.Finish() // or f.Discard()
package aside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix is what a file's name ends in while it is written.
const Suffix = ".partial"

// File is a file that is being written. It is for one goroutine.
type File struct {
	*os.File
	path      string // when it is whole
	overwrite bool
}

// Create makes path + ".partial", which Finish renames to path. It fails where there is a file of one of these names:
// with overwrite those are replaced, the first at once.
func Create(path string, overwrite bool) (*File, error) {
	f := &File{path: path, overwrite: overwrite}
	if err := f.vacant(); err != nil {
		return nil, err
	}
	if overwrite { // a process that writes there finds its file gone
		if err := os.Remove(f.Partial()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	var err error
	f.File, err = os.OpenFile(f.Partial(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: another process writes it, or has left it unfinished: remove or overwrite it, or "+
			"give another name", err)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Path is the file's name when it is whole, and Partial the one until then.
func (f *File) Path() string    { return f.path }
func (f *File) Partial() string { return f.path + Suffix }

// vacant fails where the file's final name is taken.
func (f *File) vacant() error {
	switch st, err := os.Lstat(f.path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.IsDir():
		return errors.New("is a folder: must be a file")
	case !f.overwrite:
		return errors.New("exists: must be a new name, or one to be overwritten")
	}
	return nil
}

// ErrGone says that the file has been deleted, renamed or replaced.
var ErrGone = errors.New("the file of this name is another one or is gone")

// There fails where the file's name does not lead to it any more.
func (f *File) There() error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if st, err := os.Stat(f.Partial()); err != nil || !os.SameFile(mine, st) {
		return ErrGone
	}
	return nil
}

// Finish gives the file its name, once its bytes are on the disk. It fails where that name has been taken meanwhile,
// and where the file is gone.
func (f *File) Finish() error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.There(); err != nil {
		return err
	}
	if err := f.vacant(); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if err := f.Close(); err != nil { // before it is renamed, as Windows wants it
		return err
	}
	if err := os.Rename(f.Partial(), f.path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return nil // a folder that may not be read
	}
	_ = dir.Sync() // not every file system can
	return dir.Close()
}

// Discard removes the file, unless another one has its name now. It may be called after Finish, and does nothing then.
func (f *File) Discard() {
	if f.There() == nil { // fails when it is closed
		_ = os.Remove(f.Partial())
	}
	_ = f.Close()
}

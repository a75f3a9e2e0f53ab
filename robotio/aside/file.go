// Package aside writes files under a temporary name, FILE.partial, and renames them when they are complete. So an
// incomplete file never has the final name.
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

// Suffix is the end of a file's name while it is being written.
const Suffix = ".partial"

// File is a file that is being written. It belongs to one goroutine.
type File struct {
	*os.File
	path      string // final name
	overwrite bool
}

// Create creates path + ".partial", which Finish renames to path. It fails if a file with one of the two names exists.
// If overwrite is true, Create replaces path + ".partial" instead, and Finish replaces path.
func Create(path string, overwrite bool) (*File, error) {
	f := &File{path: path, overwrite: overwrite}
	if err := f.vacant(); err != nil {
		return nil, err
	}
	if overwrite { // another process that still writes this file notices that it is gone
		if err := os.Remove(f.Partial()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	var err error
	f.File, err = os.OpenFile(f.Partial(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: another process is writing it, or left it incomplete: remove or overwrite it, or "+
			"give another name", err)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Path returns the final name of the file, and Partial returns the temporary name.
func (f *File) Path() string    { return f.path }
func (f *File) Partial() string { return f.path + Suffix }

// vacant returns an error if a file with the final name exists and must not be replaced.
func (f *File) vacant() error {
	switch st, err := os.Lstat(f.path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.IsDir():
		return errors.New("is a folder: must be a file")
	case !f.overwrite:
		return errors.New("exists: must be a new name, or must be overwritten")
	}
	return nil
}

// ErrGone says that the file was deleted, renamed or replaced.
var ErrGone = errors.New("the file was deleted or replaced")

// There returns ErrGone if the file was deleted, renamed or replaced.
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

// Finish syncs the file and gives it its final name. It returns an error if another file has that name by now, or if
// the file was deleted, renamed or replaced.
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
	if err := f.Close(); err != nil { // Windows can rename only closed files
		return err
	}
	if err := os.Rename(f.Partial(), f.path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return nil // the folder cannot be opened
	}
	_ = dir.Sync() // some file systems cannot sync folders
	return dir.Close()
}

// Discard removes the file, unless another file has its name by now. After Finish, Discard does nothing.
func (f *File) Discard() {
	if f.There() == nil { // fails if the file is closed
		_ = os.Remove(f.Partial())
	}
	_ = f.Close()
}

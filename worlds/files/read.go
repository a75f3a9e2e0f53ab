package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing/fstest"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Read returns the bytes of a regular file. It fails for any other kind of file, and for a file of more than limit
// bytes. If the length is known before reading, Read does not begin to read a file that is too long.
func Read(path string, limit int) ([]byte, error) {
	f, info, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, notRegular(info.Mode())
	}
	if info.Size() > int64(limit) {
		return nil, tooLong(limit)
	}
	// the known length may be too small: files of the kernel, as in /proc, have the length 0, and a file may grow
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, int64(limit)+1)); err != nil {
		return nil, Cause(err)
	}
	if data.Len() > limit {
		return nil, tooLong(limit)
	}
	return data.Bytes(), nil
}

// open opens a regular file or a folder without blocking. It checks the kind of file before it opens the file, because
// opening a device may have effects. It checks the kind again afterwards, because the name may refer to another file by
// then.
func open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w%s", Cause(err), Beside(path))
	}
	if err != nil {
		return nil, nil, Cause(err)
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, nil, notRegular(info.Mode())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, Cause(err)
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = notRegular(info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, nil, Cause(err)
	}
	return f, info, nil
}

func notRegular(mode fs.FileMode) error {
	what := "no file"
	switch {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a FIFO"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("is %s: must be a regular file", what)
}

func tooLong(limit int) error {
	if limit%(1<<20) == 0 {
		return fmt.Errorf("is too long: must be at most %d MiB", limit>>20)
	}
	return fmt.Errorf("is too long: must be at most %d bytes", limit)
}

// Cause returns an error without its operation and its path, because the caller's message already contains both.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// maxBeside is the largest number of files of a folder among which a similar name is searched.
const maxBeside = 10_000

// Beside returns "; did you mean NAME?" for the path of a file that does not exist, if a file in the same folder has a
// similar name. Otherwise it returns "".
func Beside(path string) string {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return ""
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(maxBeside)
	slices.Sort(names)
	return rules.DidYouMean(filepath.Base(path), names)
}

// Folder returns a folder as a file system. Like [Read], it opens only regular files and folders, and it reads files of
// up to limit bytes.
func Folder(path string, limit int) fs.ReadFileFS { return folder{path, limit} }

type folder struct {
	path  string
	limit int
}

// Open opens a file or a folder. The name is a path with slashes that starts from the folder f.
func (f folder) Open(name string) (fs.File, error) {
	path, err := f.join(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file, _, err := open(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}

// ReadFile reads a file. The name is a path with slashes that starts from the folder f.
func (f folder) ReadFile(name string) ([]byte, error) {
	path, err := f.join(name)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	data, err := Read(path, f.limit)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return data, nil
}

func (f folder) join(name string) (string, error) {
	local, err := filepath.Localize(name)
	return filepath.Join(f.path, local), err
}

// FS is the file system from which a world's files are read. A nil FS is the machine's file system. An FS from [Memory]
// holds a fixed set of files, and no path leads out of it.
type FS struct{ memory fstest.MapFS }

// Read returns a file's bytes, like the function Read. The caller must not change the bytes.
func (f *FS) Read(path string, limit int) ([]byte, error) {
	if f == nil {
		return Read(path, limit)
	}
	return f.read(path, limit)
}

// Stat describes the file or folder at a path.
func (f *FS) Stat(path string) (fs.FileInfo, error) {
	if f == nil {
		return os.Stat(path)
	}
	return f.stat(path)
}

// Folder returns a folder as a file system, like the function Folder.
func (f *FS) Folder(path string, limit int) fs.ReadFileFS {
	if f == nil {
		return Folder(path, limit)
	}
	return memoryFolder{f, clean(path), limit}
}

// Package output writes the results of a run or a snapshot into a folder: images as PNG; objects, features and ground
// truth as JSON.
package output

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// filesList is the name of a file that lists all other files that omnipitch has written into the folder. --overwrite
// removes only the listed files.
const filesList = "omnipitch-files.txt"

// filesHead is the first line of filesList.
const filesHead = "Files that omnipitch has written here; --overwrite removes them."

// Folder is a folder for the results of one command. It holds no other files. Files are never overwritten. Symbolic
// links in the folder are not followed.
type Folder struct {
	flag, path string
	root       *os.Root

	mu   sync.Mutex
	list *os.File // has the name of each file before the file is created; locked while the folder is open
}

// Check returns an error if a command may not write into the folder at path. A command may write if the folder does not
// exist or is empty. With overwrite, it may also write if an earlier run of omnipitch has written all files in the
// folder. Check changes nothing on disk. Commands call it before they compute anything.
func Check(flag, path string, overwrite bool) error {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return OutError(flag, path, err)
	}
	defer root.Close()
	o := &Folder{flag: flag, path: path, root: root}
	if o.busy() {
		return o.errBusy()
	}
	_, err = o.removable(overwrite)
	return err
}

// Open creates a folder for results. With overwrite, Open removes the files that an earlier run has written into the
// folder. The caller must close the folder.
func Open(flag, path string, overwrite bool) (*Folder, error) {
	if err := Check(flag, path, overwrite); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, OutError(flag, path, err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, OutError(flag, path, err)
	}
	o := &Folder{flag: flag, path: path, root: root}
	if err := o.lock(overwrite); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// NoFolder returns the error for a flag that must name a folder but is empty.
func NoFolder(flag string) error {
	return console.BadInputf("%s = \"\": must name a folder", flag)
}

// OutError returns an error about the folder that the user has named with a flag.
func OutError(flag, path string, err error) error {
	if in, ok := errors.AsType[*fs.PathError](err); ok {
		err = in.Err
	}
	return console.BadInputf("%s %s: %w", flag, path, err)
}

// busy reports whether another process is writing into the folder.
func (o *Folder) busy() bool {
	// With O_NONBLOCK, opening a FIFO with this name does not block.
	list, err := o.root.OpenFile(filesList, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false // removable will return this error
	}
	defer list.Close()
	return errors.Is(syscall.Flock(int(list.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

func (o *Folder) errBusy() error {
	return console.BadInputf("%s %s: another omnipitch is writing into it", o.flag, o.path)
}

// lock locks the folder against other processes, removes old files if it may, and starts an empty list of files.
func (o *Folder) lock(overwrite bool) error {
	list, err := o.root.OpenFile(filesList, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return OutError(o.flag, o.path, err)
	}
	o.list = list
	if err := syscall.Flock(int(list.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return o.errBusy()
	}
	// check again, because other processes could change the folder until it was locked
	old, err := o.removable(overwrite)
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := o.root.Remove(name); err != nil {
			return OutError(o.flag, o.path, err)
		}
	}
	err = list.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(list, filesHead)
	}
	if err != nil {
		return OutError(o.flag, o.path, err)
	}
	return nil
}

// removable returns the files in the folder, except the list of files. It returns an error if the folder has a file
// that no earlier run of omnipitch has written. Without overwrite, it returns an error if the folder has any file.
func (o *Folder) removable(overwrite bool) ([]string, error) {
	entries, err := fs.ReadDir(o.root.FS(), ".")
	if err != nil {
		return nil, OutError(o.flag, o.path, err)
	}
	listed, err := o.listed()
	if err != nil {
		return nil, err
	}
	refuse := func(format string, args ...any) ([]string, error) {
		return nil, console.BadInputf("%s %s: "+format, append([]any{o.flag, o.path}, args...)...)
	}
	var names []string
	for _, e := range entries {
		switch {
		case e.Name() == filesList:
		case !listed[e.Name()]:
			return refuse("holds %s, which omnipitch did not write: must be a new or empty folder", e.Name())
		case !e.Type().IsRegular():
			return refuse("holds %s, which is no regular file: must be a new or empty folder", e.Name())
		default:
			names = append(names, e.Name())
		}
	}
	if len(names) > 0 && !overwrite {
		return refuse("holds %d files of an earlier run: must be a new or empty folder, or use --overwrite", len(names))
	}
	return names, nil
}

// maxFilesList is the maximum size of a list of files that is read, in bytes. 64 MiB hold a million names.
const maxFilesList = 64 << 20

// listed returns the names in the list of files. It returns an error if the file with this name is not a list that
// omnipitch has written.
func (o *Folder) listed() (map[string]bool, error) {
	info, err := o.root.Lstat(filesList)
	// The list does not exist, or lock has just created it.
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil, nil
	}
	var text []byte
	if err == nil && info.Mode().IsRegular() && info.Size() <= maxFilesList {
		text, err = o.root.ReadFile(filesList)
	}
	if err != nil {
		return nil, OutError(o.flag, o.path, err)
	}
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	if string(head) != filesHead {
		return nil, console.BadInputf("%s %s: holds %s, which omnipitch did not write: must be a new or empty folder",
			o.flag, o.path, filesList)
	}
	names := map[string]bool{}
	for s := bufio.NewScanner(bytes.NewReader(rest)); s.Scan(); {
		names[s.Text()] = true
	}
	return names, nil
}

// failed returns err together with the flag and the path of the folder. It returns nil for a nil error.
func (o *Folder) failed(err error) error {
	if err == nil {
		return nil
	}
	if in, ok := errors.AsType[*fs.PathError](err); ok { // the innermost path error; the folder is added below
		err = fmt.Errorf("%s %s: %w", in.Op, filepath.Base(in.Path), in.Err)
	}
	return fmt.Errorf("%s %s: %w", o.flag, o.path, err)
}

// List adds a name to the list of files and returns the path of this file in the folder. It must be called before the
// file is created.
func (o *Folder) List(name string) (path string, err error) {
	if strings.ContainsAny(name, "/\n") {
		return "", fmt.Errorf("%q is no file name", name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err = fmt.Fprintln(o.list, name)
	return o.Path(name), err
}

// create adds a name to the list of files and creates the file. It returns an error if the file exists.
func (o *Folder) create(name string) (*os.File, error) {
	if _, err := o.List(name); err != nil {
		return nil, err
	}
	return o.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// Create creates a file in the folder. The caller must close the file before it closes the folder.
func (o *Folder) Create(name string) (io.WriteCloser, error) {
	f, err := o.create(name)
	if err != nil {
		return nil, o.failed(err)
	}
	return f, nil
}

// Write creates a file whose content is written by the function f. If f fails, the file is removed.
func (o *Folder) Write(name string, f func(io.Writer) error) error { return o.failed(o.write(name, f)) }

// Path returns the path of a file in the folder.
func (o *Folder) Path(file string) string { return filepath.Join(o.path, file) }

// write creates a file whose content is written by the function f. If f fails, the file is removed.
func (o *Folder) write(name string, f func(io.Writer) error) error {
	file, err := o.create(name)
	if err != nil {
		return err
	}
	err = f(file)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = o.root.Remove(name)
		return err
	}
	return nil
}

func (o *Folder) writeJSON(name string, v any) error {
	return o.write(name, func(w io.Writer) error { return console.WriteJSON(w, v) })
}

// Close unlocks the folder. It may be called again.
func (o *Folder) Close() error {
	var err error
	if o.list != nil {
		err = o.list.Close() // closing the list also unlocks the folder
		o.list = nil
	}
	return errors.Join(err, o.root.Close())
}

// Package output writes what a run or a snapshot has computed into a folder: images as PNG, objects, features and
// ground truth as JSON.
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

// filesList is the file in a folder of results that names all others there. It alone says what --overwrite may remove.
const filesList = "omnipitch-files.txt"

// filesHead is the first line of the list.
const filesHead = "Files that omnipitch has written here; --overwrite removes them."

// Folder is a folder that one command writes its results into. No other file is in it, nothing in it is written over,
// and no link in it is followed.
type Folder struct {
	flag, path string
	root       *os.Root

	mu   sync.Mutex
	list *os.File // names each file before it is made, and is locked as long as the folder is written to
}

// Check makes sure, before anything is computed, that a command can write into a folder: it is not there yet, it is
// empty, or all that is in it may be removed. It changes nothing.
func Check(flag, path string, overwrite bool) error {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return outError(flag, path, err)
	}
	defer root.Close()
	o := &Folder{flag: flag, path: path, root: root}
	if o.busy() {
		return o.errBusy()
	}
	_, err = o.removable(overwrite)
	return err
}

// Open makes a folder for results, or empties it of an earlier run's with overwrite. The caller closes it.
func Open(flag, path string, overwrite bool) (*Folder, error) {
	if err := Check(flag, path, overwrite); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, outError(flag, path, err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, outError(flag, path, err)
	}
	o := &Folder{flag: flag, path: path, root: root}
	if err := o.take(overwrite); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// NoFolder says that a flag has no name in it.
func NoFolder(flag string) error {
	return console.BadInputf("%s = \"\": must name a folder", flag)
}

// outError tells what is wrong with a folder that the user has named.
func outError(flag, path string, err error) error {
	if in, ok := errors.AsType[*fs.PathError](err); ok {
		err = in.Err
	}
	return console.BadInputf("%s %s: %w", flag, path, err)
}

// busy tells whether another process writes into the folder.
func (o *Folder) busy() bool {
	// a FIFO of that name does not block either
	list, err := o.root.OpenFile(filesList, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false // what is wrong with it, removable tells
	}
	defer list.Close()
	return errors.Is(syscall.Flock(int(list.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

func (o *Folder) errBusy() error {
	return console.BadInputf("%s %s: another omnipitch writes into it", o.flag, o.path)
}

// take locks the folder for this process, and begins an empty list of files.
func (o *Folder) take(overwrite bool) error {
	list, err := o.root.OpenFile(filesList, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return outError(o.flag, o.path, err)
	}
	o.list = list
	if err := syscall.Flock(int(list.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return o.errBusy()
	}
	old, err := o.removable(overwrite) // anew: the folder is ours only now
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := o.root.Remove(name); err != nil {
			return outError(o.flag, o.path, err)
		}
	}
	err = list.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(list, filesHead)
	}
	if err != nil {
		return outError(o.flag, o.path, err)
	}
	return nil
}

// removable returns the files in the folder besides the list, all of which an earlier run has written. It fails when
// there is anything else, and without overwrite when there is anything at all.
func (o *Folder) removable(overwrite bool) ([]string, error) {
	entries, err := fs.ReadDir(o.root.FS(), ".")
	if err != nil {
		return nil, outError(o.flag, o.path, err)
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
			return refuse("holds %s, which no run has written: must be a new or an empty folder", e.Name())
		case !e.Type().IsRegular():
			return refuse("holds %s, which is no plain file: must be a new or an empty folder", e.Name())
		default:
			names = append(names, e.Name())
		}
	}
	if len(names) > 0 && !overwrite {
		return refuse("holds %d files of an earlier run: must be a new or an empty folder, or --overwrite", len(names))
	}
	return names, nil
}

// maxFilesList bounds what is read of a list: a million names of frames.
const maxFilesList = 64 << 20

// listed returns what the folder's list names. It fails on a file of that name that is not one of ours.
func (o *Folder) listed() (map[string]bool, error) {
	info, err := o.root.Lstat(filesList)
	// just made, by take
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil, nil
	}
	var text []byte
	if err == nil && info.Mode().IsRegular() && info.Size() <= maxFilesList {
		text, err = o.root.ReadFile(filesList)
	}
	if err != nil {
		return nil, outError(o.flag, o.path, err)
	}
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	if string(head) != filesHead {
		return nil, console.BadInputf("%s %s: holds %s, which no run has written: must be a new or an empty folder",
			o.flag, o.path, filesList)
	}
	names := map[string]bool{}
	for s := bufio.NewScanner(bytes.NewReader(rest)); s.Scan(); {
		names[s.Text()] = true
	}
	return names, nil
}

// failed adds to an error, if there is one, where it was met.
func (o *Folder) failed(err error) error {
	if err == nil {
		return nil
	}
	if in, ok := errors.AsType[*fs.PathError](err); ok { // the first; its path is o's
		err = fmt.Errorf("%s %s: %w", in.Op, filepath.Base(in.Path), in.Err)
	}
	return fmt.Errorf("%s %s: %w", o.flag, o.path, err)
}

// List lists a file that is to be made in the folder, and returns its path.
func (o *Folder) List(name string) (path string, err error) {
	if strings.ContainsAny(name, "/\n") {
		return "", fmt.Errorf("%q is no name of a file", name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err = fmt.Fprintln(o.list, name)
	return o.Path(name), err
}

// create makes a file that must not be there yet, and lists it.
func (o *Folder) create(name string) (*os.File, error) {
	if _, err := o.List(name); err != nil {
		return nil, err
	}
	return o.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// Create makes a file in the folder, for who closes it before the folder.
func (o *Folder) Create(name string) (io.WriteCloser, error) {
	f, err := o.create(name)
	if err != nil {
		return nil, o.failed(err)
	}
	return f, nil
}

// Write makes a file of what f writes; one that fails is removed.
func (o *Folder) Write(name string, f func(io.Writer) error) error { return o.failed(o.write(name, f)) }

// Path returns the path of a file in the folder, as the folder was named.
func (o *Folder) Path(file string) string { return filepath.Join(o.path, file) }

// write makes a file of what f writes; one that fails is removed.
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

// Close ends the writing. It may be called again.
func (o *Folder) Close() error {
	var err error
	if o.list != nil {
		err = o.list.Close() // and gives the lock up
		o.list = nil
	}
	return errors.Join(err, o.root.Close())
}

package dashboard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// Limits of folders. The values are guesses.
const (
	mostFiles  = 500             // number of recordings in the list, the newest ones
	listTime   = 2 * time.Second // wall time after which the list leaves out descriptions that are not ready
	readers    = 2               // goroutines that describe the files of a list, so that none waits for one slow file
	fileSuffix = ".mcap"
)

// folders are the folders named at the program's start. No other file is read, and clients identify files only by ids.
// A link that leads out of a folder is not followed.
type folders struct {
	all     []*folder
	closed  atomic.Bool
	reading sync.WaitGroup // goroutines that describe files

	mu    sync.Mutex
	known map[string]*description // by id
}

// folder is an opened folder of recordings and test results.
type folder struct {
	path string // absolute
	root *os.Root
}

// recordingFile is a file whose name is that of a recording.
type recordingFile struct {
	*folder
	id, name string
	size     int64
	modified time.Time
}

// description is the description of a file, valid until the file changes.
type description struct {
	file recordingFile
	done chan struct{}  // is closed when info is set
	info *recordingJSON // nil if the file is not a recording of a run
}

// recordingJSON describes a recording in the list.
type recordingJSON struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"` // of the file
	World   string  `json:"world,omitempty"`
	Seed    string  `json:"seed,omitempty"`
	Date    string  `json:"date"` // last modification, RFC 3339
	Size    int64   `json:"size_bytes"`
	From    float64 `json:"from_s"` // the range that it shows, since the start of the recorded run
	To      float64 `json:"to_s"`
	Damage  string  `json:"damage,omitempty"`
	Partial bool    `json:"partial,omitempty"` // the recording is still being written, or its run was cut off
	Unread  bool    `json:"unread,omitempty"`  // it takes long to read, so only name, date and size are known
}

// openFolders opens folders, each once.
func openFolders(paths []string) (*folders, error) {
	f := &folders{known: map[string]*description{}}
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err == nil && slices.ContainsFunc(f.all, func(have *folder) bool { return have.path == abs }) {
			continue
		}
		var root *os.Root
		if err == nil {
			root, err = os.OpenRoot(abs)
		}
		if err != nil {
			f.close()
			return nil, fmt.Errorf("folder %s: %w", path, err)
		}
		f.all = append(f.all, &folder{abs, root})
	}
	return f, nil
}

// close ends the goroutines that describe files. list must not be called any more.
func (f *folders) close() {
	f.closed.Store(true)
	f.reading.Wait()
	for _, one := range f.all {
		_ = one.root.Close()
	}
}

// idOf returns the id of a file. It is the same every time the program runs, and reveals no path.
func idOf(folder *folder, name string) string {
	sum := sha256.Sum256([]byte(folder.path + "\x00" + name))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:10]))
}

// files returns the files whose names are those of recordings, the newest first.
func (f *folders) files() (all []recordingFile) {
	for _, one := range f.all {
		entries, err := fs.ReadDir(one.root.FS(), ".")
		if err != nil {
			continue // it has been removed
		}
		for _, e := range entries {
			if !isRecording(e.Name()) {
				continue
			}
			// Stat fails for a link out of the folder.
			if info, err := one.root.Stat(e.Name()); err == nil && info.Mode().IsRegular() {
				all = append(all, recordingFile{one, idOf(one, e.Name()), e.Name(), info.Size(), info.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b recordingFile) int {
		return cmp.Or(b.modified.Compare(a.modified), cmp.Compare(a.name, b.name))
	})
	return all
}

// list returns the recordings of runs, the newest first. It considers only the mostFiles newest recordings; more is the
// number of older recordings, which it leaves out. It returns after listTime at the latest, if the file system answers.
// Then recordings whose descriptions are not ready are Unread, and a later call has the descriptions.
func (f *folders) list() (all []recordingJSON, more int) {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	files := f.files()
	more = max(len(files)-mostFiles, 0)
	for _, d := range f.describe(files[:len(files)-more]) {
		select {
		case <-d.done:
		case <-ctx.Done():
		}
		select {
		case <-d.done:
			if d.info != nil {
				all = append(all, *d.info)
			}
		default:
			all = append(all, d.file.unread())
		}
	}
	return all, more
}

// describe returns the descriptions of files, and starts goroutines that read those that are new or have changed.
func (f *folders) describe(files []recordingFile) (all []*description) {
	unread := make(chan *description, len(files))
	f.mu.Lock()
	defer f.mu.Unlock()
	now := map[string]*description{}
	for _, file := range files {
		d := f.known[file.id]
		if d == nil || d.file.size != file.size || !d.file.modified.Equal(file.modified) {
			d = &description{file: file, done: make(chan struct{})}
			unread <- d
		}
		now[file.id], all = d, append(all, d)
	}
	f.known = now
	close(unread)
	for range min(readers, len(unread)) {
		f.reading.Go(func() {
			for d := range unread {
				if !f.closed.Load() {
					d.info = d.file.describe()
				}
				close(d.done)
			}
		})
	}
	return all
}

func isRecording(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, aside.Suffix), fileSuffix)
}

// unread returns the entry of a file that has not been read: only the values that its name and the folder give.
func (f *recordingFile) unread() recordingJSON {
	return recordingJSON{ID: f.id, Name: f.name, Date: f.modified.UTC().Format(time.RFC3339), Size: f.size,
		Partial: strings.HasSuffix(f.name, aside.Suffix), Unread: true}
}

// describe reads the description of a file. It returns nil if the file is not a recording of a run.
func (f *recordingFile) describe() *recordingJSON {
	j := new(f.unread())
	file, err := f.root.Open(f.name)
	if err != nil {
		return nil
	}
	r, err := recording.Peek(file, f.name)
	if errors.Is(err, recording.ErrTooLong) {
		return j
	}
	if j.Unread = false; err != nil {
		j.Damage = err.Error()
		return j
	}
	defer r.Close()
	about := r.Metadata()
	if j.World = about[recorder.WorldName]; j.World == "" {
		return nil
	}
	j.Seed = about[recorder.Seed]
	_, last := r.Span()
	j.To = last.Seconds()
	if about[recorder.Begun] == recorder.BegunLate {
		if on, _ := recorder.On(r); len(on) > 0 {
			j.From = on[0][0].Seconds()
		}
	}
	if err := r.Damage(); err != nil {
		j.Damage = err.Error()
	}
	return j
}

// errNoRecording is returned for an unknown id.
var errNoRecording = statusError{errors.New("there is no such recording: it may have been removed"),
	http.StatusNotFound}

// find returns a recording by its id.
func (f *folders) find(id string) (*recordingFile, error) {
	for _, file := range f.files() {
		if file.id == id {
			return &file, nil
		}
	}
	return nil, errNoRecording
}

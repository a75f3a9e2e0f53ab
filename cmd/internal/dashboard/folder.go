package dashboard

import (
	"cmp"
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
	"time"

	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// Limits of folders. The values are guesses.
const (
	mostFiles  = 500       // number of recordings in the list, the newest ones
	mostScan   = 256 << 20 // largest damaged recording that is scanned for the list, bytes
	fileSuffix = ".mcap"
)

// folders are the folders named at the program's start. No other file is read, and clients identify files only by ids.
// A link that leads out of a folder is not followed.
type folders struct {
	mu    sync.Mutex // held while the folders are listed
	all   []*folder
	known map[string]known // by id
}

// folder is an opened folder of recordings and test results.
type folder struct {
	path string // absolute
	root *os.Root
}

// known is the description of a file, valid until the file changes.
type known struct {
	size int64
	time time.Time
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

	file   string
	folder *folder
}

// openFolders opens folders, each once.
func openFolders(paths []string) (*folders, error) {
	f := &folders{known: map[string]known{}}
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

func (f *folders) close() {
	for _, one := range f.all {
		_ = one.root.Close()
	}
}

// idOf returns the id of a file. It is the same every time the program runs, and reveals no path.
func idOf(folder *folder, name string) string {
	sum := sha256.Sum256([]byte(folder.path + "\x00" + name))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:10]))
}

// list returns the recordings of runs, the newest first. It considers only the mostFiles newest recordings; more is the
// number of older recordings, which it leaves out.
func (f *folders) list() (all []recordingJSON, more int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	type file struct {
		*folder
		name string
		info fs.FileInfo
	}
	var files []file
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
				files = append(files, file{one, e.Name(), info})
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), cmp.Compare(a.name, b.name))
	})
	more = max(len(files)-mostFiles, 0)
	now := map[string]known{}
	for _, one := range files[:len(files)-more] {
		id := idOf(one.folder, one.name)
		k, ok := f.known[id]
		if !ok || k.size != one.info.Size() || !k.time.Equal(one.info.ModTime()) {
			k = known{one.info.Size(), one.info.ModTime(), describe(one.folder, id, one.name, one.info)}
		}
		if now[id] = k; k.info != nil {
			all = append(all, *k.info)
		}
	}
	f.known = now
	return all, more
}

func isRecording(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, aside.Suffix), fileSuffix)
}

// describe reads the description of a file. It returns nil if the file is not a recording of a run.
func describe(of *folder, id, name string, info fs.FileInfo) *recordingJSON {
	j := &recordingJSON{ID: id, Name: name, Date: info.ModTime().UTC().Format(time.RFC3339), Size: info.Size(),
		file: name, folder: of, Partial: strings.HasSuffix(name, aside.Suffix)}
	if j.Partial && info.Size() > mostScan { // the file has no summary, and is too large to scan
		return j
	}
	file, err := of.root.Open(name)
	if err != nil {
		return nil
	}
	r, err := recording.OpenFile(file, name)
	if err != nil {
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
func (f *folders) find(id string) (*recordingJSON, error) {
	all, _ := f.list()
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, errNoRecording
}

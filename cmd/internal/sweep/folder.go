package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
)

// Folder is where a sweep keeps what it has, so that it goes on where it ended.
type Folder struct {
	path string
	lock *os.File
}

// mark says in a folder whose it is.
type mark struct {
	Sweep   string `json:"sweep"`
	ID      string `json:"id"`
	Version string `json:"version"`
}

// OpenFolder opens a sweep's folder, or makes it. It refuses one with anything else in it, or of another sweep, and one
// that another process has open.
func OpenFolder(path string, p *Plan, version string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	marked := f.Path("sweep.json")
	text, err := os.ReadFile(marked)
	switch {
	case errors.Is(err, os.ErrNotExist):
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		if len(entries) > 0 {
			return nil, fmt.Errorf("%s: is neither empty nor of a sweep: %s is in it", path, entries[0].Name())
		}
		text, err := json.MarshalIndent(mark{p.Name, p.ID, version}, "", "  ")
		if err == nil {
			err = os.WriteFile(marked, append(text, '\n'), 0o644)
		}
		if err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		var m mark
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", marked, err)
		}
		if m.Version != version {
			return nil, fmt.Errorf("%s: holds sweep %s of %q, and this program is %q: name another folder", path,
				m.Sweep, m.Version, version)
		}
		if m.ID != p.ID {
			return nil, fmt.Errorf("%s: holds sweep %s as it was with another file, or other worlds: name another "+
				"folder", path, m.Sweep)
		}
	}
	if f.lock, err = os.OpenFile(marked, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	if err := lock(f.lock); err != nil {
		f.lock.Close()
		return nil, fmt.Errorf("%s: another process goes on with this sweep", path)
	}
	return f, nil
}

// Path is that of something in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// Close lets other processes in.
func (f *Folder) Close() error { return f.lock.Close() }

// removed is the file that says that a sweep's server has nothing of it any more.
const removed = "removed"

// Removed tells whether the sweep has been removed from its server, so that it could not go on.
func (f *Folder) Removed() bool {
	_, err := os.Stat(f.Path(removed))
	return err == nil
}

// Remove removes from a server what it has of the folder's sweep, whose results the folder has, and nothing of others.
// It may be called again where it failed.
func (f *Folder) Remove(ctx context.Context, nc *nats.Conn, p *Plan) error {
	text := "The server has nothing of this sweep any more; its results are in this folder.\n"
	if err := f.write(removed, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	for _, name := range []string{streamName(p.ID), filesStream(filesName(p.ID)), keysStream(resultsName(p.ID))} {
		if err := js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("NATS: %s: %w", name, err)
		}
	}
	entries, err := js.Stream(ctx, keysStream(registry))
	if err == nil { // without the mark that the bucket would leave
		err = entries.Purge(ctx, jetstream.WithPurgeSubject("$KV."+registry+"."+p.ID))
	}
	if err != nil {
		return fmt.Errorf("NATS: %s: %w", registry, err)
	}
	return nil
}

// write writes a file as a whole.
func (f *Folder) write(name string, write func(io.Writer) error) error {
	return page.WriteFile(f.Path(name), write)
}

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

// Folder is the folder of a sweep on disk. It keeps what is needed to continue the sweep later.
type Folder struct {
	path string
	lock *os.File
}

// mark identifies the sweep of a folder.
type mark struct {
	Sweep   string `json:"sweep"`
	ID      string `json:"id"`
	Version string `json:"version"`
}

// OpenFolder opens the folder of a sweep, or creates it. It returns an error if the folder has other content, belongs
// to another sweep, or is open in another process.
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
			return nil, fmt.Errorf("%s: must be empty or the folder of this sweep, but holds %s", path,
				entries[0].Name())
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
			return nil, fmt.Errorf("%s: holds sweep %s of version %q, and this program is %q: name another folder",
				path,
				m.Sweep, m.Version, version)
		}
		if m.ID != p.ID {
			return nil, fmt.Errorf("%s: holds sweep %s with another sweep file or other worlds: name another folder",
				path, m.Sweep)
		}
	}
	if f.lock, err = os.OpenFile(marked, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	if err := lock(f.lock); err != nil {
		f.lock.Close()
		return nil, fmt.Errorf("%s: another process is running this sweep", path)
	}
	return f, nil
}

// Path returns the path of a file in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// Close unlocks the folder.
func (f *Folder) Close() error { return f.lock.Close() }

// removed is the name of a file in the folder. The file exists if the data of the sweep was deleted from the server.
const removed = "removed"

// Removed reports whether the data of the sweep was deleted from the server. The sweep can then not continue.
func (f *Folder) Removed() bool {
	_, err := os.Stat(f.Path(removed))
	return err == nil
}

// Remove deletes the data of this sweep from the server. It keeps the data of other sweeps. Before the call, all
// results must be in the folder. If Remove fails, it may be called again.
func (f *Folder) Remove(ctx context.Context, nc *nats.Conn, p *Plan) error {
	text := "The data of this sweep was deleted from the server. The results are in this folder.\n"
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
	if err == nil { // purged, because deleting would leave a marker
		err = entries.Purge(ctx, jetstream.WithPurgeSubject("$KV."+registry+"."+p.ID))
	}
	if err != nil {
		return fmt.Errorf("NATS: %s: %w", registry, err)
	}
	return nil
}

// write writes a file atomically.
func (f *Folder) write(name string, write func(io.Writer) error) error {
	return page.WriteFile(f.Path(name), write)
}

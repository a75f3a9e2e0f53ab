package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/plots"
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

// OpenFolder opens a sweep's folder, or makes it. It refuses one with anything else in it, or of another sweep, and one that another process has open.
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
			return nil, fmt.Errorf("%s: holds sweep %s of %q, and this program is %q: name another folder", path, m.Sweep, m.Version, version)
		}
		if m.ID != p.ID {
			return nil, fmt.Errorf("%s: holds sweep %s as it was with another file, or other worlds: name another folder", path, m.Sweep)
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

// write writes a file as a whole.
func (f *Folder) write(name string, write func(io.Writer) error) error {
	return plots.WriteFile(f.Path(name), write)
}

package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
)

// manifestFile describes the data set in a folder. A folder that contains it is a data set.
const manifestFile = "dataset.json"

// partly is the suffix of files that are being written.
const partly = ".part"

// manifest contains everything that determines the files of a data set, except for the number of files.
type manifest struct {
	Version  string     `json:"omnipitch"`
	World    string     `json:"world"`
	Digest   string     `json:"world_sha256"` // checksum of the complete world with the first seed
	Seed     uint64     `json:"seed"`
	PerScene int        `json:"per_scene"`
	Split    [3]float64 `json:"split"`
	Formats  []Format   `json:"formats"`
	Cameras  []string   `json:"sensors"`
	Level    string     `json:"level"`
	JPEG     int        `json:"jpeg"`
	Renderer string     `json:"renderer"`

	Categories []Category     `json:"categories"`
	Classes    map[int]string `json:"pixel_classes"`
}

// differs describes the first argument of the data set that differs between two manifests. It returns "" if no argument
// differs.
func (m *manifest) differs(other *manifest) string {
	for _, x := range []struct {
		what      string
		have, got any
	}{
		{"omnipitch", m.Version, other.Version}, {"the world", m.World, other.World}, {"--seed", m.Seed, other.Seed},
		{"--per-scene", m.PerScene, other.PerScene},
		{"--split", splitText(m.Split), splitText(other.Split)}, {"--format", joined(m.Formats), joined(other.Formats)},
		{"--sensor", joined(m.Cameras), joined(other.Cameras)},
		{"--level", m.Level, other.Level}, {"--jpeg", m.JPEG, other.JPEG}, {"the renderer", m.Renderer, other.Renderer},
	} {
		if x.have != x.got {
			return fmt.Sprintf("%s %v, and not %v", x.what, x.have, x.got)
		}
	}
	if m.Digest != other.Digest {
		return fmt.Sprintf("another state of the world %s", m.World)
	}
	return ""
}

// folder is an open data set folder.
type folder struct {
	path string
	root *os.Root
	lock *os.File // the folder itself

	categories []Category
}

// check verifies, without changes, that a data set can be written into a folder: it does not exist, is empty, or
// contains the same data set.
func check(path string, want *manifest) error {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return output.OutError("--out", path, err)
	}
	defer root.Close()
	return compatible(path, root, want)
}

func compatible(path string, root *os.Root, want *manifest) error {
	const most = 1 << 20
	info, err := root.Lstat(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			return output.OutError("--out", path, err)
		}
		for _, e := range entries {
			if e.Name() == manifestFile+partly { // left by a process that was killed while it created the folder
				continue
			}
			return console.BadInputf("--out %s: contains %s, which is not part of a data set: must be a new or an "+
				"empty folder, or a data set with the same arguments", path, e.Name())
		}
		return nil
	}
	var text []byte
	if err == nil && info.Mode().IsRegular() && info.Size() <= most {
		text, err = root.ReadFile(manifestFile)
	}
	var have manifest
	if err != nil {
		return output.OutError("--out", path, err)
	}
	if err := json.Unmarshal(text, &have); err != nil {
		return console.BadInputf(
			"--out %s: %s is not a data set's: must be a new or an empty folder, or a data set with the same "+
				"arguments", path, manifestFile)
	}
	if how := have.differs(want); how != "" {
		return console.BadInputf("--out %s: is a data set made with %s: must be of the same arguments, or another "+
			"folder",
			path, how)
	}
	return nil
}

// open creates a folder, or opens it to continue its data set. The caller closes it.
func open(path string, want *manifest) (*folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, output.OutError("--out", path, err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, output.OutError("--out", path, err)
	}
	o := &folder{path: path, root: root, categories: want.Categories}
	if err := o.take(want); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// take locks the folder for this process, and writes or checks its manifest.
func (o *folder) take(want *manifest) error {
	lock, err := o.root.Open(".")
	if err != nil {
		return output.OutError("--out", o.path, err)
	}
	o.lock = lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return console.BadInputf("--out %s: another omnipitch writes into it", o.path)
	}
	if err := compatible(o.path, o.root, want); err != nil { // check again, because only now the folder is locked
		return err
	}
	if _, err := o.root.Lstat(manifestFile); err != nil {
		if err := o.writeJSON(manifestFile, want); err != nil {
			return output.OutError("--out", o.path, err)
		}
	}
	return nil
}

// write writes a file atomically, replacing an existing one. It creates missing folders.
func (o *folder) write(name string, data []byte) error {
	return o.stream(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// stream writes a file in the same way as write. The function f writes the data, which need not fit into memory.
func (o *folder) stream(name string, f func(io.Writer) error) error {
	part := name + partly
	file, err := o.root.Create(part)
	if errors.Is(err, fs.ErrNotExist) {
		if err = o.root.MkdirAll(path.Dir(name), 0o755); err == nil {
			file, err = o.root.Create(part)
		}
	}
	if err != nil {
		return err
	}
	err = f(file)
	if err = errors.Join(err, file.Close()); err == nil {
		err = o.root.Rename(part, name)
	}
	return err
}

func (o *folder) writeJSON(name string, v any) error {
	return o.stream(name, func(w io.Writer) error { return console.WriteJSON(w, v) })
}

// failed adds the folder's path to an error.
func (o *folder) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--out %s: %w", o.path, err)
}

// close closes the folder.
func (o *folder) close() error {
	var err error
	if o.lock != nil {
		err = o.lock.Close() // also releases the lock
	}
	return errors.Join(err, o.root.Close())
}

package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// manifestFile says what a folder is made of. It makes the folder one of ours.
const manifestFile = "dataset.json"

// partly ends the name of a file that is being written.
const partly = ".part"

// manifest is all that files of a data set depend on but for how many there are.
type manifest struct {
	Version  string     `json:"omnipitch"`
	World    string     `json:"world"`
	Digest   string     `json:"world_sha256"` // of the world as it results with the first seed
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

// differs returns, in words, the first argument by which another data set is another; empty if none is.
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

// folder is where a data set is written.
type folder struct {
	path string
	root *os.Root
	lock *os.File // the folder itself
}

// check makes sure, and changes nothing, that a data set can be written into a folder: it is not there, it is empty, or
// it has the same one.
func check(path string, want *manifest) error {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return outError(path, err)
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
			return outError(path, err)
		}
		for _, e := range entries {
			if e.Name() == manifestFile+partly { // of a process that was killed as it began
				continue
			}
			return console.BadInputf("--out %s: holds %s, which is of no data set: must be a new or an empty folder, "+
				"or "+
				"one of the same arguments", path, e.Name())
		}
		return nil
	}
	var text []byte
	if err == nil && info.Mode().IsRegular() && info.Size() <= most {
		text, err = root.ReadFile(manifestFile)
	}
	var have manifest
	if err != nil {
		return outError(path, err)
	}
	if err := json.Unmarshal(text, &have); err != nil {
		return console.BadInputf(
			"--out %s: %s is of no data set: must be a new or an empty folder, or one of the same "+
				"arguments", path, manifestFile)
	}
	if how := have.differs(want); how != "" {
		return console.BadInputf("--out %s: is a data set made with %s: must be of the same arguments, or another "+
			"folder",
			path, how)
	}
	return nil
}

// outError tells what is wrong with a folder that the user has named.
func outError(path string, err error) error {
	if in, ok := errors.AsType[*fs.PathError](err); ok {
		err = in.Err
	}
	return console.BadInputf("--out %s: %w", path, err)
}

// open makes the folder, or takes the one that is there to go on in it. The caller closes it.
func open(path string, want *manifest) (*folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, outError(path, err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, outError(path, err)
	}
	o := &folder{path: path, root: root}
	if err := o.take(want); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// take locks the folder for this process, and says what it is.
func (o *folder) take(want *manifest) error {
	lock, err := o.root.Open(".")
	if err != nil {
		return outError(o.path, err)
	}
	o.lock = lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return console.BadInputf("--out %s: another omnipitch writes into it", o.path)
	}
	if err := compatible(o.path, o.root, want); err != nil { // anew: the folder is ours only now
		return err
	}
	if _, err := o.root.Lstat(manifestFile); err != nil {
		if err := o.writeJSON(manifestFile, want); err != nil {
			return outError(o.path, err)
		}
	}
	return nil
}

// write makes a file as a whole, in place of one that is there, and the folders that it is in.
func (o *folder) write(name string, data []byte) error {
	part := name + partly
	err := o.root.WriteFile(part, data, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		if err = o.root.MkdirAll(path.Dir(name), 0o755); err == nil {
			err = o.root.WriteFile(part, data, 0o644)
		}
	}
	if err == nil {
		err = o.root.Rename(part, name)
	}
	return err
}

// stream does the same of what f writes, which need not fit into memory.
func (o *folder) stream(name string, f func(io.Writer) error) error {
	part := name + partly
	if err := o.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := o.root.Create(part)
	if err != nil {
		return err
	}
	err = f(file)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = o.root.Rename(part, name)
	}
	return err
}

func (o *folder) writeJSON(name string, v any) error {
	var text bytes.Buffer
	if err := console.WriteJSON(&text, v); err != nil {
		return err
	}
	return o.write(name, text.Bytes())
}

// failed adds to an error, if there is one, where it was met.
func (o *folder) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--out %s: %w", o.path, err)
}

// close ends the writing.
func (o *folder) close() error {
	var err error
	if o.lock != nil {
		err = o.lock.Close() // and gives the lock up
	}
	return errors.Join(err, o.root.Close())
}

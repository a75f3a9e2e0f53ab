package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/worlds"
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
	if err == nil { // purge the entry, because deleting it would leave a marker
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

// Keep writes the outcome into the folder: results.csv, results.json and report.html, and for failed runs the
// recordings and world files that the folder does not have yet. If a recording cannot be fetched, Keep still writes
// everything else. It then returns an error that names the recording.
func (f *Folder) Keep(ctx context.Context, o *Outcome) error {
	var lacking error
	for _, r := range o.Results {
		if r == nil || r.Stored == "" {
			continue
		}
		r.Recording = "recordings/" + r.Job + ".mcap"
		path := f.Path(filepath.FromSlash(r.Recording))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		data, err := o.Fetch(ctx, r)
		if err != nil {
			r.Recording = ""
			if lacking == nil {
				lacking = fmt.Errorf("recording of %s: %w", r.Job, err)
			}
			continue
		}
		if err := f.write(r.Recording, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			return err
		}
	}
	if err := f.writeReruns(o); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{"results.csv", o.WriteCSV}, {"results.json", o.WriteJSON}, {"report.html", o.WriteHTML}} {
		if err := f.write(file.name, file.write); err != nil {
			return err
		}
	}
	return lacking
}

// maxRerunWorlds is the maximum number of world files that are written for repeating failed runs. Writing one file
// takes some milliseconds.
const maxRerunWorlds = 1000

// writeReruns writes a world file again/wWORLD.pPOINT.toml for each pair of world and point with a failed run. In each
// failed result it stores the commands that repeat the run.
func (f *Folder) writeReruns(o *Outcome) error {
	files := map[[2]int]string{}
	for _, r := range o.Results {
		if r == nil || r.Passed {
			continue
		}
		at := [2]int{r.World, r.Point}
		path, known := files[at]
		if !known && len(files) < maxRerunWorlds {
			var err error
			if path, err = f.writePoint(o.Plan, r.World, r.Point); err != nil {
				return err
			}
			files[at] = path
		}
		if path != "" {
			r.Again = strings.Join(append([]string{"omnipitch test", console.Quote(path), "--seeds",
				strconv.FormatUint(r.Seed, 10)}, o.testFlags()...), " ")
			r.watch = strings.Join(append([]string{"omnipitch run", console.Quote(path), "--seed",
				strconv.FormatUint(r.Seed, 10)}, o.runFlags()...), " ")
		}
	}
	return nil
}

// runFlags returns the flags with which omnipitch run repeats a run of the sweep.
func (p *Plan) runFlags() []string {
	if p.Programs {
		return []string{"--programs"}
	}
	return nil
}

// testFlags returns the flags with which omnipitch test repeats a run of the sweep.
func (p *Plan) testFlags() []string {
	all := p.runFlags()
	if p.For > 0 {
		all = append(all, "--for", seconds(p.For).String())
	}
	if p.Unjudged {
		all = append(all, "--without-expect")
	}
	return all
}

// writePoint writes a world at a point to a file and returns the path of the file. A value of the point may be a path
// relative to the folder of the sweep, so the file would describe a different world. writePoint then returns an empty
// path.
func (f *Folder) writePoint(p *Plan, world, point int) (string, error) {
	path := f.Path(fmt.Sprintf("again/w%d.p%d.toml", world, point))
	include, err := p.include(world)
	if err != nil {
		return "", err
	}
	o, err := p.overlayOf(include, p.Points[point])
	if err != nil {
		return "", err
	}
	text := []byte(fmt.Sprintf("# %s at point %d of sweep %s\n%s", p.Worlds[world], point, p.Name, o.text.String()))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if slices.ContainsFunc(p.Points[point], func(s Setting) bool {
		_, number := p.Points[point].Number(s.Key)
		return !number
	}) {
		w, err := p.world(world, point)
		if err != nil {
			return "", nil // the world file has changed since
		}
		if again, err := worlds.Parse(path, text, p.checks...); err != nil || !same(w, again) {
			return "", nil
		}
	}
	return path, os.WriteFile(path, text, 0o644)
}

// include returns the name with which a file in any folder can include the world with this index.
func (f *File) include(world int) (string, error) {
	path := f.Worlds[world]
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.folder(), path)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return f.Worlds[world], nil // a built-in world
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

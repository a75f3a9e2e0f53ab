package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds"
)

// maxRerunWorlds bounds the world files that are written for failed runs. Writing one takes some milliseconds.
const maxRerunWorlds = 1000

// writeReruns writes a world file again/wWORLD.pPOINT.toml for each world and point with a failed run, and stores in
// each failed result the commands that repeat it.
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

// runFlags returns the flags that repeat a run of the sweep with omnipitch run.
func (p *Plan) runFlags() []string {
	if p.Programs {
		return []string{"--programs"}
	}
	return nil
}

// testFlags returns the flags that repeat a run of the sweep with omnipitch test.
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

// writePoint writes a world at a point to a file and returns its path. The path is empty if the file would give another
// world, because a value of the point is a path relative to the folder of the sweep.
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

// include returns the name by which a file in any folder can include a world of the sweep.
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

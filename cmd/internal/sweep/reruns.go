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

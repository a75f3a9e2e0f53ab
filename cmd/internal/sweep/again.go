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

// mostAgain bounds the worlds that are written for runs that failed: each takes some milliseconds.
const mostAgain = 1000

// again writes each world at each point at which a run has failed as a file, again/wWORLD.pPOINT.toml, and tells the
// runs by which command they are done again.
func (f *Folder) again(o *Outcome) error {
	files := map[[2]int]string{}
	for _, r := range o.Results {
		if r == nil || r.Passed {
			continue
		}
		at := [2]int{r.World, r.Point}
		path, known := files[at]
		if !known && len(files) < mostAgain {
			var err error
			if path, err = f.point(o.Plan, r.World, r.Point); err != nil {
				return err
			}
			files[at] = path
		}
		if path != "" {
			r.Again = strings.Join(append([]string{"omnipitch test", console.Quote(path), "--seeds",
				strconv.FormatUint(r.Seed, 10)}, o.flags()...), " ")
			r.watch = strings.Join(append([]string{"omnipitch run", console.Quote(path), "--seed",
				strconv.FormatUint(r.Seed, 10)}, o.watched()...), " ")
		}
	}
	return nil
}

// watched lists the flags with which the sweep's runs are done again by omnipitch run, and flags those by omnipitch
// test.
func (p *Plan) watched() []string {
	if p.Programs {
		return []string{"--programs"}
	}
	return nil
}

func (p *Plan) flags() []string {
	all := p.watched()
	if p.For > 0 {
		all = append(all, "--for", seconds(p.For).String())
	}
	if p.Unjudged {
		all = append(all, "--without-expect")
	}
	return all
}

// point writes a world at a point as a file, and returns its path, "" if it would be another world there: a point's
// value may be a path from the sweep's folder.
func (f *Folder) point(p *Plan, world, point int) (string, error) {
	path := f.Path(fmt.Sprintf("again/w%d.p%d.toml", world, point))
	include, err := p.include(world)
	if err != nil {
		return "", err
	}
	o, err := p.over(include, p.Points[point])
	if err != nil {
		return "", err
	}
	text := []byte(fmt.Sprintf("# %s at point %d of sweep %s\n%s", p.Worlds[world], point, p.Name, o.text.String()))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if slices.ContainsFunc(p.Points[point], func(s Setting) bool {
		_,
			number := p.Points[point].Number(s.Key)
		return !number
	}) {
		w, err := p.world(world, point)
		if err != nil {
			return "", nil // it has been changed meanwhile
		}
		if again, err := worlds.Parse(path, text, p.checks...); err != nil || !same(w, again) {
			return "", nil
		}
	}
	return path, os.WriteFile(path, text, 0o644)
}

// include names a world of the sweep from any folder.
func (f *File) include(world int) (string, error) {
	path := f.Worlds[world]
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.folder(), path)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return f.Worlds[world], nil // one that ships
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

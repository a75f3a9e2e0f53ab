package sweep

import (
	"embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// File is the content of a sweep file, which says what the sweep varies.
type File struct {
	Name   string           `toml:"name" required:"true" match:"name" doc:"name of the sweep"`
	About  string           `toml:"about" doc:"one sentence for the report"`
	Worlds []string         `toml:"worlds" required:"true" minlen:"1" maxlen:"100" doc:"names of built-in worlds, or paths relative to the folder of this file"`
	Seeds  suite.Seeds      `toml:"seeds" doc:"seeds to run each world with at each point, such as \"1..20\", \"1,5,9\" or 7; default: the world's seed"`
	For    float64          `toml:"for_s" range:"(0, 1000000]" doc:"sim time of each run; default: test.for_s of the world"`
	Draws  int              `toml:"draws" range:"[0, 100000]" doc:"number of random points; 0: a grid of all combinations of the axes' values"`
	Seed   uint64           `toml:"seed" doc:"seed of the random points"`
	Axes   []Axis           `toml:"axis" maxlen:"20" doc:"keys to vary"`
	Points []map[string]any `toml:"point" maxlen:"100000" doc:"list of points, each a table of quoted keys and their values; not with axis"`

	path string
	text []byte
	file *schema.File
}

// Axis is a key that the sweep varies, with the values of the key.
type Axis struct {
	Key    string      `toml:"key" required:"true" doc:"path of a key in the world: physics.engine, vars.gap, robot[cyan1].pose.x_m; elements of lists are selected by their names"`
	Values []any       `toml:"values" doc:"values, written as in a world file"`
	Range  *[2]float64 `toml:"range" doc:"smallest and largest number; a grid takes steps evenly spaced numbers, draws are uniform between them"`
	Steps  int         `toml:"steps" range:"[2, 100000]" doc:"how many numbers a grid takes from range"`
	Normal *[2]float64 `toml:"normal" doc:"with draws: mean and standard deviation"`
}

//go:embed shipped/*.toml
var shipped embed.FS

// ReadFile reads a sweep file. The argument path is a path or the name of a built-in sweep. The error joins all
// violations, each with its line and column.
func ReadFile(path string) (*File, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.IsDir() {
		if text, err := shipped.ReadFile("shipped/" + path + ".toml"); err == nil {
			return parseFile("omnipitch:"+path+".toml", text)
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is no regular file")
	}
	if err == nil && info.Size() > schema.MaxBytes {
		err = errors.New("is too long: must be at most 1 MiB")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("sweep %q: cannot be read: %w", path, err)
	}
	return parseFile(path, text)
}

func parseFile(path string, text []byte) (*File, error) {
	parsed, err := schema.Parse(path, text)
	if err != nil {
		return nil, err
	}
	f := &File{Seed: 1, path: path, text: text, file: parsed}
	if err := parsed.Bind(f); err != nil {
		return nil, err
	}
	return f, parsed.Locate(f.validate())
}

// validate checks what the struct tags cannot express.
func (f *File) validate() error {
	var errs []error
	fail := func(path, key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Path: path, Key: key, Value: value, Rule: rule})
	}
	if f.Points != nil && (f.Axes != nil || f.Draws > 0) {
		fail("", "point", nil, "must not be combined with axis or draws")
	}
	if f.Draws > 0 && f.Axes == nil {
		fail("", "draws", f.Draws, "needs [[axis]]")
	}
	seen := map[string]int{}
	for i := range f.Axes {
		a, path := &f.Axes[i], fmt.Sprintf("axis[%d]", i)
		if _, err := parseKey(a.Key); err != nil {
			fail(path, "key", a.Key, err.Error())
		} else if first, twice := seen[a.Key]; twice {
			fail(path, "key", a.Key, fmt.Sprintf("is also the key of axis[%d]", first))
		}
		seen[a.Key] = i
		forms := 0
		for _, given := range []bool{len(a.Values) > 0, a.Range != nil, a.Normal != nil} {
			if given {
				forms++
			}
		}
		switch {
		case forms != 1:
			fail(path, "", nil, "needs one of values, range and normal")
		case a.Normal != nil && f.Draws == 0:
			fail(path, "normal", nil, "needs draws; a grid needs values, or range with steps")
		case a.Normal != nil && !(a.Normal[1] >= 0 && !math.IsInf(a.Normal[0], 0) && !math.IsInf(a.Normal[1], 0)):
			fail(path, "normal", nil, "must be [mean, deviation]: finite, and the deviation not negative")
		case a.Range != nil && !(a.Range[0] < a.Range[1] && !math.IsInf(a.Range[1]-a.Range[0], 0)):
			fail(path, "range", nil, "must be [least, most]: finite, and the first smaller than the second")
		case a.Range != nil && f.Draws == 0 && a.Steps == 0:
			fail(path, "range", nil, "needs steps in a grid")
		case a.Steps != 0 && (a.Range == nil || f.Draws > 0):
			fail(path, "steps", a.Steps, "needs range, and no draws")
		}
	}
	for i, point := range f.Points {
		for key := range point {
			if _, err := parseKey(key); err != nil {
				fail(fmt.Sprintf("point[%d]", i), schema.KeyText(key), nil, err.Error())
			}
		}
	}
	points := 1
	switch {
	case f.Points != nil:
		points = len(f.Points)
	case f.Draws > 0:
		points = f.Draws
	default:
		for i := range f.Axes {
			points = min(points*max(len(f.Axes[i].Values), f.Axes[i].Steps, 1), maxPoints+1)
		}
	}
	if points > maxPoints {
		fail("", "axis", nil, fmt.Sprintf("the grid has more than %d points", maxPoints))
	} else if jobs := points * len(f.Worlds) * max(len(f.Seeds), 1); jobs > suite.MostRuns {
		fail("", "", nil, fmt.Sprintf("%d worlds at %d points with %d seeds: must be at most %d runs", len(f.Worlds),
			points, max(len(f.Seeds), 1), suite.MostRuns))
	}
	return errors.Join(errs...)
}

// folder returns the folder of the sweep file. Relative paths in the file are relative to this folder.
func (f *File) folder() string { return filepath.Dir(f.path) }

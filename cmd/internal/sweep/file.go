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

// File says what a sweep varies.
type File struct {
	Name   string           `toml:"name" required:"true" match:"name" doc:"how the sweep is called"`
	About  string           `toml:"about" doc:"one sentence for its report"`
	Worlds []string         `toml:"worlds" required:"true" minlen:"1" maxlen:"100" doc:"names of shipped worlds, or paths from the folder of this file"`
	Seeds  suite.Seeds      `toml:"seeds" doc:"seeds that each world runs with at each point, as \"1..20\", \"1,5,9\" or 7; the world's own if left out"`
	For    float64          `toml:"for_s" range:"(0, 1000000]" doc:"sim time of a run; the world's test.for_s if left out"`
	Draws  int              `toml:"draws" range:"[0, 100000]" doc:"points at random, with a value of each axis; 0: a grid, each value of an axis with each of all others"`
	Seed   uint64           `toml:"seed" doc:"of the draws: the same seed gives the same points"`
	Axes   []Axis           `toml:"axis" maxlen:"20" doc:"keys that are varied"`
	Points []map[string]any `toml:"point" maxlen:"100000" doc:"points one by one, each a table of keys, in quotes, with their values; not with axes"`

	path string
	text []byte
	file *schema.File
}

// Axis is a key that is varied, and what values it gets.
type Axis struct {
	Key    string      `toml:"key" required:"true" doc:"the place of a key in a world: physics.engine, vars.gap, robot[cyan1].pose.x_m; elements of lists go by their names"`
	Values []any       `toml:"values" doc:"as a world would have them"`
	Range  *[2]float64 `toml:"range" doc:"least and largest number: in a grid steps of them, evenly spaced; with draws any between them"`
	Steps  int         `toml:"steps" range:"[2, 100000]" doc:"how many numbers of range a grid has"`
	Normal *[2]float64 `toml:"normal" doc:"with draws: mean and standard deviation"`
}

//go:embed shipped/*.toml
var shipped embed.FS

// ReadFile reads a sweep's file, or one that ships by its name. The error joins all that is wrong with it by itself,
// with places.
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

// validate reports what tags cannot say.
func (f *File) validate() error {
	var errs []error
	fail := func(path, key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Path: path, Key: key, Value: value, Rule: rule})
	}
	if f.Points != nil && (f.Axes != nil || f.Draws > 0) {
		fail("", "point", nil, "does not go with axis or draws: points are given one by one, or made")
	}
	if f.Draws > 0 && f.Axes == nil {
		fail("", "draws", f.Draws, "needs [[axis]]: there is nothing to draw")
	}
	seen := map[string]int{}
	for i := range f.Axes {
		a, path := &f.Axes[i], fmt.Sprintf("axis[%d]", i)
		if _, err := parseKey(a.Key); err != nil {
			fail(path, "key", a.Key, err.Error())
		} else if first, twice := seen[a.Key]; twice {
			fail(path, "key", a.Key, fmt.Sprintf("is that of axis[%d] too", first))
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
			fail(path, "normal", nil, "goes with draws alone: a grid needs values, or range with steps")
		case a.Normal != nil && !(a.Normal[1] >= 0 && !math.IsInf(a.Normal[0], 0) && !math.IsInf(a.Normal[1], 0)):
			fail(path, "normal", nil, "must be [mean, deviation]: finite, and the deviation not negative")
		case a.Range != nil && !(a.Range[0] < a.Range[1] && !math.IsInf(a.Range[1]-a.Range[0], 0)):
			fail(path, "range", nil, "must be [least, most]: finite, and the first smaller than the second")
		case a.Range != nil && f.Draws == 0 && a.Steps == 0:
			fail(path, "range", nil, "needs steps in a grid")
		case a.Steps != 0 && (a.Range == nil || f.Draws > 0):
			fail(path, "steps", a.Steps, "goes with range in a grid alone")
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
			points = min(points*max(len(f.Axes[i].Values), f.Axes[i].Steps, 1), mostPoints+1)
		}
	}
	if points > mostPoints {
		fail("", "axis", nil, fmt.Sprintf("the grid has more than %d points", mostPoints))
	} else if jobs := points * len(f.Worlds) * max(len(f.Seeds), 1); jobs > suite.MostRuns {
		fail("", "", nil, fmt.Sprintf("%d worlds at %d points with %d seeds: must be at most %d runs", len(f.Worlds), points, max(len(f.Seeds), 1), suite.MostRuns))
	}
	return errors.Join(errs...)
}

// folder is where relative paths start from.
func (f *File) folder() string { return filepath.Dir(f.path) }

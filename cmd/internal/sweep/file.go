// Package sweep runs worlds at points with seeds, in all combinations. A point is a set of keys of the worlds and their
// new values. A job is one such run. It runs as in omnipitch test. The jobs wait in a work queue of NATS JetStream. Any
// number of processes can do jobs, and results survive the end of any process:
//
//	plan, err := sweep.Load(ctx, "friction.toml", checks...)   // reads the file, and each world at each point
//	server, err := cluster.Serve(cluster.ServerConfig{Folder: dir}) // in this process, without a port
//	err := (&sweep.Coordinator{...}).Run(ctx, use)                  // calls use with the outcome
//
// A job names its world by the checksum of a bundle of files, and contains no path. The first result of a job is stored
// under the key of the job. A later result of the same job is compared with the first result. The package prints only
// tables and has no flags.
package sweep

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction/random"
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

// maxPoints is the maximum number of points of a sweep. Before the first run, each world is read once per point.
const maxPoints = 100_000

// Setting is a key of a world, and the value of the key at a point. The value has type bool, int64, float64, string,
// []any or map[string]any.
type Setting struct {
	Key   string
	Value any

	path, key string // position in the sweep file
}

// Point is a set of keys with their values. The keys are in the order of the axes in the sweep file.
type Point []Setting

// points returns all points of the sweep. In a grid, the last axis varies fastest. Random points come in the order in
// which they are drawn.
func (f *File) points() (all []Point) {
	switch {
	case f.Points != nil:
		for i, table := range f.Points {
			var p Point
			for _, key := range slices.Sorted(maps.Keys(table)) {
				p = append(p, Setting{key, table[key], fmt.Sprintf("point[%d]", i), schema.KeyText(key)})
			}
			all = append(all, p)
		}
	case f.Draws > 0:
		for n := range f.Draws {
			p := make(Point, len(f.Axes))
			for i := range f.Axes {
				p[i] = f.drawn(i, uint64(n))
			}
			all = append(all, p)
		}
	default:
		all = []Point{nil}
		for i := range f.Axes {
			var next []Point
			for _, p := range all {
				for _, s := range f.grid(i) {
					next = append(next, append(slices.Clone(p), s))
				}
			}
			all = next
		}
	}
	return all
}

// grid returns the values of an axis in a grid.
func (f *File) grid(axis int) (all []Setting) {
	a, path := &f.Axes[axis], fmt.Sprintf("axis[%d]", axis)
	for i, v := range a.Values {
		all = append(all, Setting{a.Key, v, path, fmt.Sprintf("values[%d]", i)})
	}
	for i := range a.Steps {
		share := float64(i) / float64(a.Steps-1)
		all = append(all, Setting{a.Key, a.Range[0]*(1-share) + a.Range[1]*share, path, "range"})
	}
	return all
}

// drawn returns a random value of an axis. draw is the index of the random draw. The value depends only on the seed of
// the sweep, the key of the axis and draw, so adding an axis does not change the values of the other axes.
func (f *File) drawn(axis int, draw uint64) Setting {
	a, path := &f.Axes[axis], fmt.Sprintf("axis[%d]", axis)
	source := random.New(f.Seed, "sweep", a.Key, draw)
	switch {
	case a.Range != nil:
		u := source.Uniform(0)
		return Setting{a.Key, a.Range[0]*(1-u) + a.Range[1]*u, path, "range"}
	case a.Normal != nil:
		x, _ := source.Normal(0)
		return Setting{a.Key, a.Normal[0] + a.Normal[1]*x, path, "normal"}
	}
	i := min(int(source.Uniform(0)*float64(len(a.Values))), len(a.Values)-1)
	return Setting{a.Key, a.Values[i], path, fmt.Sprintf("values[%d]", i)}
}

// keys returns each key that a point sets, once, in the order of first appearance.
func keys(points []Point) (all []string) {
	seen := map[string]bool{}
	for _, p := range points {
		for _, s := range p {
			if !seen[s.Key] {
				seen[s.Key] = true
				all = append(all, s.Key)
			}
		}
	}
	return all
}

// Value returns the value of a key as text. The text is as in a world file, but without quotes. It is empty if the
// point does not set the key.
func (p Point) Value(key string) string {
	for i := range p {
		if p[i].Key != key {
			continue
		}
		if text, ok := p[i].Value.(string); ok {
			return text
		}
		return literal(p[i].Value)
	}
	return ""
}

// Number returns the value of a key if it is a number.
func (p Point) Number(key string) (float64, bool) {
	for i := range p {
		switch v := p[i].Value.(type) {
		case float64:
			if p[i].Key == key {
				return v, true
			}
		case int64:
			if p[i].Key == key {
				return float64(v), true
			}
		}
	}
	return 0, false
}

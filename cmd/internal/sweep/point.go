package sweep

import (
	"fmt"
	"maps"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

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

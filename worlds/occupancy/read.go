package occupancy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

const (
	maxYAML  = 64 << 10 // bytes of a map.yaml
	maxImage = 64 << 20 // bytes of an image
)

// ReadFunc returns the bytes of a file. It fails if the file has more bytes than the limit.
type ReadFunc func(name string, limit int) ([]byte, error)

// Mode says how the map server derives the value of a cell from a pixel.
type mode string

const (
	trinary mode = "trinary"
	scale   mode = "scale"
	raw     mode = "raw"
)

// meta is the content of a map.yaml, with the names of the map server.
type meta struct {
	image                      string
	resolution                 float64
	origin                     Origin
	negate                     bool
	occupiedThresh, freeThresh float64
	mode                       mode
}

// Read reads a map.yaml and its image. The name of the image is relative to the folder of the map.yaml.
func Read(name string, read ReadFunc) (*Grid, error) {
	data, err := read(name, maxYAML)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m, at, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	image := m.image
	if !filepath.IsAbs(image) {
		image = filepath.Join(filepath.Dir(name), image)
	}
	if data, err = read(image, maxImage); err != nil {
		return nil, fmt.Errorf("%s:%s: image = %q: %w", name, at, m.image, err)
	}
	g, err := m.grid(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%s: image = %q: %w", name, at, m.image, err)
	}
	return g, nil
}

// place is a line and a column in a map.yaml.
type place struct{ line, column int }

func (p place) String() string { return fmt.Sprintf("%d:%d", p.line, p.column) }

// parse reads a map.yaml, and returns its content and the place of the image's name. Keys that the map server does not
// know are ignored, as the map server does. Errors begin with a place.
func parse(data []byte) (m meta, image place, err error) {
	var doc yaml.Node
	switch err := yaml.Unmarshal(data, &doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		return m, image, errors.New("1:1: is empty: must be a map.yaml of a map server")
	case err != nil:
		return m, image, fmt.Errorf(" is not YAML: %w", err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return m, image, fmt.Errorf("%d:%d: must be keys with values, such as image: map.pgm", root.Line, root.Column)
	}
	t := table{root}
	m.mode = trinary
	image, err = t.read("image", "the name of an image", &m.image, func() bool { return m.image != "" })
	origin := make([]float64, 0, 3)
	errs := []error{err,
		t.number("resolution", "a length of a cell from 0.001 to 100 m", &m.resolution, 0.001, 100),
		t.number("occupied_thresh", "in [0, 1]", &m.occupiedThresh, 0, 1),
		t.number("free_thresh", "in [0, 1]", &m.freeThresh, 0, 1),
	}
	_, err = t.read("origin", "x, y and yaw of the lower left corner, such as [-10, -10, 0]", &origin, func() bool {
		within := func(v, most float64) bool { return math.Abs(v) <= most }
		return len(origin) == 3 && within(origin[0], 1e5) && within(origin[1], 1e5) && within(origin[2], 1e3)
	})
	errs = append(errs, err, t.negate(&m.negate))
	if t.value("mode") != nil {
		_, err = t.read("mode", "trinary, scale or raw", &m.mode,
			func() bool { return m.mode == trinary || m.mode == scale || m.mode == raw })
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return m, image, first(errs)
	}
	if m.freeThresh >= m.occupiedThresh {
		v := t.value("free_thresh")
		return m, image, fmt.Errorf("%d:%d: free_thresh = %v: must be less than occupied_thresh, which is %v", v.Line,
			v.Column, m.freeThresh, m.occupiedThresh)
	}
	m.origin = Origin{origin[0], origin[1], origin[2]}
	return m, image, nil
}

// first returns the first error of a list.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// table is a YAML mapping.
type table struct{ node *yaml.Node }

// value returns the value of a key, or nil.
func (t table) value(key string) *yaml.Node {
	for i := 0; i+1 < len(t.node.Content); i += 2 {
		if t.node.Content[i].Value == key {
			return t.node.Content[i+1]
		}
	}
	return nil
}

// read reads the value of a key, and checks it. The argument rule says what the value must be.
func (t table) read(key, rule string, value any, valid func() bool) (place, error) {
	v := t.value(key)
	if v == nil {
		return place{}, fmt.Errorf("%d:%d: %s is missing: must be %s", t.node.Line, t.node.Column, key, rule)
	}
	if v.Decode(value) != nil || !valid() {
		text := v.Value
		if v.Kind != yaml.ScalarNode {
			text = "a list or table"
		}
		return place{}, fmt.Errorf("%d:%d: %s = %.100s: must be %s", v.Line, v.Column, key, text, rule)
	}
	return place{v.Line, v.Column}, nil
}

func (t table) number(key, rule string, value *float64, least, most float64) error {
	_, err := t.read(key, rule, value, func() bool { return *value >= least && *value <= most })
	return err
}

// negate reads a key that map savers write as a number or as a truth value.
func (t table) negate(value *bool) error {
	var number int
	if v := t.value("negate"); v != nil && v.Decode(&number) == nil {
		*value = number != 0
		return nil
	}
	_, err := t.read("negate", "0 or 1", value, func() bool { return true })
	return err
}

// cell returns the value of a cell from its pixel's mean brightness and opacity, both from 0 to 1. It follows
// loadMapFromFile of nav2_map_server.
func (m *meta) cell(shade, opacity float64) int8 {
	occ := 1 - shade
	if m.negate {
		occ = shade
	}
	switch {
	case m.mode == raw:
		if v := math.Round(shade * 255); v <= float64(Occupied) {
			return int8(v)
		}
		return Unknown
	case m.mode == scale && opacity < 1:
		return Unknown
	case occ > m.occupiedThresh:
		return Occupied
	case occ < m.freeThresh:
		return Free
	case m.mode == scale:
		return int8(math.RoundToEven((occ - m.freeThresh) / (m.occupiedThresh - m.freeThresh) * 100))
	}
	return Unknown
}

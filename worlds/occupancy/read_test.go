package occupancy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

const office = "image: map.pgm\nresolution: 0.05\norigin: [-1, -2, 0.5]\nnegate: 0\n" +
	"occupied_thresh: 0.65\nfree_thresh: 0.196\n"

// folder returns a function that reads the given files.
func folder(files map[string]string) ReadFunc {
	return func(name string, limit int) ([]byte, error) {
		data, ok := files[name]
		if !ok || len(data) > limit {
			return nil, os.ErrNotExist
		}
		return []byte(data), nil
	}
}

// cells returns the values of the cells of a map with one row.
func cells(t *testing.T, yaml, image string) []int8 {
	t.Helper()
	return must.Get(Read("m/map.yaml", folder(map[string]string{"m/map.yaml": yaml, "m/map.pgm": image})))(t).Cells
}

// TestValuesOfMapServer compares cells with the values that nav2_map_server's loadMapFromFile computes.
func TestValuesOfMapServer(t *testing.T) {
	row := "P5 5 1 255\n\x00\x50\xcd\xfe\xff" // occupied with 1, 0.686, 0.196, 0.004 and 0
	for _, c := range []struct {
		name, change, to string
		want             []int8
	}{
		{"trinary", "negate: 0", "negate: 0", []int8{100, 100, -1, 0, 0}},
		{"a threshold with which unknown is free", "0.196", "0.25", []int8{100, 100, 0, 0, 0}},
		{"negate", "negate: 0", "negate: true", []int8{0, -1, 100, 100, 100}},
		{"scale", "negate: 0", "negate: 0\nmode: scale", []int8{100, 100, 0, 0, 0}},
		{"scale between thresholds", "0.65", "0.9\nmode: scale", []int8{100, 70, 0, 0, 0}},
		{"raw", "negate: 0", "negate: 1\nmode: raw", []int8{0, 80, -1, -1, -1}},
		{"lists and unknown keys", "[-1, -2, 0.5]", "\n- -1\n- -2\n- 0.5\nextra: {a: 1}", []int8{100, 100, -1, 0, 0}},
	} {
		must.Equal(t, cells(t, strings.Replace(office, c.change, c.to, 1), row), c.want, "%s", c.name)
	}
	two := folder(map[string]string{"map.yaml": office, "map.pgm": "P2 1 2 1 0 1"})
	g := must.Get(Read("map.yaml", two))(t)
	if g.Width != 1 || g.Height != 2 || g.Resolution != 0.05 || g.Origin != (Origin{-1, -2, 0.5}) {
		t.Errorf("got %+v", g)
	}
	if want := []int8{Free, Occupied}; !slices.Equal(g.Cells, want) {
		t.Errorf("cells %v, want %v: the lowest row first", g.Cells, want)
	}
}

// TestImages checks that all kinds of images give the same cells.
func TestImages(t *testing.T) {
	shades := []uint8{0, 80, 205, 254, 255}
	want := []int8{100, 100, -1, 0, 0}
	pgm16 := []byte("P5\n# made by hand\n5 # columns\n1\n65535\n")
	for _, s := range shades {
		pgm16 = binary.BigEndian.AppendUint16(pgm16, uint16(s)*257)
	}
	images := map[string]string{
		"P2":      "P2\n5 1\n255\n0 80 205\n254 255\n",
		"P2 16":   "P2 5 1 65535 0 20560 52685 65278 65535",
		"P5":      "P5 5 1 255\n" + string(shades),
		"P5 16":   string(pgm16),
		"PNG":     pngOf(t, image.NewGray(image.Rect(0, 0, 5, 1)), shades),
		"PNG 16":  pngOf(t, image.NewGray16(image.Rect(0, 0, 5, 1)), shades),
		"PNG RGB": pngOf(t, image.NewRGBA(image.Rect(0, 0, 5, 1)), shades),
	}
	for name, data := range images {
		must.Equal(t, cells(t, office, data), want, "%s", name)
	}
	// opacity is a channel of a trinary map, and makes cells of a scaled map unknown
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.SetNRGBA(0, 0, color.NRGBA{0, 0, 0, 0xff})
	img.SetNRGBA(1, 0, color.NRGBA{0, 0, 0, 0xfe})
	var out bytes.Buffer
	must.Do(t, png.Encode(&out, img))
	if got := cells(t, office, out.String()); !slices.Equal(got, []int8{100, 100}) {
		t.Errorf("opacity of a trinary map: %v, want 100 100: occupied with 0.75", got)
	}
	if got := cells(t, office+"mode: scale\n", out.String()); !slices.Equal(got, []int8{100, -1}) {
		t.Errorf("opacity of a scaled map: %v, want 100 -1", got)
	}
}

// settable is an image with pixels that can be set.
type settable interface {
	image.Image
	Set(x, y int, c color.Color)
}

func pngOf(t *testing.T, img settable, shades []uint8) string {
	t.Helper()
	for x, s := range shades {
		img.Set(x, 0, color.Gray{s})
	}
	var out bytes.Buffer
	must.Do(t, png.Encode(&out, img))
	return out.String()
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ change, to, image, want string }{
		{office, "", "", "m/map.yaml:1:1: is empty: must be a map.yaml of a map server"},
		{office, "[1]", "", "m/map.yaml:1:1: must be keys with values, such as image: map.pgm"},
		{office, "a: [", "", "m/map.yaml: is not YAML: yaml: line 1: did not find expected node content"},
		{"image", "picture", "", "m/map.yaml:1:1: image is missing: must be the name of an image"},
		{"0.05", "0", "", "m/map.yaml:2:13: resolution = 0: must be a length of a cell from 0.001 to 100 m"},
		{"0.05", ".nan", "", "m/map.yaml:2:13: resolution = .nan: must be a length of a cell from 0.001 to 100 m"},
		{", 0.5]", "]", "",
			"m/map.yaml:3:9: origin = a list or table: must be x, y and yaw of the lower left corner, such as [-10, -10, 0]"},
		{"negate: 0", "negate: perhaps", "", "m/map.yaml:4:9: negate = perhaps: must be 0 or 1"},
		{"negate: 0", "mode: color\nnegate: 0", "", "m/map.yaml:4:7: mode = color: must be trinary, scale or raw"},
		{"0.65", "65", "", "m/map.yaml:5:18: occupied_thresh = 65: must be in [0, 1]"},
		{"0.196", "0.8", "", "m/map.yaml:6:14: free_thresh = 0.8: must be less than occupied_thresh, which is 0.65"},
		{"map.pgm", "none.pgm", "", `m/map.yaml:1:8: image = "none.pgm": file does not exist`},
		{"", "", "GIF89a", `m/map.yaml:1:8: image = "map.pgm": must be a PGM or PNG image`},
		{"", "", "P5 4 4 255\nshort",
			`m/map.yaml:1:8: image = "map.pgm": ends too early: must have 4 × 4 pixels from 0 to 255`},
		{"", "", "P2 2 1 9 3 10", `m/map.yaml:1:8: image = "map.pgm": ends too early: must have 2 × 1 pixels from 0 to 9`},
		{"", "", "P5 4000 4001 255\n",
			`m/map.yaml:1:8: image = "map.pgm": has 4000 × 4001 pixels: must have at most 16000000`},
		{"", "", "P2 x", `m/map.yaml:1:8: image = "map.pgm": is not a PGM image: must begin with P2 or P5, width, height ` +
			`and the largest value, which is at most 65535`},
		{"", "", "\x89PNG\r\n\x1a\n", `m/map.yaml:1:8: image = "map.pgm": is not a PNG image: unexpected EOF`},
	} {
		yaml := strings.Replace(office, c.change, c.to, 1)
		_, err := Read("m/map.yaml", folder(map[string]string{"m/map.yaml": yaml, "m/map.pgm": c.image}))
		if fmt.Sprint(err) != c.want {
			t.Errorf("%q for %q, image %q:\n got %v\nwant %s", c.to, c.change, c.image, err, c.want)
		}
	}
	if _, err := Read("map.yaml", folder(nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v, want that it does not exist", err)
	}
}

// FuzzRead checks that no map makes the reader panic, and that maps that can be read give boxes or an error.
func FuzzRead(f *testing.F) {
	f.Add(office, "P5 2 2 255\n\x00\xff\xff\x00")
	f.Add(office+"mode: scale\n", "P2\n#\n3 1\n65535\n0 1 2\n")
	f.Add("image: map.pgm\nresolution: 1\norigin:\n- 0\n- 0\n- 0\nnegate: true\noccupied_thresh: 1\nfree_thresh: 0\n",
		"\x89PNG")
	var img bytes.Buffer
	must.Do(f, png.Encode(&img, image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})))
	f.Add(office, img.String())
	f.Fuzz(func(t *testing.T, yaml, image string) {
		g, err := Read("map.yaml", folder(map[string]string{"map.yaml": yaml, "map.pgm": image}))
		if err != nil || len(g.Cells) > 1<<16 {
			return
		}
		boxes, err := g.Boxes(0, 1)
		if occupied := slices.Contains(g.Cells, Occupied); err == nil && (len(boxes) > 0) != occupied {
			t.Errorf("%d boxes; whether cells are occupied: %v", len(boxes), occupied)
		}
	})
}

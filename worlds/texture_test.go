package worlds

import (
	"bytes"
	"image"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

const withTextures = minimal + robot + `[floor]
image = "images/plan.png"
image_size_m = [4, 3]
[[wall]]
points = [[-5, 3], [5, 3]]
material = { texture = "images/plan.png", repeat_m = 2 }
opening = [{ at_m = 1, kind = "door", frame = { texture = "images/plan.png" } }]
[[cylinder]]
name = "bin"
pose = { x_m = 3, y_m = 2 }
radius_m = 0.2
mass_kg = 5
height_m = 0.5
material = { texture = "images/plan.png", color = "#ff0000" }
`

// writeImage writes a grey PNG file.
func writeImage(t *testing.T, dir, name string, width, height int) {
	var file bytes.Buffer
	must.Do(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, width, height))))
	write(t, dir, name, file.String())
}

// Images are read once. A bundle brings them along, and the effective file refers to them.
func TestTexturesAreRead(t *testing.T) {
	dir := t.TempDir()
	writeImage(t, dir, "images/plan.png", 40, 10)
	w := must.Get(Load(write(t, dir, "w.toml", withTextures)))(t)
	pieces, floor := w.Pieces(), w.FloorImage()
	if pieces[0].texture == nil || pieces[0].texture != pieces[1].texture ||
		pieces[0].texture != w.Cylinders[0].Material.texture || floor == nil ||
		floor.Texture != pieces[0].texture {
		t.Fatal("the walls and the floor do not share the image")
	}
	if width, height := pieces[0].TextureSize(); width != 2 || height != 0.5 {
		t.Errorf("the image on the wall measures %v × %v m, want 2 × 0.5", width, height)
	}
	if floor.X != -2 || floor.Y != -1.5 || floor.SizeX != 4 || floor.SizeY != 3 {
		t.Errorf("the image on the floor is at (%v, %v) and measures %v × %v m, want (-2, -1.5) and 4 × 3", floor.X,
			floor.Y, floor.SizeX, floor.SizeY)
	}
	if pieces[0].Color != white || w.Cylinders[0].Material.Color != "#ff0000" || w.FloorColor() != white {
		t.Errorf("got colours %v, %v and %v, want white, #ff0000 and white", pieces[0].Color,
			w.Cylinders[0].Material.Color, w.FloorColor())
	}
	again := must.Get(Parse("again.toml", must.Get(w.Effective())(t)))(t)
	b := must.Get(w.Bundle(nil))(t)
	must.Do(t, os.RemoveAll(filepath.Join(dir, "images")))
	bundled := must.Get(LoadBundle(b))(t)
	for _, other := range []*World{again, bundled} {
		if got := other.Pieces(); !reflect.DeepEqual(got[0].texture, pieces[0].texture) || got[1].texture == nil ||
			other.Cylinders[0].Material.texture == nil ||
			!reflect.DeepEqual(other.FloorImage(), floor) {
			t.Errorf("%s has other textures", other.filename)
		}
	}
}

func TestErrorsOfTextures(t *testing.T) {
	dir := t.TempDir()
	var other bytes.Buffer
	must.Do(t, gif.Encode(&other, image.NewGray(image.Rect(0, 0, 1, 1)), nil))
	write(t, dir, "images/other.gif", other.String())
	write(t, dir, "images/broken.png", "\x89PNG\r\n\x1a\n")
	writeImage(t, dir, "images/long.png", 9000, 1)
	writeImage(t, dir, "images/large.png", 4000, 2000)
	for file, want := range map[string]string{
		"plans.png": "no such file", "broken.png": "is neither PNG nor JPEG",
		"other.gif": "is gif: must be PNG or JPEG",
		"long.png":  "has 9000 × 1 pixels: sides must lie in [1, 8192]",
		"large.png": "has 4000 × 2000 pixels: the textures of a world have at most 4194304 in all",
		"":          "is a folder: must be a regular file",
	} {
		for _, text := range []string{"[floor]\nimage = ", "[[box]]\nname = \"b\"\nsize_m = [1, 1, 1]\nmaterial.texture = "} {
			text += "\"images/" + file + "\""
			_, err := Load(write(t, dir, "w.toml", minimal+robot+text))
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "w.toml:") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %v, want one error with %q and its place", text, err, want)
			}
		}
	}
	_, err := Load(write(t, dir, "w.toml", minimal+robot+"[floor]\nimage_size_m = [1, 1]"))
	must.Fail(t, err, "floor: image_size_m = [1, 1]: goes with floor.image alone")
}

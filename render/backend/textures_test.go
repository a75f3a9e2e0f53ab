package backend_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// textured is a world whose floor, wall, box and cylinder have textures.
const textured = `name = "textured"
look = "plain"
field = false
ball = false
floor = { size_m = [8, 6], image = "quarters.png" }
[[wall]]
points = [[-2, 2.5], [3.5, 2.5]]
material = { texture = "quarters.png", repeat_m = 0.8 }
[[box]]
name = "sign"
pose = { x_m = 1, y_m = 1, heading_deg = 20 }
z_m = 0.3
size_m = [0.8, 0.6, 0.6]
material = { texture = "quarters.png", repeat_m = 0.8, color = "#ffe0e0" }
[[cylinder]]
name = "bin"
pose = { x_m = 2, y_m = -0.5 }
radius_m = 0.3
mass_kg = 5
height_m = 0.7
material = { texture = "quarters.png", repeat_m = 0.5 }
[[robot]]
name = "cyan1"
model = "differential"
pose = { x_m = -2, heading_deg = 10 }
sensor = [
  { name = "front", kind = "camera", level = "ideal", mount = { x_m = 0.3, z_m = 1.2, pitch_deg = 15 } },
  { name = "omni", kind = "omni", level = "ideal", mount = { z_m = 1 } },
  { name = "above", kind = "camera", level = "ideal", mount = { x_m = 1.8, z_m = 2.4, pitch_deg = 90 } },
]
`

// quarters is an image with a red, a green, a blue and a white quarter, from the upper left one clockwise.
func quarters(t *testing.T) []byte {
	im := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 64 {
			right, lower := x >= 32, y >= 24
			im.SetRGBA(x, y, map[[2]bool]color.RGBA{{}: {200, 20, 20, 255}, {true, false}: {20, 200, 20, 255},
				{true, true}: {20, 20, 200, 255}, {false, true}: {200, 200, 200, 255}}[[2]bool{right, lower}])
		}
	}
	var file bytes.Buffer
	must.Do(t, png.Encode(&file, im))
	return file.Bytes()
}

func TestRenderersAgreeAboutTextures(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "world.toml")
	must.Do(t, os.WriteFile(filepath.Join(dir, "quarters.png"), quarters(t), 0o644))
	must.Do(t, os.WriteFile(file, []byte(textured), 0o644))
	renderersAgree(t, file, []string{"cyan1.front", "cyan1.omni", "cyan1.above"})
}

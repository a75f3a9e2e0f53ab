package worlds

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
)

const bannerFile = "props/banner.glb"

// The shipped banner is the one generated here; -update writes it again.
func TestBannerIsWhatIsMadeOfIt(t *testing.T) {
	if *update {
		if err := os.WriteFile(bannerFile, bannerModel(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g, err := new(models.Library).Load(bannerFile, 1)
	if err != nil {
		t.Fatal(err)
	}
	face := g.Materials[g.Parts[0].Material]
	im := bannerImage()
	if face.Pattern != render.Textured || face.Texture.Levels[0].Width != im.Rect.Dx() ||
		face.Texture.Levels[0].Height != im.Rect.Dy() {
		t.Fatalf("its face is %+v", face)
	}
	for i := range im.Rect.Dx() * im.Rect.Dy() {
		if c := im.NRGBAAt(i%im.Rect.Dx(), i/im.Rect.Dx()); !bytes.Equal(face.Texture.Levels[0].Pix[3*i:3*i+3],
			[]byte{c.R, c.G, c.B}) {
			t.Fatalf("pixel %d is another one: run go test ./worlds -run Banner -update", i)
		}
	}
	// For a viewer in front of it who looks along −x, the first column is on the left, where y is least, and the first
	// row on top.
	for i, v := range g.Meshes[0].Vertices {
		want := mgl32.Vec3{bannerDepth / 2, bannerWidth * (g.Meshes[0].UV[i][0] - 0.5),
			bannerLow + bannerHeight*(1-g.Meshes[0].UV[i][1])}
		if !(v.Pos.Sub(want).Len() < 1e-5) || v.Normal != (mgl32.Vec3{1, 0, 0}) {
			t.Fatalf("vertex %d at %v, its normal %v; want %v", i, v.Pos, v.Normal, want)
		}
	}
}

// Dimensions of the banner, metres. It hangs above the floor, because light falls off near it.
const bannerWidth, bannerHeight, bannerLow, bannerDepth = 3.2, 0.8, 0.27, 0.03

// bannerModel returns a .glb file: a face of 8 × 2 squares, because light is computed at corners, and behind it a sheet
// on two legs. y is up, and z forward.
func bannerModel(t *testing.T) []byte {
	t.Helper()
	var bin bytes.Buffer
	var views, accessors []map[string]any
	add := func(kind string, component, count int, data any) int {
		for bin.Len()%4 != 0 {
			bin.WriteByte(0)
		}
		from := bin.Len()
		if err := binary.Write(&bin, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
		views = append(views, map[string]any{"buffer": 0, "byteOffset": from, "byteLength": bin.Len() - from})
		if count > 0 {
			a := map[string]any{"bufferView": len(views) - 1, "componentType": component, "type": kind, "count": count}
			if kind == "VEC3" {
				a["min"], a["max"] = extremes(data.([]float32))
			}
			accessors = append(accessors, a)
			return len(accessors) - 1
		}
		return len(views) - 1
	}
	const cols, rows = 8, 2
	var pos, normals, uv []float32
	var indices []uint16
	for i := range (cols + 1) * (rows + 1) {
		u, v := float32(i%(cols+1))/cols, float32(i/(cols+1))/rows
		pos = append(pos, bannerWidth*(u-0.5), bannerLow+bannerHeight*(1-v), bannerDepth/2)
		normals, uv = append(normals, 0, 0, 1), append(uv, u, v)
	}
	for i := range cols * rows {
		a := uint16(i/cols*(cols+1) + i%cols)
		indices = append(indices, a, a+cols+1, a+cols+2, a, a+cols+2, a+1)
	}
	face := map[string]any{"attributes": map[string]int{"POSITION": add("VEC3", 5126, len(pos)/3, pos),
		"NORMAL": add("VEC3", 5126, len(pos)/3, normals), "TEXCOORD_0": add("VEC2", 5126, len(uv)/2, uv)},
		"indices": add("SCALAR", 5123, len(indices), indices), "material": 0}
	pos = nil
	box := func(x0, x1, y0, y1, z0, z1 float32, front bool) {
		x, y, z := [2]float32{x0, x1}, [2]float32{y0, y1}, [2]float32{z0, z1}
		quad := func(a, b, c, d int) { // corners as bits, anticlockwise seen from outside
			for _, k := range []int{a, b, c, a, c, d} {
				pos = append(pos, x[k&1], y[k>>1&1], z[k>>2])
			}
		}
		quad(0, 2, 3, 1)
		quad(0, 4, 6, 2)
		quad(1, 3, 7, 5)
		quad(0, 1, 5, 4)
		quad(2, 6, 7, 3)
		if front {
			quad(4, 5, 7, 6)
		}
	}
	box(-bannerWidth/2, bannerWidth/2, bannerLow, bannerLow+bannerHeight, -bannerDepth/2, bannerDepth/2, false)
	for _, x := range []float32{-1.2, 1.2} {
		box(x-0.03, x+0.03, 0, bannerLow+0.6, -bannerDepth/2-0.04, -bannerDepth/2, true)
	}
	frame := map[string]any{"attributes": map[string]int{"POSITION": add("VEC3", 5126, len(pos)/3, pos)}, "material": 1}
	var file bytes.Buffer
	if err := png.Encode(&file, paletted(bannerImage())); err != nil {
		t.Fatal(err)
	}
	picture := add("", 0, 0, file.Bytes())
	for bin.Len()%4 != 0 {
		bin.WriteByte(0)
	}
	text, err := json.Marshal(map[string]any{
		"asset": map[string]string{"version": "2.0", "generator": "go test ./worlds -run Banner -update"},
		"scene": 0, "scenes": []any{map[string]any{"nodes": []int{0, 1}}},
		"nodes":  []any{map[string]any{"name": "face", "mesh": 0}, map[string]any{"name": "frame", "mesh": 1}},
		"meshes": []any{map[string]any{"primitives": []any{face}}, map[string]any{"primitives": []any{frame}}},
		"materials": []any{
			map[string]any{"name": "print", "pbrMetallicRoughness": map[string]any{"metallicFactor": 0,
				"roughnessFactor": 0.7, "baseColorTexture": map[string]int{"index": 0}}},
			map[string]any{"name": "back", "pbrMetallicRoughness": map[string]any{"metallicFactor": 0,
				"roughnessFactor": 0.8, "baseColorFactor": []float64{0.3, 0.3, 0.32, 1}}},
		},
		"textures":  []any{map[string]int{"source": 0, "sampler": 0}},
		"samplers":  []any{map[string]int{"wrapS": 33071, "wrapT": 33071}},
		"images":    []any{map[string]any{"bufferView": picture, "mimeType": "image/png"}},
		"accessors": accessors, "bufferViews": views, "buffers": []any{map[string]int{"byteLength": bin.Len()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	out := []byte("glTF\x02\x00\x00\x00")
	out = binary.LittleEndian.AppendUint32(out, uint32(28+len(text)+bin.Len()))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = append(append(out, "JSON"...), text...)
	out = binary.LittleEndian.AppendUint32(out, uint32(bin.Len()))
	return append(append(out, "BIN\x00"...), bin.Bytes()...)
}

func extremes(vectors []float32) (low, high []float32) {
	low, high = append(low, vectors[:3]...), append(high, vectors[:3]...)
	for i, x := range vectors {
		low[i%3], high[i%3] = min(low[i%3], x), max(high[i%3], x)
	}
	return low, high
}

func paletted(im *image.NRGBA) *image.Paletted {
	var colours color.Palette
	known := map[color.NRGBA]uint8{}
	out := image.NewPaletted(im.Rect, nil)
	for i := range out.Pix {
		c := im.NRGBAAt(i%im.Rect.Dx(), i/im.Rect.Dx())
		index, ok := known[c]
		if !ok {
			index = uint8(len(colours))
			known[c] = index
			colours = append(colours, c)
		}
		out.Pix[i] = index
	}
	out.Palette = colours
	return out
}

// glyphs are letters of 5 × 7 squares.
var glyphs = map[rune][7]string{
	'A': {".###.", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"}, 'C': {".###.", "#...#", "#....", "#....",
		"#....", "#...#", ".###."},
	'D': {"####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####."}, 'E': {"#####", "#....", "#....", "####.",
		"#....", "#....", "#####"},
	'G': {".###.", "#...#", "#....", "#.###", "#...#", "#...#", ".###."}, 'H': {"#...#", "#...#", "#...#", "#####",
		"#...#", "#...#", "#...#"},
	'I': {".###.", "..#..", "..#..", "..#..", "..#..", "..#..", ".###."}, 'L': {"#....", "#....", "#....", "#....",
		"#....", "#....", "#####"},
	'M': {"#...#", "##.##", "#.#.#", "#.#.#", "#...#", "#...#", "#...#"}, 'N': {"#...#", "##..#", "##..#", "#.#.#",
		"#..##", "#..##", "#...#"},
	'O': {".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."}, 'P': {"####.", "#...#", "#...#", "####.",
		"#....", "#....", "#...."},
	'S': {".####", "#....", "#....", ".###.", "....#", "....#", "####."}, 'T': {"#####", "..#..", "..#..", "..#..",
		"..#..", "..#..", "..#.."},
	'U': {"#...#", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."}, 'Z': {"#####", "....#", "...#.", "..#..",
		".#...", "#....", "#####"},
}

// bannerImage returns the banner's image: a ball, and two lines of text.
func bannerImage() *image.NRGBA {
	const width, height = 1024, 256
	im := image.NewNRGBA(image.Rect(0, 0, width, height))
	blue, dark, white, orange := color.NRGBA{22, 52, 128, 255}, color.NRGBA{15, 36, 92, 255}, color.NRGBA{236, 236, 232,
		255}, color.NRGBA{232, 128, 24, 255}
	for i := range width * height {
		x, y := i%width, i/width
		c := blue
		if (x+y)/96%2 == 1 {
			c = dark
		}
		if y < 10 || y >= height-10 {
			c = orange
		}
		dx, dy := float64(x-128)+0.5, float64(y-128)+0.5
		if r := math.Hypot(dx, dy); r < 88 {
			c = white
			// Five pentagons around one, by the distance to their middles.
			near := r
			for k := range 5 {
				sin, cos := math.Sincos(2*math.Pi*float64(k)/5 - math.Pi/2)
				near = min(near, math.Hypot(dx-78*cos, dy-78*sin))
			}
			if near < 26 {
				c = dark
			}
		}
		im.SetNRGBA(x, y, c)
	}
	write := func(text string, left, top, size int, c color.NRGBA) {
		for _, letter := range text {
			for row, line := range glyphs[letter] {
				for col, on := range strings.Split(line, "") {
					for i := range size * size {
						if on == "#" {
							im.SetNRGBA(left+col*size+i%size, top+row*size+i/size, c)
						}
					}
				}
			}
			left += 6 * size
		}
	}
	write("OMNIPITCH", 250, 44, 14, white)
	write("MIDDLE SIZE LEAGUE", 252, 172, 7, orange)
	return im
}

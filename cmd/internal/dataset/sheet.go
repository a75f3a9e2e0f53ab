package dataset

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"sort"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/omnipitch/omnipitch/abstraction/random"
)

// sheetFile is a contact sheet of some of the images, with the boxes of their objects.
const sheetFile = "sheet.jpg"

const (
	sheetColumns, sheetRows = 6, 5
	tileWidth, tileHeight   = 320, 240 // size of a tile, pixels; an image fills as much of a tile as its shape allows
	sheetQuality            = 88
)

// categoryColors are the colours of boxes, by category. Those of the world's own kinds are that of obstacles.
var categoryColors = []color.NRGBA{
	ball: {255, 210, 0, 255}, cyanRobot: {0, 230, 255, 255}, magentaRobot: {255, 70, 220, 255},
	goal:   {255, 255, 255, 255},
	person: {120, 255, 120, 255}, obstacle: {255, 130, 40, 255}, ballBeside: {200, 160, 60, 255},
}

// chosen returns the numbers of the frames on the sheet, in ascending order. If not all frames fit, it chooses at
// random as many as fit. The seed determines the choice.
func (c *Config) chosen() []int {
	const most = sheetColumns * sheetRows
	numbers, noise, taken := []int{}, random.New(c.World.Seed, "dataset", "sheet", 0), map[int]bool{}
	for try := uint64(0); len(numbers) < min(most, c.Frames); try++ {
		n := min(int(noise.Uniform(try)*float64(c.Frames)), c.Frames-1)
		if c.Frames <= most {
			n = int(try)
		}
		if !taken[n] {
			taken[n] = true
			numbers = append(numbers, n)
		}
	}
	sort.Ints(numbers)
	return numbers
}

// writeSheet writes the contact sheet.
func (o *folder) writeSheet(c *Config) error {
	numbers := c.chosen()
	rows := (len(numbers) + sheetColumns - 1) / sheetColumns
	sheet := image.NewRGBA(image.Rect(0, 0, sheetColumns*tileWidth, rows*tileHeight))
	at := 0
	if err := o.frames(c.Frames, func(f *Frame) error {
		if at == len(numbers) || f.Number != numbers[at] {
			return nil
		}
		corner := image.Pt(at%sheetColumns*tileWidth, at/sheetColumns*tileHeight)
		at++
		return o.drawTile(sheet, corner, f)
	}); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, sheet, &jpeg.Options{Quality: sheetQuality}); err != nil {
		return err
	}
	return o.write(sheetFile, out.Bytes())
}

// drawTile draws an image with its boxes.
func (o *folder) drawTile(sheet *image.RGBA, corner image.Point, f *Frame) error {
	data, err := o.root.ReadFile(f.File)
	if err != nil {
		return err
	}
	var m image.Image
	if bytes.HasPrefix(data, []byte("\x89PNG")) {
		m, err = png.Decode(bytes.NewReader(data))
	} else {
		m, err = jpeg.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.File, err)
	}
	scale := min(float64(tileWidth)/float64(f.Width), float64(tileHeight)/float64(f.Height))
	size := image.Pt(int(scale*float64(f.Width)), int(scale*float64(f.Height)))
	corner = corner.Add(image.Pt((tileWidth-size.X)/2, (tileHeight-size.Y)/2))
	draw.ApproxBiLinear.Scale(sheet, image.Rectangle{corner, corner.Add(size)}, m, m.Bounds(), draw.Src, nil)
	for i := range f.Objects {
		x := &f.Objects[i]
		box := func(k int) int { return int(scale * float64(x.Box[k])) }
		r := image.Rect(box(0)-1, box(1)-1, int(scale*float64(x.Box[0]+x.Box[2]))+1,
			int(scale*float64(x.Box[1]+x.Box[3]))+1).Add(corner)
		color := categoryColors[obstacle]
		if k := categoryOf(x.Category, o.categories).ID - 1; k < len(categoryColors) {
			color = categoryColors[k]
		}
		frame(sheet, r, color)
	}
	d := font.Drawer{Dst: sheet, Src: image.White, Face: basicfont.Face7x13, Dot: fixed.P(corner.X+4, corner.Y+12)}
	d.DrawString(fmt.Sprintf("%d %s", f.Number, f.Part))
	return nil
}

// frame draws the outline of a rectangle, one pixel wide.
func frame(m *image.RGBA, r image.Rectangle, c color.NRGBA) {
	for x := r.Min.X; x < r.Max.X; x++ {
		m.Set(x, r.Min.Y, c)
		m.Set(x, r.Max.Y-1, c)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		m.Set(r.Min.X, y, c)
		m.Set(r.Max.X-1, y, c)
	}
}

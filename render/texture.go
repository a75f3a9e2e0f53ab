package render

import (
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"
)

// Wrap is what a Texture shows beyond its border.
type Wrap uint8

const (
	Repeat         Wrap = iota
	ClampToEdge         // the texel at the border
	MirroredRepeat      // every other time the other way round
)

// Texture is an image that a surface bears, whatever its sides, in mip levels. Renderers take the mean over a pixel's
// footprint: by TextureTaps points along its longer axis, each bilinear in two levels.
type Texture struct {
	// Levels are the image, and images half as wide and half as high as the one before, rounded down; the last is one
	// pixel.
	Levels []*Image
	Wrap   [2]Wrap    // along columns, and along rows
	Mean   mgl32.Vec3 // reflectance, linear
}

// TextureTaps is the number of points that stand for the longer axis of a pixel's footprint: a surface that is seen at
// so small an angle that the footprint is more than so many times as long as wide is blurred across too.
const TextureTaps = 4

// NewTexture makes the levels of an image, which it keeps; tint is a share of its light, 0 to 1.
func NewTexture(im *Image, tint mgl32.Vec3, wrap [2]Wrap) *Texture {
	if tint != (mgl32.Vec3{1, 1, 1}) {
		var table [3][256]byte
		for c := range table {
			for v := range table[c] {
				table[c][v] = Encode8(tint[c] * decoded[v])
			}
		}
		for i, v := range im.Pix {
			im.Pix[i] = table[i%3][v]
		}
	}
	t := &Texture{Levels: []*Image{im}, Wrap: wrap}
	light := func(i int) float32 { return decoded[im.Pix[i]] }
	for cols, rows := im.Width, im.Height; cols > 1 || rows > 1; {
		w, h := max(cols/2, 1), max(rows/2, 1)
		next := reduced(light, cols, rows, w, h)
		level := NewImage(w, h)
		for i, v := range next {
			level.Pix[i] = Encode8(v)
		}
		t.Levels = append(t.Levels, level)
		light, cols, rows = func(i int) float32 { return next[i] }, w, h
	}
	for c := range t.Mean {
		t.Mean[c] = light(c)
	}
	return t
}

// span is the texels that one of the next level is the mean of, by their weights.
type span struct {
	first  int
	weight [3]float32
}

// spans divides n texels among m, which is n/2, or 1 for 1.
func spans(n, m int) []span {
	all := make([]span, m)
	for i := range all {
		from, to := float64(i)*float64(n)/float64(m), float64(i+1)*float64(n)/float64(m)
		s := span{first: min(int(from), n-1)}
		for k := range s.weight {
			at := float64(s.first + k)
			s.weight[k] = float32(max(min(to, at+1)-max(from, at), 0) / (to - from))
		}
		all[i] = s
	}
	return all
}

// reduced returns an image's light at half the size.
func reduced(light func(int) float32, cols, rows, w, h int) []float32 {
	across, down := spans(cols, w), spans(rows, h)
	out := make([]float32, 3*w*h)
	for y, sy := range down {
		for x, sx := range across {
			for j, wy := range sy.weight {
				for i, wx := range sx.weight {
					if share := wx * wy; share > 0 {
						from := 3 * ((sy.first+j)*cols + sx.first + i)
						for c := range 3 {
							out[3*(y*w+x)+c] += share * light(from+c)
						}
					}
				}
			}
		}
	}
	for i, v := range out {
		out[i] = min(v, 1) // rounded up
	}
	return out
}

// validate reports what renderers cannot draw.
func (t *Texture) validate() error {
	if t == nil || len(t.Levels) == 0 {
		return errors.New("must have a texture")
	}
	const longest = 1 << 14 // what OpenGL 4.1 draws at least
	w, h := t.Levels[0].Width, t.Levels[0].Height
	for i, l := range t.Levels {
		if l.Width != max(w>>i, 1) || l.Height != max(h>>i, 1) || len(l.Pix) != 3*l.Width*l.Height ||
			l.Width > longest || l.Height > longest {
			return fmt.Errorf("texture: level %d of %d×%d: must be half of the one before, and at most %d", i, l.Width,
				l.Height, longest)
		}
	}
	if last := t.Levels[len(t.Levels)-1]; last.Width != 1 || last.Height != 1 {
		return fmt.Errorf("texture: last level of %d×%d: must be one pixel", last.Width, last.Height)
	}
	return nil
}

package render

import (
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"
)

// Wrap determines what a Texture shows beyond its border.
type Wrap uint8

const (
	Repeat         Wrap = iota
	ClampToEdge         // the texel at the border
	MirroredRepeat      // repeated, but every other repetition is mirrored
)

// Texture is an image on a surface, in mip levels. Renderers average it over a pixel's footprint. They use TextureTaps
// points along the longer axis of the footprint, and interpolate bilinearly at each point in two levels.
type Texture struct {
	// Levels holds the image, followed by ever smaller images. Each is half as wide and half as high as the one before,
	// rounded down. The last has one pixel.
	Levels []*Image
	Wrap   [2]Wrap    // wrapping in the horizontal and in the vertical direction
	Mean   mgl32.Vec3 // reflectance, linear
}

// TextureTaps is the number of sample points along the longer axis of a pixel's footprint. If the footprint is more
// than TextureTaps times as long as wide, the texture is also blurred along the shorter axis.
const TextureTaps = 4

// NewTexture makes the levels of an image, which it keeps.
func NewTexture(im *Image, wrap [2]Wrap) *Texture {
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

// Aspect returns the height of the image relative to its width.
func (t *Texture) Aspect() float64 { return float64(t.Levels[0].Height) / float64(t.Levels[0].Width) }

// span is a range of texels with weights. The weighted mean of the texels is one texel of the next level.
type span struct {
	first  int
	weight [3]float32
}

// spans returns the spans of the n texels of a level that make up each of the m texels of the next level. m must be
// n/2, or 1 if n is 1.
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

// reduced returns the light of an image of cols × rows texels at the smaller size w × h.
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
		out[i] = min(v, 1) // rounding may exceed 1
	}
	return out
}

// validate returns an error if renderers cannot render the texture.
func (t *Texture) validate() error {
	if t == nil || len(t.Levels) == 0 {
		return errors.New("must have a texture")
	}
	const longest = 1 << 14 // OpenGL 4.1 supports at least this size
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

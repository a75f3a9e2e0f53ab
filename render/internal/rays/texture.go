package rays

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// Textured returns a texture's mean around the texture coordinates at, over a pixel's footprint: dx and dy lead to the
// next pixels' coordinates. Without a footprint it is bilinear.
func Textured(t *render.Texture, at, dx, dy Vec) Vec {
	width, height := float32(t.Levels[0].Width), float32(t.Levels[0].Height)
	// In texels; a is the longer side.
	ax, ay, bx, by := dx.X*width, dx.Y*height, dy.X*width, dy.Y*height
	a2 := ax*ax + ay*ay
	if b2 := bx*bx + by*by; b2 > a2 {
		ax, ay, bx, by, a2, dx = bx, by, ax, ay, b2, dy
	}
	if !(a2 > 0) {
		return texel(t, 0, at)
	}
	long := Sqrt(a2)
	across := Abs(ax*by-ay*bx) / long
	spread := Sqrt(max(a2-across*across, 0))
	size := max(across, spread/render.TextureTaps, 1)
	level := min(float32(math.Log2(float64(size))), float32(len(t.Levels)-1))
	first := int(level)
	second := min(first+1, len(t.Levels)-1)
	step := dx.Mul(spread / long / render.TextureTaps)
	var sum Vec
	for k := range render.TextureTaps {
		p := at.Add(step.Mul(float32(k) - 0.5*(render.TextureTaps-1)))
		sum = sum.Add(texel(t, first, p).Mix(texel(t, second, p), level-float32(first)))
	}
	return sum.Mul(1.0 / render.TextureTaps)
}

// texel interpolates bilinearly in a level.
func texel(t *render.Texture, level int, at Vec) Vec {
	im := t.Levels[level]
	x, y := at.X*float32(im.Width)-0.5, at.Y*float32(im.Height)-0.5
	fx, fy := Floor(x), Floor(y)
	x0, x1 := wrapped(t.Wrap[0], fx, im.Width), wrapped(t.Wrap[0], fx+1, im.Width)
	y0, y1 := wrapped(t.Wrap[1], fy, im.Height), wrapped(t.Wrap[1], fy+1, im.Height)
	light := func(x, y int) Vec {
		p := im.Pix[3*(y*im.Width+x):]
		return V(render.Decode8(p[0]), render.Decode8(p[1]), render.Decode8(p[2]))
	}
	top := light(x0, y0).Mix(light(x1, y0), x-fx)
	low := light(x0, y1).Mix(light(x1, y1), x-fx)
	return top.Mix(low, y-fy)
}

// wrapped returns which of n texels is shown at index i.
func wrapped(w render.Wrap, i float32, n int) int {
	size := float32(n)
	switch w {
	case render.Repeat:
		i -= size * Floor(i/size)
	case render.MirroredRepeat:
		i -= 2 * size * Floor(i/(2*size))
		i = min(i, 2*size-1-i)
	}
	return min(max(int(i), 0), n-1) // after rounding, or for NaN
}

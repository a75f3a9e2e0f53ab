package rays

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// Textured returns the mean of a texture around the given texture coordinates, over a pixel's footprint. dx and dy lead
// to the coordinates of the next pixels. If both are 0, Textured interpolates bilinearly at a point.
func Textured(t *render.Texture, at, dx, dy Vec) Vec {
	width, height := float32(t.Levels[0].Width), float32(t.Levels[0].Height)
	// (ax, ay) and (bx, by) are the footprint's sides in texels; a is the longer one.
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

// texel interpolates a level of a texture bilinearly.
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

// wrapped returns the index of the texel, of n in a line, that is shown at index i.
func wrapped(w render.Wrap, i float32, n int) int {
	size := float32(n)
	switch w {
	case render.Repeat:
		i -= size * Floor(i/size)
	case render.MirroredRepeat:
		i -= 2 * size * Floor(i/(2*size))
		i = min(i, 2*size-1-i)
	}
	return min(max(int(i), 0), n-1) // needed after rounding, or for NaN
}

// Picture is the picture on a room's walls, which extends from floor to ceiling, in mip levels.
type Picture struct {
	levels     [][]Vec // linear
	cols, rows int     // of the first level
	repeats    float32 // per metre
	texels     float32 // per metre
}

// NewPicture prepares the picture on a room's walls. It returns nil for plain walls.
func NewPicture(room *render.Room) *Picture {
	p := room.Picture
	if p == nil {
		return nil
	}
	out := &Picture{
		cols: p.Width, rows: p.Height,
		repeats: float32(1 / room.PictureWidth), texels: float32(float64(p.Width) / room.PictureWidth),
	}
	level := make([]Vec, p.Width*p.Height)
	for i := range level {
		level[i] = Vec{render.Decode8(p.Pix[3*i]), render.Decode8(p.Pix[3*i+1]), render.Decode8(p.Pix[3*i+2])}
	}
	for cols, rows := p.Width, p.Height; ; {
		out.levels = append(out.levels, level)
		if cols == 1 && rows == 1 {
			return out
		}
		w, h := max(cols/2, 1), max(rows/2, 1)
		next := make([]Vec, w*h)
		for y := range h {
			for x := range w {
				x0, y0 := x*cols/w, y*rows/h
				x1, y1 := min(x0+1, cols-1), min(y0+1, rows-1)
				sum := level[y0*cols+x0].Add(level[y0*cols+x1]).Add(level[y1*cols+x0]).Add(level[y1*cols+x1])
				next[y*w+x] = sum.Mul(0.25)
			}
		}
		level, cols, rows = next, w, h
	}
}

// At returns the picture at a point p of a wall. The argument wall is the wall's inward normal, and height is the
// point's height as a fraction of the wall's height. stepX and stepY lead to the points of the next pixels. At
// interpolates bilinearly in the nearest mip level.
func (h *Picture) At(p, wall Vec, height float32, stepX, stepY Vec) Vec {
	along := -wall.Y * (11 - p.X)
	if wall.X != 0 { // each wall starts at another column of the picture
		along = -wall.X * (p.Y + 37)
		stepX.X, stepY.X = stepX.Y, stepY.Y
	}
	size := max(Abs(stepX.X), Abs(stepY.X), Abs(stepX.Z), Abs(stepY.Z)) * h.texels
	level := min(max(int(Log2(max(size, 1e-6))+0.5), 0), len(h.levels)-1)
	cols, rows := max(h.cols>>level, 1), max(h.rows>>level, 1)
	texels := h.levels[level]
	x, y := along*h.repeats*float32(cols)-0.5, (1-height)*float32(rows)-0.5
	fx, fy := Floor(x), Floor(y)
	x0, y0 := int(fx)&(cols-1), min(max(int(fy), 0), rows-1)
	x1, y1 := (int(fx)+1)&(cols-1), min(max(int(fy)+1, 0), rows-1)
	top := texels[y0*cols+x0].Mix(texels[y0*cols+x1], x-fx)
	low := texels[y1*cols+x0].Mix(texels[y1*cols+x1], x-fx)
	return top.Mix(low, y-fy)
}

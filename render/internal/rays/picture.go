package rays

import "github.com/omnipitch/omnipitch/render"

// Picture is the picture on a room's walls, from floor to ceiling, in mip levels.
type Picture struct {
	levels     [][]Vec // linear
	cols, rows int     // of the first level
	repeats    float32 // per metre
	texels     float32 // per metre
}

// NewPicture prepares a room's Picture; nil for plain walls.
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
		level[i] = Vec{decode(p.Pix[3*i]), decode(p.Pix[3*i+1]), decode(p.Pix[3*i+2])}
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

// decode converts an sRGB byte to linear light.
func decode(b uint8) float32 { return float32(render.Linear(float64(b) / 255)) }

// At returns the picture at a point p of a wall with the inward normal wall. height is the point's height as a fraction
// of the wall's; stepX and stepY lead to the next pixels' points. It is bilinear in the nearest mip level.
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

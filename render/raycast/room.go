package raycast

import (
	"github.com/omnipitch/omnipitch/render"
)

// room is a render.Room, prepared for rays.
type room struct {
	half       [2]float32 // half sizes, metres
	height     float32
	wall       vec
	background vec
	picture    [][]vec // mip levels of what the walls show, linear; nil for plain walls
	cols, rows int     // of the first
	repeats    float32 // per metre
	texels     float32 // per metre
}

func newRoom(s *render.Scene) room {
	h := &s.Room
	out := room{
		half:   [2]float32{float32(s.Floor.SizeX/2 + h.Margin), float32(s.Floor.SizeY/2 + h.Margin)},
		height: float32(h.Height),
	}
	p := h.Picture
	if p == nil {
		return out
	}
	out.cols, out.rows = p.Width, p.Height
	out.repeats, out.texels = float32(1/h.PictureWidth), float32(float64(p.Width)/h.PictureWidth)
	level := make([]vec, p.Width*p.Height)
	for i := range level {
		level[i] = vec{decode(p.Pix[3*i]), decode(p.Pix[3*i+1]), decode(p.Pix[3*i+2])}
	}
	for cols, rows := p.Width, p.Height; ; {
		out.picture = append(out.picture, level)
		if cols == 1 && rows == 1 {
			return out
		}
		w, h := max(cols/2, 1), max(rows/2, 1)
		next := make([]vec, w*h)
		for y := range h {
			for x := range w {
				x0, y0 := x*cols/w, y*rows/h
				x1, y1 := min(x0+1, cols-1), min(y0+1, rows-1)
				sum := level[y0*cols+x0].add(level[y0*cols+x1]).add(level[y1*cols+x0]).add(level[y1*cols+x1])
				next[y*w+x] = sum.mul(0.25)
			}
		}
		level, cols, rows = next, w, h
	}
}

// decode converts an sRGB byte to linear light.
func decode(b uint8) float32 { return float32(render.Linear(float64(b) / 255)) }

// toWall returns the distance along a ray to the wall that it hits, and that wall's normal.
func (h *room) toWall(o, d vec) (t float32, normal vec) {
	x, y := wallAfter(o.x, d.x, h.half[0]), wallAfter(o.y, d.y, h.half[1])
	if x < y {
		return x, vec{-sign(d.x), 0, 0}
	}
	return y, vec{0, -sign(d.y), 0}
}

// at returns the radiance of the wall or the ceiling that a ray hits, and the distance to the wall.
func (h *room) at(o, d vec, f *fan) (radiance vec, toWall float32) {
	toWall, wall := h.toWall(o, d)
	height := float32(2)
	if h.height > 0 {
		height = (o.z + d.z*toWall) / h.height
	}
	if height >= 1 {
		return h.background, toWall
	}
	light := h.wall.mul(0.75 + 0.5*height)
	if h.picture == nil || height < 0 {
		return light, toWall
	}
	p := o.add(d.mul(toWall))
	stepX, stepY := f.steps(d, wall, toWall)
	along := sign(d.y) * (11 - p.x)
	if wall.x != 0 { // each wall starts at another column of the image
		along = sign(d.x) * (p.y + 37)
		stepX.x, stepY.x = stepX.y, stepY.y
	}
	size := max(abs(stepX.x), abs(stepY.x), abs(stepX.z), abs(stepY.z))
	return light.times(h.sample(along*h.repeats, 1-height, size*h.texels)).mul(1 / pictureGain), toWall
}

// imageGain is the reflectance for which the walls' radiance is given.
const pictureGain = 0.35

// sample returns the image at (u, v), 0 to 1, for a pixel whose size is given in texels: bilinear in the nearest mip level.
func (h *room) sample(u, v, size float32) vec {
	level := min(max(int(log2(max(size, 1e-6))+0.5), 0), len(h.picture)-1)
	cols, rows := max(h.cols>>level, 1), max(h.rows>>level, 1)
	texels := h.picture[level]
	x, y := u*float32(cols)-0.5, v*float32(rows)-0.5
	fx, fy := floor(x), floor(y)
	x0, y0 := int(fx)&(cols-1), min(max(int(fy), 0), rows-1)
	x1, y1 := (int(fx)+1)&(cols-1), min(max(int(fy)+1, 0), rows-1)
	top := texels[y0*cols+x0].mix(texels[y0*cols+x1], x-fx)
	low := texels[y1*cols+x0].mix(texels[y1*cols+x1], x-fx)
	return top.mix(low, y-fy)
}

func sign(x float32) float32 {
	if x < 0 {
		return -1
	}
	return 1
}

// wallAfter returns the distance along a ray to the wall, of the two at ±half, that it approaches.
func wallAfter(from, d, half float32) float32 {
	switch {
	case d > 0:
		return (half - from) / d
	case d < 0:
		return (-half - from) / d
	}
	return never
}

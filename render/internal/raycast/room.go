package raycast

import (
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// room is a render.Room prepared for ray casting.
type room struct {
	half       [2]float32 // half sizes, metres
	height     float32
	wall       rays.Vec
	background rays.Vec
	picture    *rays.Picture // on the walls; nil for plain walls
}

func newRoom(s *render.Scene) room {
	h := &s.Room
	out := room{
		half:   [2]float32{float32(s.Floor.SizeX/2 + h.Margin), float32(s.Floor.SizeY/2 + h.Margin)},
		height: float32(h.Height),
	}
	out.picture = rays.NewPicture(h)
	return out
}

// toWall returns the distance along a ray to the wall that it meets, and that wall's normal.
func (h *room) toWall(o, d rays.Vec) (t float32, normal rays.Vec) {
	x, y := wallAfter(o.X, d.X, h.half[0]), wallAfter(o.Y, d.Y, h.half[1])
	if x < y {
		return x, rays.V(-sign(d.X), 0, 0)
	}
	return y, rays.V(0, -sign(d.Y), 0)
}

// radianceAt returns the radiance of the wall or the ceiling that a ray meets, and the distance to the wall.
func (h *room) radianceAt(o, d rays.Vec, f *rays.Fan) (radiance rays.Vec, toWall float32) {
	toWall, wall := h.toWall(o, d)
	height := float32(2)
	if h.height > 0 {
		height = (o.Z + d.Z*toWall) / h.height
	}
	if height >= 1 {
		return h.background, toWall
	}
	light := h.wall.Mul(0.75 + 0.5*height)
	if h.picture == nil || height < 0 {
		return light, toWall
	}
	p := o.Add(d.Mul(toWall))
	stepX, stepY := f.Steps(d, wall, toWall)
	return light.Times(h.picture.At(p, wall, height, stepX, stepY)).Mul(1 / pictureGain), toWall
}

// pictureGain is the reflectance of a wall that has the radiance Light.Wall.
const pictureGain = 0.35

func sign(x float32) float32 {
	if x < 0 {
		return -1
	}
	return 1
}

// wallAfter returns the distance along a ray to a wall. There are two walls, at −half and half along an axis; the ray,
// whose coordinate along that axis is from and whose direction there is d, approaches one of them. If it is parallel to
// both, the result is rays.Never.
func wallAfter(from, d, half float32) float32 {
	switch {
	case d > 0:
		return (half - from) / d
	case d < 0:
		return (-half - from) / d
	}
	return rays.Never
}

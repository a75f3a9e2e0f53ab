package raycast

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/light"
)

// natural is the light of a hall, as package render/light computes it.
type natural struct {
	field     *light.Field
	shadowMap *light.ShadowMap
	open      [][]light.Open // by body and part
	room      *room
	wall      rays.Vec // reflectances
	top       rays.Vec
}

func newNatural(s *render.Scene, room *room) *natural {
	if !s.Natural {
		return nil
	}
	f := light.NewField(s, &s.Shading)
	if f == nil {
		return nil
	}
	return &natural{f, light.NewShadowMap(s, f), light.Openness(s), room, rays.Vec32(s.Room.Wall),
		rays.Vec32(s.Room.Ceiling)}
}

// onFace returns the light at a point of a face of the hall. The face has cols columns of the grid, beginning with
// column col0. The point is at the fraction u of the way across the columns, and at the fraction v of the way across
// the rows.
func onFace(g *light.Grid, col0, cols int, u, v float32, shares [2]float32) rays.Vec {
	x, y := rays.Clamp01(u)*float32(cols-1), rays.Clamp01(v)*float32(g.Rows-1)
	i, j := max(min(int(x), cols-2), 0), max(min(int(y), g.Rows-2), 0) // also for NaN
	x, y = x-float32(i), y-float32(j)
	k := j*g.Cols + col0 + i
	var sum rays.Vec
	for s, share := range shares {
		of := g.Of[s]
		top := rays.Vec32(of[k]).Mix(rays.Vec32(of[k+1]), x)
		low := rays.Vec32(of[k+g.Cols]).Mix(rays.Vec32(of[k+g.Cols+1]), x)
		sum = sum.Add(top.Mix(low, y).Mul(share))
	}
	return sum
}

// onFloor returns the irradiance of a point on the floor, over π.
func (n *natural) onFloor(x, y float32) rays.Vec {
	m := n.shadowMap
	u, v := (x*m.Place[0]+m.Place[2])*float32(m.Width)-0.5, (y*m.Place[1]+m.Place[3])*float32(m.Height)-0.5
	u, v = min(max(u, 0), float32(m.Width-1)), min(max(v, 0), float32(m.Height-1))
	i, j := max(min(int(u), m.Width-2), 0), max(min(int(v), m.Height-2), 0)
	u, v = u-float32(i), v-float32(j)
	var shares [2]float32
	for s := range shares {
		k := 2*(j*m.Width+i) + s
		top := float32(m.Pix[k])*(1-u) + float32(m.Pix[k+2])*u
		low := float32(m.Pix[k+2*m.Width])*(1-u) + float32(m.Pix[k+2*m.Width+2])*u
		shares[s] = (top*(1-v) + low*v) / 255
	}
	f := n.field
	return onFace(&f.Floor, 0, f.Floor.Cols, x/float32(2*f.HalfX)+0.5, y/float32(2*f.HalfY)+0.5, shares)
}

// onCarpet returns the reflectance of a floor with an amount of sheen, 0 to 1. The argument cos is the cosine of the
// viewing direction to the normal.
func (n *natural) onCarpet(albedo rays.Vec, sheen, cos float32) rays.Vec {
	return albedo.Mix(rays.Vec32(n.field.Sheen.Tint), sheen*n.field.Sheen.At(cos*cos))
}

// radianceAt returns the radiance of the wall or the ceiling that a ray meets, and the ray's distance to the wall.
func (n *natural) radianceAt(o, d rays.Vec, f *rays.Fan) (radiance rays.Vec, toWall float32) {
	toWall, wall := n.room.toWall(o, d)
	p := o.Add(d.Mul(toWall))
	height := float32(n.field.Height)
	all := [2]float32{1, 1}
	if p.Z >= height {
		top := (height - o.Z) / d.Z
		x, y := o.X+d.X*top, o.Y+d.Y*top
		stepX, stepY := f.Steps(d, rays.V(0, 0, -1), top)
		g := &n.field.Ceiling
		light32 := onFace(g, 0, g.Cols, x/float32(2*n.field.HalfX)+0.5, y/float32(2*n.field.HalfY)+0.5,
			all).Times(n.top)
		cover := rowCover(&n.field.PanelRows[0], x, stepX.X, stepY.X) * rowCover(&n.field.PanelRows[1], y, stepX.Y,
			stepY.Y)
		return light32.Add(rays.Vec32(n.field.Emits[light.Lamps]).Mul(cover)), toWall
	}
	side, axis, along, half := 0, 0, p.Y, float32(n.field.HalfY)
	if wall.X == 0 {
		axis, along, half = 1, p.X, float32(n.field.HalfX)
	}
	if wall.Axis(axis) < 0 {
		side = 1
	}
	g := &n.field.Walls
	cols := g.Cols / 4
	color := n.wall
	stepX, stepY := f.Steps(d, wall, toWall)
	share := p.Z / height
	if n.room.picture != nil && share >= 0 {
		color = n.room.picture.At(p, wall, share, stepX, stepY)
	}
	lit := onFace(g, (2*axis+side)*cols, cols, along/(2*half)+0.5, share, all).Times(color)
	cover := rowCover(&n.field.WindowRows[axis], along, stepX.Axis(1-axis), stepY.Axis(1-axis))
	low, high := float32(n.field.WindowLow), float32(n.field.WindowHigh)
	cover *= stripCover(p.Z-(low+high)/2, (high-low)/2, stepX.Z, stepY.Z)
	return lit.Add(rays.Vec32(n.field.Emits[light.Windows]).Mul(cover)), toWall
}

// rowCover returns the fraction of a pixel's footprint around x that the strips of a row cover. See stripCover for a
// and b.
func rowCover(r *light.Row, x, a, b float32) float32 {
	i := rays.Floor((x-float32(r.First))/float32(r.Pitch) + 0.5)
	i = min(max(i, 0), float32(r.N-1))
	return stripCover(x-float32(r.First)-i*float32(r.Pitch), float32(r.Half), a, b)
}

// stripCover returns the fraction of a pixel's footprint around x that lies between −reach and reach. The footprint is
// a parallelogram. Its two sides extend over a and b along x. Its exact shape matters, because lamps and windows are so
// bright. The distribution of its area along x is the convolution of two boxes, and the integral of this distribution
// consists of parabolas.
func stripCover(x, reach, a, b float32) float32 {
	a, b = rays.Abs(a), rays.Abs(b)
	least := (a+b)/16 + 1e-5 // a smaller width would exceed single precision
	a, b = max(a, least), max(b, least)
	half, flat := (a+b)/2, (a-b)/2
	upTo := func(x float32) float32 {
		x = min(max(x, -half), half)
		all, rise, fall := x+half, max(x+flat, 0), max(x-flat, 0)
		return all*all - rise*rise - fall*fall
	}
	return (upTo(x+reach) - upTo(x-reach)) / (2 * a * b)
}

// radiance returns the light that a surface reflects along a ray.
func (n *natural) radiance(h *hit, o, d rays.Vec, f *rays.Fan) rays.Vec {
	normal := h.frame.Rot.Apply(h.surface.Normal(&h.m)).Unit()
	p := o.Add(d.Mul(h.m.T))
	mat := h.material
	color := h.color(d, f)
	open := &n.open[h.body][h.surface.Part]
	probe := n.field.Probe(p.In64())
	from := func(v rays.Vec, received mgl32.Vec3) rays.Vec {
		inB := h.frame.Rot.Back(v)
		return rays.Vec32(received).Mul(open.Share(mgl32.Vec3{inB.X, inB.Y, inB.Z}))
	}

	light := color.Times(from(normal, probe.Received(mgl32.Vec3{normal.X, normal.Y, normal.Z}, p.Z)))
	if mat.f0 == (rays.Vec{}) && !mat.metal {
		return light
	}
	facing := max(-normal.Dot(d), 0)
	up, mirrored := mat.layer(facing), d.Add(normal.Mul(2*facing))
	reflected := probe.Mirrored(mgl32.Vec3{mirrored.X, mirrored.Y, mirrored.Z}, p.Z, mat.sharper[0], mat.sharper[1])
	if mat.metal {
		light = rays.Vec{}
	}
	return light.Times(rays.V(1-up.X, 1-up.Y, 1-up.Z)).Add(up.Times(from(mirrored, reflected)))
}

// layer returns the fraction of light that the surface layer reflects, for the direction's cosine to the normal.
// Source: Karis, "Physically based shading on mobile", 2014. It is a fit of the reflection of GGX, which leaves the
// range from 0 to 1 by a few percent.
func (m *material) layer(cos float32) rays.Vec {
	r0, r1, r2, r3 := 1-m.roughness, 0.0425-0.0275*m.roughness, 1.04-0.572*m.roughness, 0.022*m.roughness-0.04
	a := min(r0*r0, float32(math.Exp2(float64(-9.28*cos))))*r0 + r1
	scale, bias := -1.04*a+r2, 1.04*a+r3
	return rays.V(rays.Clamp01(m.f0.X*scale+bias), rays.Clamp01(m.f0.Y*scale+bias), rays.Clamp01(m.f0.Z*scale+bias))
}

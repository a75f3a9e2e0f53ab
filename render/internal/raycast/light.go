package raycast

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// Constants of shadows. The shaders of package gl have the same constants.
const (
	bodyStep = 0.014 // metres by which a surface is moved along its normal, so that it does not shade itself
	atFloor  = 0.55  // fraction of the ambient light that reaches bodies at the floor
)

// lights is the light at one instant. It includes maps over the floor. A point in space belongs to the texel where the
// lamp's ray through it meets the floor. The maps hold the height up to which bodies block the rays, and the fractions
// of the lamp's and of the ambient light that reach the floor.
type lights struct {
	toLamp, lamp, sky, bounce, background rays.Vec
	tube                                  rays.Vec // radiance of pixels that the optics do not image
	ring                                  rays.Vec // of a mirror's edge
	spots                                 []render.PointLamp
	// radiances that glossy surfaces reflect from below and from the sides
	mirrorFloor, wall rays.Vec
	slopeX, slopeY    float32
	x0, y0, perMetre  float32 // of the map
	width, height     int
	shadowless        bool
	shaded            bool // whether the map static contains the shadows of static bodies
	static, current   lightMap
	dirty             []rect // rectangles where the map current differs from the map static
	kernel            []render.Tap
	natural           *natural // nil for plain light
}

type lightMap struct {
	heights []float32
	direct  []uint8 // fraction of the lamp's light; 255 is all
	around  []uint8 // fraction of the ambient light; 255 is all
}

type rect struct{ x0, y0, x1, y1 int } // half open

func newLights(s *render.Scene) *lights {
	sx, sy := s.Floor.SizeX+2*render.ShadowMargin, s.Floor.SizeY+2*render.ShadowMargin
	texel := math.Max(sx, sy) / render.ShadowTexels
	g := &lights{
		shadowless: s.Light.Shadowless, perMetre: float32(1 / texel),
		width: int(math.Ceil(sx / texel)), height: int(math.Ceil(sy / texel)),
	}
	g.x0, g.y0 = float32(g.width)/2, float32(g.height)/2
	g.static.init(g.width * g.height)
	g.current.init(g.width * g.height)
	g.kernel = render.Softening()
	g.shade(&s.Shading, &s.Floor)
	return g
}

func (m *lightMap) init(n int) {
	m.heights, m.direct, m.around = make([]float32, n), make([]uint8, n), make([]uint8, n)
	m.light()
}

// light sets the map to full light, without any shadow.
func (m *lightMap) light() {
	for i := range m.heights {
		m.heights[i], m.direct[i], m.around[i] = 0, 255, 255
	}
}

// shade sets the light of a shading, on a floor. If the lamp's direction changed, all shadows are recomputed.
func (g *lights) shade(s *render.Shading, floor *render.Floor) {
	l, toLamp := &s.Light, g.toLamp
	g.toLamp, g.lamp, g.sky, g.bounce, g.background = rays.Vec32(l.DirectionW), rays.Vec32(l.Lamp), rays.Vec32(l.Sky),
		rays.Vec32(l.Bounce), rays.Vec32(l.Background)
	g.spots, g.wall, g.tube = l.Spots, rays.Vec32(l.Wall), rays.Vec32(l.Tube)
	g.ring = rays.Vec32(l.Ring())
	g.mirrorFloor = rays.Vec32(floor.Reflectance(s.Carpet)).Times(g.lamp.Mul(g.toLamp.Z).Add(g.sky))
	g.slopeX, g.slopeY = 0, 0
	if d := l.DirectionW; d[2] > 1e-3 {
		g.slopeX, g.slopeY = d[0]/d[2], d[1]/d[2]
	}
	if g.toLamp != toLamp && g.shaded {
		g.shaded = false
		g.static.light()
	}
}

// shadeStatic computes the shadows of static bodies, once.
func (g *lights) shadeStatic(m *model, frames []rays.Frame) {
	if g.shaded {
		return
	}
	g.shaded, g.dirty = true, nil
	rects := g.drawHeights(&g.static, m, frames, true)
	for _, r := range rects {
		g.soften(&g.static, r)
	}
	copy(g.current.heights, g.static.heights)
	copy(g.current.direct, g.static.direct)
	copy(g.current.around, g.static.around)
}

// shadeMoving adds the shadows of moving bodies. The last argument is a function that must call the function that is
// passed to it with every index from 0 to n − 1. It may do so in parallel.
func (g *lights) shadeMoving(m *model, frames []rays.Frame, each func(n int, do func(i int))) {
	for _, r := range g.dirty {
		for y := r.y0; y < r.y1; y++ {
			i, j := y*g.width+r.x0, y*g.width+r.x1
			copy(g.current.heights[i:j], g.static.heights[i:j])
			copy(g.current.direct[i:j], g.static.direct[i:j])
			copy(g.current.around[i:j], g.static.around[i:j])
		}
	}
	g.dirty = g.drawHeights(&g.current, m, frames, false)
	y0, y1 := g.height, 0
	for _, r := range g.dirty {
		y0, y1 = min(y0, r.y0), max(y1, r.y1)
	}
	// The work is divided by rows, because rectangles overlap, and a texel must not have two writers.
	each(max(y1-y0, 0), func(i int) {
		for _, r := range g.dirty {
			if y := y0 + i; y >= r.y0 && y < r.y1 {
				g.soften(&g.current, rect{r.x0, y, r.x1, y + 1})
			}
		}
	})
}

// drawHeights draws the heights of bodies into a map, and returns the rectangles that the bodies shade.
func (g *lights) drawHeights(to *lightMap, m *model, frames []rays.Frame, static bool) (rects []rect) {
	if g.shadowless {
		return nil
	}
	for i := range m.objects {
		o := &m.objects[i]
		if o.static != static || len(o.solid.Triangles) == 0 {
			continue
		}
		f := &frames[o.body]
		for k := range o.solid.Triangles {
			c := o.solid.Triangles[k].Corners()
			g.drawTriangle(to, f.Place(c[0]), f.Place(c[1]), f.Place(c[2]))
		}
		if r := g.shadedRect(&o.box, f); r.x0 < r.x1 && r.y0 < r.y1 {
			rects = append(rects, r)
		}
	}
	return rects
}

// texelAt returns the position in the map, in texels, where the lamp's ray through a point in W meets the floor. Texel
// (0, 0) extends from 0 to 1.
func (g *lights) texelAt(p rays.Vec) (x, y float32) {
	return (p.X-p.Z*g.slopeX)*g.perMetre + g.x0, (p.Y-p.Z*g.slopeY)*g.perMetre + g.y0
}

// shadedRect returns the rectangle of texels that a box shades after softening.
func (g *lights) shadedRect(b *rays.Bounds, f *rays.Frame) rect {
	x0, y0, x1, y1 := rays.Never, rays.Never, -rays.Never, -rays.Never
	for i := range 8 {
		x, y := g.texelAt(f.Place(b.Corner(i)))
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	return rect{
		max(int(rays.Floor(x0))-render.SofteningReach, 0), max(int(rays.Floor(y0))-render.SofteningReach, 0),
		min(int(x1)+1+render.SofteningReach, g.width), min(int(y1)+1+render.SofteningReach, g.height),
	}
}

// drawTriangle raises the heights in a map to those of a triangle, where the triangle is higher. It does so only if the
// triangle's front faces the lamp.
func (g *lights) drawTriangle(to *lightMap, a, b, c rays.Vec) {
	ax, ay := g.texelAt(a)
	bx, by := g.texelAt(b)
	cx, cy := g.texelAt(c)
	area := (bx-ax)*(cy-ay) - (by-ay)*(cx-ax)
	if area <= 0 {
		return
	}
	// A triangle covers a texel if it covers the texel's centre.
	x0, x1 := max(int(rays.Floor(min(ax, bx, cx)+0.5)), 0), min(int(rays.Floor(max(ax, bx, cx)-0.5)), g.width-1)
	y0, y1 := max(int(rays.Floor(min(ay, by, cy)+0.5)), 0), min(int(rays.Floor(max(ay, by, cy)-0.5)), g.height-1)
	inv := 1 / area
	for y := y0; y <= y1; y++ {
		py := float32(y) + 0.5
		for x := x0; x <= x1; x++ {
			px := float32(x) + 0.5
			u := ((px-ax)*(cy-ay) - (py-ay)*(cx-ax)) * inv
			v := ((bx-ax)*(py-ay) - (by-ay)*(px-ax)) * inv
			if u < 0 || v < 0 || u+v > 1 {
				continue
			}
			h := a.Z + u*(b.Z-a.Z) + v*(c.Z-a.Z)
			if i := y*g.width + x; h > to.heights[i] {
				to.heights[i] = h
			}
		}
	}
}

// soften computes the fractions of light that reach the floor, in a rectangle of the map.
func (g *lights) soften(to *lightMap, r rect) {
	for y := r.y0; y < r.y1; y++ {
		for x := r.x0; x < r.x1; x++ {
			direct, around := float32(0), float32(0) // shaded fractions
			for i := range g.kernel {
				t := &g.kernel[i]
				cx, cy := min(max(x+t.DX, 0), g.width-1), min(max(y+t.DY, 0), g.height-1)
				if to.heights[cy*g.width+cx] > render.FloorStep {
					direct += t.Lamp
					around += t.Ambient
				}
			}
			i := y*g.width + x
			to.direct[i] = uint8(255*(1-direct) + 0.5)
			to.around[i] = uint8(255*(1-(1-render.UnderShadow)*around) + 0.5)
		}
	}
}

// onFloor returns the irradiance of a point on the floor, over π.
func (g *lights) onFloor(x, y float32) rays.Vec {
	u, v := x*g.perMetre+g.x0-0.5, y*g.perMetre+g.y0-0.5
	fu, fv := rays.Floor(u), rays.Floor(v)
	x0, y0 := min(max(int(fu), 0), g.width-1), min(max(int(fv), 0), g.height-1)
	x1, y1 := min(max(int(fu)+1, 0), g.width-1), min(max(int(fv)+1, 0), g.height-1)
	u, v = u-fu, v-fv
	a, b, c, d := y0*g.width+x0, y0*g.width+x1, y1*g.width+x0, y1*g.width+x1
	m := &g.current
	direct, around := float32(1), float32(1)
	if m.direct[a]&m.direct[b]&m.direct[c]&m.direct[d]&m.around[a]&m.around[b]&m.around[c]&m.around[d] != 255 {
		mix := func(t []uint8) float32 {
			top := float32(t[a])*(1-u) + float32(t[b])*u
			low := float32(t[c])*(1-u) + float32(t[d])*u
			return (top*(1-v) + low*v) / 255
		}
		direct, around = mix(m.direct), mix(m.around)
	}
	return g.pointLamps(rays.V(x, y, 0), rays.V(0, 0, 1)).Add(g.sky).Mul(around).Add(g.lamp.Mul(g.toLamp.Z * direct))
}

// pointLamps returns the irradiance of a surface from the nearby lamps.
func (g *lights) pointLamps(p, normal rays.Vec) rays.Vec {
	var sum rays.Vec
	for i := range g.spots {
		to := rays.Vec32(g.spots[i].PosW).Sub(p)
		d2 := to.Dot(to)
		sum = sum.Add(rays.Vec32(g.spots[i].Light).Mul(max(normal.Dot(to), 0) / (d2 * rays.Sqrt(d2))))
	}
	return sum
}

// lampShare returns the fraction of the lamp's light that reaches a point of a body.
func (g *lights) lampShare(p, normal rays.Vec) float32 {
	p = p.Add(normal.Mul(bodyStep))
	x, y := g.texelAt(p)
	x, y = x-0.5, y-0.5
	fx, fy := rays.Floor(x), rays.Floor(y)
	top := p.Z + bodyStep
	at := func(x, y int) float32 {
		x, y = min(max(x, 0), g.width-1), min(max(y, 0), g.height-1)
		if g.current.heights[y*g.width+x] <= top {
			return 1
		}
		return 0
	}
	u, v := x-fx, y-fy
	i, j := int(fx), int(fy)
	return (at(i, j)*(1-u)+at(i+1, j)*u)*(1-v) + (at(i, j+1)*(1-u)+at(i+1, j+1)*u)*v
}

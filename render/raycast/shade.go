package raycast

import "github.com/omnipitch/omnipitch/render"

// hit is the intersection of a ray with a surface.
type hit struct {
	surface *surface
	frame   *frame
	m       intersection
}

// radiance returns the light that a surface sends back along a ray of unit direction d from o, W; f are the differences to the next
// pixels' directions.
func (g *lights) radiance(h *hit, o, d vec, f *fan) vec {
	s := h.surface
	w := 1 - h.m.u - h.m.v
	n := h.frame.rot.apply(s.normal[0].mul(w).add(s.normal[1].mul(h.m.u)).add(s.normal[2].mul(h.m.v))).unit()
	p := o.add(d.mul(h.m.t))
	mat := s.material
	color := mat.color
	if mat.pattern == render.SoccerBall {
		color = ballColor(h, p, d, f)
	}
	// Near the floor, less ambient light arrives.
	around := g.bounce.mix(g.sky, 0.5+0.5*n.z).mul((atFloor + (1-atFloor)*clamp01(p.z/render.NearFloor)) * (1 - mat.gloss))
	around = around.add(g.pointLamps(p, n).mul(1 - mat.gloss))
	toLamp := g.lamp.mul(max(n.dot(g.toLamp), 0))
	// The lamp's highlight, and the reflection of carpet below and hall above.
	facing := -n.dot(d)
	r := d.add(n.mul(2 * facing))
	k := 1 - max(facing, 0)
	fresnel := mat.gloss + (1-mat.gloss)*0.25*mat.gloss*k*k*k*k*k
	around = color.times(around)
	if fresnel > 0 {
		up := smoothstep(-0.05, 0.05, r.z)
		around = around.add(g.mirrorFloor.mix(g.wall.mix(g.background, clamp01(r.z)), up).mul(fresnel))
	}
	direct := color.times(toLamp).mul(1 - mat.gloss)
	if half := g.toLamp.sub(d); fresnel > 0 {
		highlight := fresnel * pow(max(n.dot(half.unit()), 0), mat.shininess) * (mat.shininess + 8) / 25
		direct = direct.add(toLamp.mul(highlight))
	}
	if direct == (vec{}) {
		return around
	}
	return around.add(direct.mul(g.lampShare(p, n)))
}

// fan is the differences of the directions of the next pixel on the right, and of the next below, from a pixel's.
type fan struct{ dx, dy vec }

// steps returns the differences of the points of the next pixels on a plane that a ray hits at the distance t.
func (f *fan) steps(d, normal vec, t float32) (x, y vec) {
	k := 1 / normal.dot(d)
	x = f.dx.sub(d.mul(normal.dot(f.dx) * k)).mul(t)
	y = f.dy.sub(d.mul(normal.dot(f.dy) * k)).mul(t)
	return x, y
}

// place returns a hit's position in the mesh's frame and its steps to the next pixels.
func (h *hit) place(d vec, f *fan) (p, dx, dy vec) {
	s := h.surface
	e1, e2 := s.place[1].sub(s.place[0]), s.place[2].sub(s.place[0])
	p = s.place[0].add(e1.mul(h.m.u)).add(e2.mul(h.m.v))
	x, y := f.steps(d, h.frame.rot.apply(s.flat), h.m.t)
	// Only the steps' lengths and their directions in the triangle's plane count.
	return p, s.intoMesh(h.frame.rot.back(x)), s.intoMesh(h.frame.rot.back(y))
}

// intoMesh transforms a vector in the triangle's plane from the body's frame into the mesh's.
func (s *surface) intoMesh(v vec) vec {
	return s.place[1].sub(s.place[0]).mul(s.toU.dot(v)).add(s.place[2].sub(s.place[0]).mul(s.toV.dot(v)))
}

// ballColor returns the colour of a truncated icosahedron. The cosines to the twelve pentagons' centres decide: a pentagon ends where the
// sum of the second and third largest exceeds 1.32235 times the largest, because its corners lie at a third of the icosahedron's edges.
func ballColor(h *hit, p, d vec, f *fan) vec {
	at, dx, dy := h.place(d, f)
	edge := pentagon(at)
	w := max(abs(pentagon(at.add(dx))-edge)+abs(pentagon(at.add(dy))-edge), 1e-4)
	m := h.surface.material
	return m.color2.mix(m.color, clamp01(edge/w+0.5))
}

// pentagon is negative inside the pentagons of a ball, by the direction from its centre.
func pentagon(p vec) float32 {
	const a, b = 0.5257311, 0.8506508
	d := p.unit()
	first, second, third := float32(-1), float32(-1), float32(-1)
	for _, c := range [6]float32{a*d.x + b*d.y, a*d.x - b*d.y, a*d.y + b*d.z, a*d.y - b*d.z, a*d.z + b*d.x, a*d.z - b*d.x} {
		c = abs(c) // the opposite centre is as far from the other side
		switch {
		case c > first:
			first, second, third = c, first, second
		case c > second:
			second, third = c, second
		case c > third:
			third = c
		}
	}
	return second + third - 1.32235*first
}

// A net's threads are 4 mm thick every 8 cm, both ways.
const netPitch, netThread = 0.08, 0.004

// netCover returns the share of a pixel that a net's threads cover.
func netCover(h *hit, d vec, f *fan) float32 {
	p, dx, dy := h.place(d, f)
	// In the plane, of the mesh's three, that the normal is closest to.
	n := h.surface.place[1].sub(h.surface.place[0]).cross(h.surface.place[2].sub(h.surface.place[0]))
	x, y, z := abs(n.x), abs(n.y), abs(n.z)
	var i, j int
	switch {
	case x >= y && x >= z:
		i, j = 1, 2
	case y >= z:
		i, j = 0, 2
	default:
		i, j = 0, 1
	}
	cover := func(axis int) float32 {
		w := max(abs(dx.axis(axis))+abs(dy.axis(axis)), 1e-5)
		lo, hi := (p.axis(axis)-w/2)/netPitch, (p.axis(axis)+w/2)/netPitch
		full := func(q float32) float32 { return floor(q)*netThread + min((q-floor(q))*netPitch, netThread) }
		return clamp01((full(hi) - full(lo)) / w)
	}
	return 1 - (1-cover(i))*(1-cover(j))
}

package raycast

import (
	"math"
	"reflect"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// tileSize is the side of a tile, pixels: what is culled as one, and one thread's portion of work.
const tileSize = 16

// eye is where a camera's pixels look. It is computed once for a camera model.
type eye struct {
	model         optics.Model
	width, height int
	cols, rows    int
	dir           []vec     // of each pixel, in the optical frame, unit length; zero where it sees nothing
	origin        []vec     // of each ray; nil when all are the viewpoint
	natural       []float32 // cos⁴ of the angle to the real camera's axis
	cones         []cone    // of each tile
	rimU, rimV    float32   // of a mirror's image: its centre
	rim           float32   // and radius, pixels; 0 without
	aspect        float32   // pixels along v for one along u
}

// cone holds all rays of a tile.
type cone struct {
	axis   vec
	cos    float32 // of its half angle
	sin    float32
	spread float32 // metres, by which origins lie off the optical frame's
	blind  bool    // no pixel sees anything
}

func newEye(m optics.Model) *eye {
	rays := optics.NewRayMap(m)
	e := &eye{model: m, width: rays.Width, height: rays.Height}
	e.cols, e.rows = (e.width+tileSize-1)/tileSize, (e.height+tileSize-1)/tileSize
	n := e.width * e.height
	e.dir = make([]vec, n)
	for i := range n {
		e.dir[i] = vec64(mgl64.Vec3(rays.Dir[3*i : 3*i+3]))
	}
	if rays.Origin != nil {
		e.origin = make([]vec, n)
		for i := range n {
			e.origin[i] = vec64(mgl64.Vec3(rays.Origin[3*i : 3*i+3]))
		}
	}
	cu, cv, fu, fv := optics.Paraxial(m)
	e.natural = make([]float32, n)
	for i := range n {
		x, y := (float64(i%e.width)-cu)/fu, (float64(i/e.width)-cv)/fv
		c2 := 1 / (1 + x*x + y*y)
		e.natural[i] = float32(c2 * c2)
	}
	if mirror, ok := m.(interface{ RimPixels() float64 }); ok {
		e.rimU, e.rimV, e.rim, e.aspect = float32(cu), float32(cv), float32(mirror.RimPixels()), float32(fv/fu)
	}
	e.cones = make([]cone, e.cols*e.rows)
	for i := range e.cones {
		e.cones[i] = e.cone(e.tile(i))
	}
	return e
}

// tile returns the pixels of a tile.
func (e *eye) tile(i int) rect {
	x, y := i%e.cols*tileSize, i/e.cols*tileSize
	return rect{x, y, min(x+tileSize, e.width), min(y+tileSize, e.height)}
}

func (e *eye) cone(r rect) cone {
	var sum vec
	c := cone{cos: 1, blind: true}
	visit := func(f func(i int)) {
		for y := r.y0; y < r.y1; y++ {
			for x := r.x0; x < r.x1; x++ {
				if i := y*e.width + x; e.dir[i] != (vec{}) {
					f(i)
				}
			}
		}
	}
	visit(func(i int) {
		sum = sum.add(e.dir[i])
		c.blind = false
		if e.origin != nil {
			c.spread = max(c.spread, e.origin[i].len())
		}
	})
	if c.blind || sum.len() < 1e-3 {
		c.cos, c.sin = -1, 0
		return c
	}
	c.axis = sum.unit()
	visit(func(i int) { c.cos = min(c.cos, c.axis.dot(e.dir[i])) })
	// Sub-pixel rays reach half a pixel farther.
	angle := math.Min(math.Acos(float64(min(c.cos, 1)))*1.15, math.Pi)
	c.cos, c.sin = float32(math.Cos(angle)), float32(math.Sin(angle))
	return c
}

// meets tells whether any ray of the cone may meet a sphere, its centre given in the optical frame.
func (c *cone) meets(centre vec, radius float32) bool {
	radius += c.spread
	d := centre.len()
	if d <= radius {
		return true
	}
	// The sphere fills a cone with the half angle b, sin b = radius/d; the axes must lie within the sum of both.
	sinB := radius / d
	cosB := sqrt(1 - sinB*sinB)
	cosSum := c.cos*cosB - c.sin*sinB
	if c.sin*cosB+c.cos*sinB < 0 { // the sum is more than half a turn
		return true
	}
	return c.axis.dot(centre) >= cosSum*d
}

// fan returns how the ray of pixel i differs from its neighbours'. At an edge of what is seen it is taken from the
// other side.
func (e *eye) fan(i int) fan {
	d := e.dir[i]
	x, y := i%e.width, i/e.width
	step := func(forward, back bool, by int) vec {
		if forward && e.dir[i+by] != (vec{}) {
			return e.dir[i+by].sub(d)
		}
		if back && e.dir[i-by] != (vec{}) {
			return d.sub(e.dir[i-by])
		}
		return vec{}
	}
	return fan{step(x+1 < e.width, x > 0, 1), step(y+1 < e.height, y > 0, e.width)}
}

// maxEyes is how many camera models are kept: more than a world has. A window that changes its size would go on making
// new ones.
const maxEyes = 64

// eyes are the camera models that have been seen through, the newest last.
type eyes struct{ all []*eye }

func (es *eyes) of(m optics.Model) *eye {
	for _, e := range es.all {
		if reflect.DeepEqual(e.model, m) {
			return e
		}
	}
	if len(es.all) == maxEyes {
		es.all = slices.Delete(es.all, 0, 1)
	}
	e := newEye(m)
	es.all = append(es.all, e)
	return e
}

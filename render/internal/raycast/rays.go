package raycast

import (
	"math"
	"reflect"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/optics"
)

// tileSize is the side of a tile, pixels: the unit of culling and of work of a goroutine.
const tileSize = 16

// pixelRays holds the rays of a camera's pixels. They are computed once per camera model.
type pixelRays struct {
	model         optics.Model
	width, height int
	cols, rows    int
	// direction of each pixel, in the optical frame, unit length; zero if the optics do not image the pixel
	dir        []rays.Vec
	origin     []rays.Vec // origin of each pixel's ray, in the optical frame; nil for a single viewpoint
	natural    []float32  // natural vignetting of each pixel: cos⁴ of the angle to the real camera's axis
	cones      []cone     // by tile
	rimU, rimV float32    // centre of a mirror's image
	rim        float32    // radius of the mirror's image, pixels; 0 without a mirror
	aspect     float32    // pixels along v per pixel along u
}

// cone is a cone that contains all rays of a tile.
type cone struct {
	axis   rays.Vec
	cos    float32 // of its half angle
	sin    float32
	spread float32 // largest distance of the rays' origins from the origin of the optical frame, metres
	empty  bool    // whether no pixel shows anything
}

func newPixelRays(m optics.Model) *pixelRays {
	table := optics.NewRayMap(m)
	e := &pixelRays{model: m, width: table.Width, height: table.Height}
	e.cols, e.rows = (e.width+tileSize-1)/tileSize, (e.height+tileSize-1)/tileSize
	n := e.width * e.height
	e.dir = make([]rays.Vec, n)
	for i := range n {
		e.dir[i] = rays.Vec64(mgl64.Vec3(table.Dir[3*i : 3*i+3]))
	}
	if table.Origin != nil {
		e.origin = make([]rays.Vec, n)
		for i := range n {
			e.origin[i] = rays.Vec64(mgl64.Vec3(table.Origin[3*i : 3*i+3]))
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
func (e *pixelRays) tile(i int) rect {
	x, y := i%e.cols*tileSize, i/e.cols*tileSize
	return rect{x, y, min(x+tileSize, e.width), min(y+tileSize, e.height)}
}

func (e *pixelRays) cone(r rect) cone {
	var sum rays.Vec
	c := cone{cos: 1, empty: true}
	visit := func(f func(i int)) {
		for y := r.y0; y < r.y1; y++ {
			for x := r.x0; x < r.x1; x++ {
				if i := y*e.width + x; e.dir[i] != (rays.Vec{}) {
					f(i)
				}
			}
		}
	}
	visit(func(i int) {
		sum = sum.Add(e.dir[i])
		c.empty = false
		if e.origin != nil {
			c.spread = max(c.spread, e.origin[i].Len())
		}
	})
	if c.empty || sum.Len() < 1e-3 {
		c.cos, c.sin = -1, 0
		return c
	}
	c.axis = sum.Unit()
	visit(func(i int) { c.cos = min(c.cos, c.axis.Dot(e.dir[i])) })
	// The rays of samples extend half a pixel farther than those of pixels' centres.
	angle := math.Min(math.Acos(float64(min(c.cos, 1)))*1.15, math.Pi)
	c.cos, c.sin = float32(math.Cos(angle)), float32(math.Sin(angle))
	return c
}

// intersect reports whether a ray of the cone may meet a sphere. The centre of the sphere is in the optical frame.
func (c *cone) intersect(centre rays.Vec, radius float32) bool {
	radius += c.spread
	d := centre.Len()
	if d <= radius {
		return true
	}
	// The sphere fills a cone with the half angle b, where sin b = radius/d. If a ray meets the sphere, the angle
	// between the axes of the two cones is at most the sum of their half angles.
	sinB := radius / d
	cosB := rays.Sqrt(1 - sinB*sinB)
	cosSum := c.cos*cosB - c.sin*sinB
	if c.sin*cosB+c.cos*sinB < 0 { // the sum of the half angles exceeds half a turn
		return true
	}
	return c.axis.Dot(centre) >= cosSum*d
}

// fan returns the differences between the direction of pixel i and the directions of the next pixels on the right and
// below. At the image's edge it uses the previous pixels instead.
func (e *pixelRays) fan(i int) rays.Fan {
	d := e.dir[i]
	x, y := i%e.width, i/e.width
	step := func(forward, back bool, by int) rays.Vec {
		if forward && e.dir[i+by] != (rays.Vec{}) {
			return e.dir[i+by].Sub(d)
		}
		if back && e.dir[i-by] != (rays.Vec{}) {
			return d.Sub(e.dir[i-by])
		}
		return rays.Vec{}
	}
	return rays.Fan{DX: step(x+1 < e.width, x > 0, 1), DY: step(y+1 < e.height, y > 0, e.width)}
}

// maxCached is the number of camera models whose rays are cached. It is more than a world has. A window needs a new
// model whenever it is resized.
const maxCached = 64

// rayCache caches the rays of camera models, newest last.
type rayCache struct{ all []*pixelRays }

func (rc *rayCache) get(m optics.Model) *pixelRays {
	for _, e := range rc.all {
		if reflect.DeepEqual(e.model, m) {
			return e
		}
	}
	if len(rc.all) == maxCached {
		rc.all = slices.Delete(rc.all, 0, 1)
	}
	e := newPixelRays(m)
	rc.all = append(rc.all, e)
	return e
}

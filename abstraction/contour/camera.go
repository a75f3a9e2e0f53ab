package contour

import (
	"math"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Camera is a camera model prepared for contours. It is immutable and shared by cameras of one model.
type Camera struct {
	model         optics.Model
	width, height int
	pinhole       optics.Pinhole
	straight      bool          // true for a pinhole, which images straight lines as straight lines
	sides         [4]mgl64.Vec3 // only for a pinhole: inward normals of the planes through the image's edges
	axis          mgl64.Vec3    // centre of the imaged directions
	reach         float64       // largest imaged angle from axis, rad
	resolution    resolution
	vertical      func() *scanLines
	radial        func() *scanLines
}

// NewCamera prepares a camera's model.
func NewCamera(m optics.Model) *Camera {
	c := &Camera{model: m}
	c.vertical, c.radial = sync.OnceValue(func() *scanLines { return c.newScanLines(false) }),
		sync.OnceValue(func() *scanLines { return c.newScanLines(true) })
	c.width, c.height = m.Size()
	if c.pinhole, c.straight = m.(optics.Pinhole); c.straight {
		p := &c.pinhole
		left, right := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
		top, bottom := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
		c.sides = [4]mgl64.Vec3{{1, 0, -left}, {-1, 0, right}, {0, 1, -top}, {0, -1, bottom}}
		for i := range c.sides {
			c.sides[i] = c.sides[i].Normalize()
		}
		c.axis, c.resolution[0] = mgl64.Vec3{0, 0, 1}, math.Max(p.FX, p.FY)
		return c
	}
	const step = 8 // pixels
	var dirs []mgl64.Vec3
	var perRad []float64
	for v := 0; v < c.height; v += step {
		for u := 0; u < c.width; u += step {
			d, ok := m.Unproject(float64(u), float64(v))
			if !ok {
				continue
			}
			most := 0.0
			for _, beside := range [2][2]float64{{1, 0}, {0, 1}} {
				if e, ok := m.Unproject(float64(u)+beside[0], float64(v)+beside[1]); ok {
					most = math.Max(most, 1/math.Max(e.Sub(d).Len(), 1e-6))
				}
			}
			dirs, perRad = append(dirs, d), append(perRad, most)
		}
	}
	for _, d := range dirs {
		c.axis = c.axis.Add(d)
	}
	if l := c.axis.Len(); l > 0 {
		c.axis = c.axis.Mul(1 / l)
	}
	const margin = 0.05 // rad; covers the directions between the sampled ones
	for i, d := range dirs {
		off := math.Acos(math.Max(-1, math.Min(1, d.Dot(c.axis))))
		c.reach = math.Max(c.reach, off+margin)
		r := &c.resolution[angleStep(off)]
		*r = math.Max(*r, perRad[i])
	}
	return c
}

// resolution is the largest number of pixels per radian as a function of the angle from a camera's axis, in equal steps
// from 0 to π. A pinhole uses the first step for all angles.
type resolution [64]float64

// angleStep returns the index of the step that contains an angle in rad.
func angleStep(angle float64) int {
	const steps = len(resolution{})
	return min(max(int(angle*float64(steps)/math.Pi), 0), steps-1)
}

// between returns the largest resolution between two angles in rad.
func (r *resolution) between(from, to float64) float64 {
	most := 0.0
	for i := angleStep(from); i <= angleStep(to); i++ {
		most = math.Max(most, r[i])
	}
	return most
}

// sphereInView reports whether a sphere, in C, may be in the image, and returns the largest number of pixels per radian
// there.
func (c *Camera) sphereInView(centre *mgl64.Vec3, radius float64) (perRad float64, ok bool) {
	if c.straight {
		if centre[2] < -radius {
			return 0, false
		}
		for i := range c.sides {
			if dot(&c.sides[i], centre) < -radius {
				return 0, false
			}
		}
		return c.resolution[0], true
	}
	d := centre.Len()
	if d <= radius {
		return c.resolution.between(0, math.Pi), true
	}
	off, half := math.Acos(math.Max(-1, math.Min(1, dot(centre, &c.axis)/d))), math.Asin(radius/d)
	return c.resolution.between(off-half, off+half), off <= c.reach+half
}

// nearest is the smallest depth that a pinhole images, m.
const nearest = 1e-3

// point is a point in C and its pixel.
type point struct {
	at   *mgl64.Vec3
	u, v float64
	row  int32 // first row of pixels at or below the point; set when the point is added to a contour
	ok   bool  // the camera images the point; if false, u and v are at the border of the imaged directions
}

// projectAll sets the pixels of points in C.
func (c *Camera) projectAll(at []mgl64.Vec3, into []optics.Pixel) {
	if !c.straight {
		optics.ProjectAll(c.model, at, into)
		return
	}
	k := &c.pinhole
	for i := range at {
		p, z := &at[i], at[i][2]
		into[i] = optics.Pixel{U: k.CX + k.FX*p[0]/z, V: k.CY + k.FY*p[1]/z, OK: z >= nearest}
	}
}

// project sets a point's pixel.
func (c *Camera) project(p *point) {
	if c.straight {
		if p.ok = p.at[2] >= nearest; p.ok {
			p.u, p.v = c.pinhole.CX+c.pinhole.FX*p.at[0]/p.at[2], c.pinhole.CY+c.pinhole.FY*p.at[1]/p.at[2]
			return
		}
	} else if p.u, p.v, p.ok = c.model.Project(*p.at); p.ok {
		return
	}
	c.toBorder(p)
}

// toBorder sets the pixel of a point that is not imaged: that of the last imaged direction on the way from the centre
// of the image to the point.
func (c *Camera) toBorder(p *point) {
	axis, length := &c.axis, math.Max(p.at.Len(), nearest)
	middle := mgl64.Vec3{axis[0] * length, axis[1] * length, axis[2] * length}
	toX, toY, toZ := p.at[0]-middle[0], p.at[1]-middle[1], p.at[2]-middle[2]
	in, out := 0.0, 1.0
	var at mgl64.Vec3
	for range 16 {
		half := (in + out) / 2
		at[0], at[1], at[2] = middle[0]+toX*half, middle[1]+toY*half, middle[2]+toZ*half
		if c.images(&at) {
			in = half
		} else {
			out = half
		}
	}
	if in > 0 {
		at = mgl64.Vec3{middle[0] + toX*in, middle[1] + toY*in, middle[2] + toZ*in}
		edge := point{at: &at}
		c.project(&edge)
		p.u, p.v = edge.u, edge.v
	}
}

// images reports whether project images a point in C.
func (c *Camera) images(at *mgl64.Vec3) bool {
	if c.straight {
		return at[2] >= nearest
	}
	return optics.Images(c.model, at)
}

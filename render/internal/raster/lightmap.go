package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/light"
)

// LightHeight is the height above which nothing casts shadows, metres.
const LightHeight = 4

// LightMap describes the shadow map of one batch: its position on the floor, and its regions that may be shaded. A
// point in space belongs to the point of the map where the lamp's ray through it meets the floor. Map coordinates are 0
// to 1 along each side.
type LightMap struct {
	Width, Height int        // texels
	Place         [4]float32 // scale in 1/metre and offset that convert the floor's x and y to map coordinates
	Slope         [2]float64 // horizontal displacement of the lamp's rays in x and y per metre of height
	Regions       []Region   // regions shaded by the bodies of the last call of Shade
	Shaded        Shaded     // cells shaded by static bodies, or by the bodies of the last call of Shade
	toLamp        mgl32.Vec3
	staticShaded  Shaded
	shadowMap     *light.ShadowMap // shadow map whose shaded texels tilings use; nil for the shadows of one lamp
}

// Region is a rectangle in a LightMap's coordinates within which a body may affect the light.
type Region struct{ Lo, Hi [2]float64 }

// NewLightMap returns the map of a scene.
func NewLightMap(s *render.Scene) LightMap {
	sx, sy := s.Floor.SizeX+2*render.ShadowMargin, s.Floor.SizeY+2*render.ShadowMargin
	texel := math.Max(sx, sy) / render.ShadowTexels
	m := LightMap{Width: int(math.Ceil(sx / texel)), Height: int(math.Ceil(sy / texel))}
	scale := [2]float64{1 / (texel * float64(m.Width)), 1 / (texel * float64(m.Height))}
	m.Place = [4]float32{float32(scale[0]), float32(scale[1]), 0.5, 0.5}
	m.Aim(s.Light.DirectionW)
	return m
}

// Aim sets the direction towards the lamp: a unit vector in W. It reports whether the direction has changed. In that
// case, all shadows change.
func (m *LightMap) Aim(d mgl32.Vec3) bool {
	changed := d != m.toLamp
	m.toLamp, m.Slope = d, [2]float64{}
	if d[2] > 1e-3 {
		m.Slope = [2]float64{float64(d[0] / d[2]), float64(d[1] / d[2])}
	}
	return changed
}

// Shade computes the Regions that bodies shade: static bodies if static is true, otherwise moving bodies. posesWB are
// the poses of all bodies, in order. Tilings consider the regions of the last call for static bodies and those of the
// last call for moving bodies.
func (m *LightMap) Shade(bodies []Body, posesWB []spatial.Pose, static bool) {
	if static {
		m.Shaded = Shaded{}
	} else {
		m.Shaded = m.staticShaded
	}
	m.Regions = m.Regions[:0]
	for i := range bodies {
		b := &bodies[i]
		if b.Static != static {
			continue
		}
		if b.Radius < 1 { // such a body gets one region
			m.add(&b.Box, posesWB[i])
			continue
		}
		for k := range b.Parts {
			if p := &b.Parts[k]; CastsShadow(p) {
				m.add(&p.Box, posesWB[i])
			}
		}
	}
	if static {
		m.staticShaded = m.Shaded
	}
}

// CastsShadow reports whether a part casts shadows. All parts do, except nets.
func CastsShadow(p *Part) bool { return p.Pattern != render.Net }

// add adds the rectangle of the floor that the shadow of a box may cover.
func (m *LightMap) add(b *Box, poseWB spatial.Pose) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for corner := range 8 {
		p := poseWB.Apply(b.Corner(corner))
		for axis := range lo {
			at := (p[axis]-p[2]*m.Slope[axis])*float64(m.Place[axis]) + float64(m.Place[2+axis])
			lo[axis], hi[axis] = math.Min(lo[axis], at), math.Max(hi[axis], at)
		}
	}
	size := [2]float64{float64(m.Width), float64(m.Height)}
	for axis := range lo {
		lo[axis] = math.Max(lo[axis]-render.SofteningReach/size[axis], 0)
		hi[axis] = math.Min(hi[axis]+render.SofteningReach/size[axis], 1)
		if !(lo[axis] < hi[axis]) { // the rectangle is outside of the map, or NaN, which must not become an index
			return
		}
	}
	m.Shaded.add(lo, hi)
	m.Regions = append(m.Regions, Region{lo, hi})
}

// Texels returns the texels that a region covers: columns x0 to x1 − 1 and rows y0 to y1 − 1.
func (m *LightMap) Texels(r Region) (x0, y0, x1, y1 int) {
	w, h := float64(m.Width), float64(m.Height)
	return int(r.Lo[0] * w), int(r.Lo[1] * h), min(int(r.Hi[0]*w)+1, m.Width), min(int(r.Hi[1]*h)+1, m.Height)
}

// ShadeCells is the number of cells along each side of a LightMap in Shaded.
const ShadeCells = 128

// Shaded marks the cells of a LightMap that may have less than full light. It has one bit per cell, in rows from the
// lowest.
type Shaded [ShadeCells][ShadeCells / 64]uint64

// cell returns the index of the column or row of cells that contains a map coordinate. For a coordinate outside of the
// map it returns the nearest column or row.
func cell(at float64) int { return min(max(int(at*ShadeCells), 0), ShadeCells-1) }

// columns returns a row of Shaded in which the bits of the columns c0 to c1 are set, including c1.
func columns(c0, c1 int) (bits [ShadeCells / 64]uint64) {
	for i := range bits {
		from, to := max(c0-64*i, 0), min(c1-64*i, 63)
		if from <= to {
			bits[i] = ^uint64(0) << from & (^uint64(0) >> (63 - to))
		}
	}
	return bits
}

// add marks the cells that a rectangle touches. The rectangle is in map coordinates.
func (s *Shaded) add(lo, hi [2]float64) {
	bits := columns(cell(lo[0]), cell(hi[0]))
	for y := cell(lo[1]); y <= cell(hi[1]); y++ {
		for i := range bits {
			s[y][i] |= bits[i]
		}
	}
}

// touches reports whether any point of a rectangle may be shaded. The rectangle is in map coordinates.
func (s *Shaded) touches(lo, hi [2]float64) bool {
	bits := columns(cell(lo[0]), cell(hi[0]))
	for y := cell(lo[1]); y <= cell(hi[1]); y++ {
		for i := range bits {
			if s[y][i]&bits[i] != 0 {
				return true
			}
		}
	}
	return false
}

// touches reports whether any point of a rectangle of the floor may be shaded. The rectangle is in metres.
func (m *LightMap) touches(lo, hi [2]float64) bool {
	for axis := range lo {
		scale, offset := float64(m.Place[axis]), float64(m.Place[2+axis])
		lo[axis], hi[axis] = lo[axis]*scale+offset, hi[axis]*scale+offset
	}
	return m.Shaded.touches(lo, hi)
}

// Follow makes tilings use the shaded texels of a shadow map's last Draw, instead of the regions that Shade finds.
func (m *LightMap) Follow(s *light.ShadowMap) {
	if m.shadowMap != s {
		m.shadowMap, m.Width, m.Height, m.Place = s, s.Width, s.Height, s.Place
		m.staticShaded = Shaded{}
		for y := range s.Height {
			for x := range s.Width {
				if i := 2 * (y*s.Width + x); s.Still[i]&s.Still[i+1] != 255 {
					m.staticShaded.addTexels(m, light.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 1})
				}
			}
		}
	}
	m.Shaded = m.staticShaded
	for _, r := range s.Cast {
		m.Shaded.addTexels(m, r)
	}
}

// addTexels marks the cells of a rectangle of texels, extended by half a texel for interpolation.
func (s *Shaded) addTexels(m *LightMap, r light.Rect) {
	w, h := float64(m.Width), float64(m.Height)
	s.add([2]float64{(float64(r.X0) - 0.5) / w, (float64(r.Y0) - 0.5) / h}, [2]float64{(float64(r.X1) + 0.5) / w,
		(float64(r.Y1) + 0.5) / h})
}

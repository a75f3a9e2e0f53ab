package tile

// #include "call.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// shadows is the light map of one instant, in the form that the kernels read.
type shadows struct {
	raster.LightMap
	kernel                 *C.lightmap
	shadowless             bool
	staticDrawn            bool
	heights, staticHeights []C.uint16_t
	light, staticLight     []C.uint16_t
	shaded                 *raster.Shaded // of the kernels
	triangles              []raster.Run   // triangles that cast shadows, by body
	casters                []C.caster
	// regions with current shadows, and regions that had shadows of moving bodies in the previous batch
	softened, restored []C.texels
	splits             []C.int32_t // how the rows are divided among workers
	weights            []int       // of rows
}

// newShadows prepares the light map of a scene for the given number of workers.
func newShadows(s *render.Scene, g *raster.Geometry, memory *memory, k *C.lightmap, workers int) *shadows {
	m := &shadows{LightMap: raster.NewLightMap(s), kernel: k, shadowless: s.Light.Shadowless}
	const lanes = 16
	stride := (m.Width + lanes - 1) / lanes * lanes
	n := stride * m.Height
	m.heights, m.staticHeights = newArray[C.uint16_t](memory, n), newArray[C.uint16_t](memory, n)
	m.light, m.staticLight = newArray[C.uint16_t](memory, n), newArray[C.uint16_t](memory, n)
	k.heights, k.static_heights, k.light, k.static_light = first(m.heights), first(m.staticHeights), first(m.light),
		first(m.staticLight)
	m.shaded = &newArray[raster.Shaded](memory, 1)[0]
	k.shaded = (*C.uint64_t)(unsafe.Pointer(m.shaded))
	k.width, k.height, k.stride = C.int32_t(m.Width), C.int32_t(m.Height), C.int32_t(stride)
	for axis := range 2 {
		k.scale[axis], k.offset[axis] = C.float(m.Place[axis]), C.float(m.Place[2+axis])
	}
	k.top, k.floor_step = raster.LightHeight, C.int32_t(math.Floor(render.FloorStep/raster.LightHeight*math.MaxUint16))
	m.loadTaps()
	m.loadTriangles(g, memory)
	m.aim()
	m.clear()
	m.splits, m.weights = make([]C.int32_t, workers+1), make([]int, m.Height)
	return m
}

// loadTaps copies the filter that softens shadows. Taps that reduce the lamp's light come first.
func (m *shadows) loadTaps() {
	taps := render.Softening()
	if len(taps) > len(m.kernel.tap) {
		panic("render/tile: more taps than the kernels have room for")
	}
	// Rounding errors must not add up: if all taps are in shadow, no light may remain.
	const all = 0xff00
	lamp, sky := float32(0), float32(0)
	n := 0
	for _, near := range []bool{true, false} {
		for _, t := range taps {
			if t.Lamp > 0 != near {
				continue
			}
			lampBefore, skyBefore := lamp, sky
			lamp, sky = lamp+t.Lamp, sky+t.Ambient*(1-render.UnderShadow)
			share := func(before, after float32) C.uint16_t {
				return C.uint16_t(math.Round(float64(after)*all) - math.Round(float64(before)*all))
			}
			m.kernel.tap[n] = C.tap{dx: C.int16_t(t.DX), dy: C.int16_t(t.DY), lamp: share(lampBefore, lamp),
				sky: share(skyBefore, sky)}
			n++
		}
		if near {
			m.kernel.near_taps = C.int32_t(n)
		}
	}
	m.kernel.taps = C.int32_t(n)
}

// loadTriangles copies the triangles that cast shadows: those of all parts except nets, at their coarsest level.
func (m *shadows) loadTriangles(g *raster.Geometry, memory *memory) {
	known := map[*raster.Part]raster.Run{} // maps parts to their triangles, because bodies may share parts
	var corners []uint32
	for i := range g.Bodies {
		parts := g.Bodies[i].Parts
		run, ok := known[unsafe.SliceData(parts)]
		if !ok {
			run.First = len(corners) / 3
			for k := range parts {
				if l := &parts[k].Levels[0]; raster.CastsShadow(&parts[k]) {
					corners = append(corners, g.Indices[l.First:l.First+l.Count]...)
				}
			}
			run.Count = len(corners)/3 - run.First
			known[unsafe.SliceData(parts)] = run
		}
		m.triangles = append(m.triangles, run)
	}
	for k := range m.kernel.corner {
		x := newArray[C.float](memory, len(corners)/3)
		for i := range x {
			x[i] = C.float(g.Vertices[corners[3*i+k/3]].Pos[k%3])
		}
		m.kernel.corner[k] = first(x)
	}
}

// aim passes the direction of the lamp's rays to the kernels.
func (m *shadows) aim() {
	m.kernel.slope = [2]C.float{C.float(m.Slope[0]), C.float(m.Slope[1])}
}

// shade sets the light's direction. If the direction changes, all shadows are redrawn.
func (m *shadows) shade(l *render.Light) {
	if m.Aim(l.DirectionW) {
		m.aim()
		m.staticDrawn = false
	}
}

// clear removes all shadows.
func (m *shadows) clear() {
	clear(m.heights)
	for i := range m.light {
		m.light[i] = math.MaxUint16
	}
	m.softened = m.softened[:0]
}

// place computes where bodies cast shadows: static bodies if static is true, otherwise moving bodies. rotations holds
// the rotations of all bodies.
func (m *shadows) place(g *raster.Geometry, posesWB []spatial.Pose, rotations []mgl64.Mat3, static bool) {
	m.Shade(g.Bodies, posesWB, static)
	*m.shaded = m.Shaded
	m.softened, m.restored = m.restored[:0], m.softened
	for _, r := range m.Regions {
		x0, y0, x1, y1 := m.Texels(r)
		m.softened = append(m.softened, C.texels{C.int32_t(x0), C.int32_t(y0), C.int32_t(x1), C.int32_t(y1)})
	}
	m.casters = m.casters[:0]
	for i := range g.Bodies {
		if b, t := &g.Bodies[i], m.triangles[i]; b.Static == static && t.Count > 0 {
			c := C.caster{first_triangle: C.int32_t(t.First), triangles: C.int32_t(t.Count)}
			for k := range c.rotWB {
				c.rotWB[k] = C.float(rotations[i].At(k/3, k%3))
			}
			for k := range c.posWB {
				c.posWB[k] = C.float(posesWB[i].Pos[k])
			}
			c.row0, c.row1 = m.rowsOf(posesWB[i].Apply(b.Centre), b.Radius)
			m.casters = append(m.casters, c)
		}
	}
	m.split()
}

// rowsOf returns the first row and the end of the rows of the map that a sphere may shade.
func (m *shadows) rowsOf(centreW mgl64.Vec3, radius float64) (from, to C.int32_t) {
	scale := float64(m.Place[1]) * float64(m.Height)
	at := (centreW[1]-centreW[2]*m.Slope[1])*scale + float64(m.Place[3])*float64(m.Height)
	reach := radius*math.Hypot(1, m.Slope[1])*scale + 1
	row := func(y float64) C.int32_t { return C.int32_t(mgl64.Clamp(y, 0, float64(m.Height))) }
	return row(at - reach), row(at + reach + 1)
}

// split divides the rows of the map among workers, so that all have about the same number of texels to soften.
func (m *shadows) split() {
	clear(m.weights)
	total := 0
	for _, p := range m.softened {
		for y := p.y0; y < p.y1; y++ {
			m.weights[y] += int(p.x1 - p.x0)
		}
		total += int((p.x1 - p.x0) * (p.y1 - p.y0))
	}
	workers := len(m.splits) - 1
	row, sum := 0, 0
	for worker := range workers - 1 {
		for ; row < m.Height && sum < total*(worker+1)/workers; row++ {
			sum += m.weights[row]
		}
		m.splits[worker+1] = C.int32_t(row)
	}
	m.splits[workers] = C.int32_t(m.Height)
}

// castShadows draws the shadows of all bodies. It draws the shadows of static bodies once. In every batch, it draws the
// shadows of moving bodies over a copy of the map.
func (r *Renderer) castShadows() {
	m := r.scene.shadows
	if m.shadowless {
		return
	}
	if !m.staticDrawn {
		m.clear()
		r.castThose(true)
		copy(m.staticHeights, m.heights)
		copy(m.staticLight, m.light)
		m.softened = m.softened[:0]
		m.staticDrawn = true
	}
	r.castThose(false)
}

// castThose draws the shadows of static bodies if static is true, otherwise those of moving bodies.
func (r *Renderer) castThose(static bool) {
	r.scene.shadows.place(r.scene.geometry, r.batch.PosesWB, r.rotations, static)
	r.workers.Run(r.cast)
	r.workers.Run(r.soften)
}

// castRows draws shadows on a worker's rows.
func (r *Renderer) castRows(worker int) {
	m := r.scene.shadows
	C.call_draw_shadows(r.kernel, m.kernel, first(m.restored), C.int32_t(len(m.restored)), first(m.casters),
		C.int32_t(len(m.casters)), m.splits[worker], m.splits[worker+1])
}

// softenRows softens the light on a worker's rows. All shadows must have been drawn before, because softening also
// reads the neighbouring rows of other workers.
func (r *Renderer) softenRows(worker int) {
	m := r.scene.shadows
	C.call_soften(r.kernel, m.kernel, first(m.softened), C.int32_t(len(m.softened)), m.splits[worker],
		m.splits[worker+1])
}

package tile

// #include "call.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/light"
)

// natural is the light of a hall, as package render/light computes it, in the form that the kernels read.
type natural struct {
	field     *light.Field
	shadowMap *light.ShadowMap
	scene     *render.Scene
	kernel    *C.hall
	texels    []C.uint32_t    // light that arrives on the floor, by texel
	left      []C.uint16_t    // fractions of lamp and window light that bodies do not block, by texel
	full      [2][3][]C.float // light on the empty floor, by texel: first of lamps, then of windows, each by colour
	kept      []float32       // fraction of the floor's light that remains after wear, by texel
	border    int             // number of texels by which the map extends beyond the shadow map, on each side
	blocks    []C.uint64_t    // for each row, a bit per block in which the light has changed
	faces     []C.uint32_t
	open      [][]light.Open // by body and part
	probes    [][]C.probe    // by moving body: one probe or, for a large body, one per part
	fixed     [][]fixedLight // by static body and part
}

// newNatural returns the natural light of a scene. It returns nil for scenes with plain light.
func newNatural(s *render.Scene, g *raster.Geometry, memory *memory, k *C.scene) *natural {
	if !s.Natural {
		return nil
	}
	f := light.NewField(s, &s.Shading)
	if f == nil {
		return nil
	}
	n := &natural{field: f, shadowMap: light.NewShadowMap(s, f), open: light.Openness(s), scene: s, kernel: &k.hall}
	n.makeFloor(memory)
	n.faces = newArray[C.uint32_t](memory, len(f.Walls.Of[0])+len(f.Ceiling.Of[0]))
	n.kernel.faces = first(n.faces)
	n.kernel.underneath, n.kernel.per_clearance = light.Underneath, 1/light.Clearance
	n.makeProbes(g, memory)
	n.load()
	return n
}

// makeFloor creates the map of the floor's light. The map has the texels of the shadow map, and further texels up to
// the walls.
func (n *natural) makeFloor(memory *memory) {
	m, k := n.shadowMap, n.kernel
	const widest = C.FLOOR_BLOCK * C.MOST_FLOOR_BLOCKS
	beyond := max(2*n.field.HalfX-float64(m.Width)*m.Texel, 2*n.field.HalfY-float64(m.Height)*m.Texel, 0) / 2
	n.border = min(int(math.Ceil(beyond/m.Texel)), (widest-m.Width)/2)
	width, height := m.Width+2*n.border, m.Height+2*n.border
	stride := (width + C.FLOOR_BLOCK - 1) / C.FLOOR_BLOCK * C.FLOOR_BLOCK
	k.width, k.height, k.stride = C.int32_t(width), C.int32_t(height), C.int32_t(stride)
	for axis, size := range [2]int{m.Width, m.Height} {
		k.scale[axis] = C.float(float64(m.Place[axis]) * float64(size))
		k.offset[axis] = C.float(float64(m.Place[2+axis])*float64(size) - 0.5 + float64(n.border))
	}
	n.loadWear(width, height, stride)
	n.left, n.blocks = newArray[C.uint16_t](memory, stride*height), newArray[C.uint64_t](memory, height)
	n.texels = newArray[C.uint32_t](memory, stride*height)
	k.shares, k.floor = first(n.left), first(n.texels)
	for s := range n.full {
		for c := range n.full[s] {
			n.full[s][c] = newArray[C.float](memory, stride*height)
			k.full[s][c] = first(n.full[s][c])
		}
	}
}

// load copies the light of the whole field. The shadow map is copied when it is drawn.
func (n *natural) load() {
	f, k := n.field, n.kernel
	n.forget()
	k.wall_cols, k.wall_rows, k.walls_stride = C.int32_t(f.Walls.Cols/4), C.int32_t(f.Walls.Rows),
		C.int32_t(f.Walls.Cols)
	k.ceiling_cols, k.ceiling_rows, k.ceiling_first = C.int32_t(f.Ceiling.Cols), C.int32_t(f.Ceiling.Rows),
		C.int32_t(len(f.Walls.Of[0]))
	for i := range 2 {
		k.windows[i], k.panels[i] = stripsOf(&f.WindowRows[i]), stripsOf(&f.PanelRows[i])
	}
	k.band = stripsOf(&light.Row{First: (f.WindowLow + f.WindowHigh) / 2, Pitch: 1,
		Half: (f.WindowHigh - f.WindowLow) / 2, N: 1})
	k.emits = [2][3]C.float{floats(f.Emits[light.Lamps]), floats(f.Emits[light.Windows])}
	k.wall, k.ceiling = floats(n.scene.Room.Wall), floats(n.scene.Room.Ceiling)
	if n.scene.Room.Picture != nil {
		k.wall = [3]C.float{}
	}
	most := max(brightest(&f.Walls), brightest(&f.Ceiling))
	k.faces_most = C.float(most)
	to := n.faces[:0]
	for _, g := range []*light.Grid{&f.Walls, &f.Ceiling} {
		for i, v := range g.Of[light.Lamps] {
			to = append(to, code(v.Add(g.Of[light.Windows][i]), most))
		}
	}
	n.loadFloor()
}

func stripsOf(r *light.Row) C.strips {
	return C.strips{first: C.float(r.First), pitch: C.float(r.Pitch), per_pitch: C.float(1 / r.Pitch),
		half: C.float(r.Half), last: C.float(r.N - 1)}
}

// brightest returns the largest value of a grid. The result is larger than 0.
func brightest(g *light.Grid) float32 {
	most := float32(1e-20)
	for i, v := range g.Of[light.Lamps] {
		v = v.Add(g.Of[light.Windows][i])
		most = max(most, v[0], v[1], v[2])
	}
	return most
}

// code packs an amount of light into a texel. most is the largest amount in the map.
func code(v mgl32.Vec3, most float32) (texel C.uint32_t) {
	for i, full := range [3]float64{C.CODE_MOST, C.CODE_MOST, C.CODE_MOST_BLUE} {
		texel |= C.uint32_t(math.Round(full*math.Sqrt(float64(min(max(v[i]/most, 0), 1))))) << (11 * i)
	}
	return texel
}

// placeOf returns the coordinate in metres of the centre of column i of texels if axis is 0. If axis is 1, it returns
// that of row i.
func (n *natural) placeOf(i, axis int) float32 {
	return (float32(i) - float32(n.kernel.offset[axis])) / float32(n.kernel.scale[axis])
}

// loadWear computes, for each texel, the fraction of light that remains after wear.
func (n *natural) loadWear(width, height, stride int) {
	floor := &n.scene.Floor
	n.kept = make([]float32, stride*height)
	for y := range height {
		for x := range width {
			kept := float32(1)
			if px, py := n.placeOf(x, 0), n.placeOf(y, 1); math.Abs(float64(px)) < floor.SizeX/2 &&
				math.Abs(float64(py)) < floor.SizeY/2 {
				kept = floor.Traces.KeptAt(px, py)
			}
			n.kept[y*stride+x] = kept
		}
	}
}

// between is the position of a texel between two nodes: the index of the first node, and the fraction of the way to the
// next node.
type between struct {
	node  int
	share float32
}

// nodesOf returns, for the columns or rows of texels, their positions between the nodes of the floor.
func (n *natural) nodesOf(texels, axis, count int, half float64) []between {
	all := make([]between, texels)
	for i := range all {
		at := mgl64.Clamp((float64(n.placeOf(i, axis))/(2*half)+0.5)*float64(count-1), 0, float64(count-1))
		first := min(int(at), count-2)
		all[i] = between{first, float32(at - float64(first))}
	}
	return all
}

// loadFloor interpolates the light at the nodes of the floor to the texels of the map, and reduces it by wear.
func (n *natural) loadFloor() {
	f, k := n.field, n.kernel
	g := &f.Floor
	k.floor_most = C.float(brightest(g))
	width, height, stride := int(k.width), int(k.height), int(k.stride)
	cols, rows := n.nodesOf(width, 0, g.Cols, f.HalfX), n.nodesOf(height, 1, g.Rows, f.HalfY)
	row := make([]mgl32.Vec3, g.Cols) // light at the nodes, interpolated at a row of texels
	for s := range n.full {
		of := g.Of[s]
		for y := range height {
			j, v := rows[y].node, rows[y].share
			for i := range row {
				row[i] = of[j*g.Cols+i].Mul(1 - v).Add(of[(j+1)*g.Cols+i].Mul(v))
			}
			kept := n.kept[y*stride : y*stride+width]
			red, green, blue := n.full[s][0][y*stride:][:width], n.full[s][1][y*stride:][:width],
				n.full[s][2][y*stride:][:width]
			for x := range cols {
				i, u, kept := cols[x].node, cols[x].share, kept[x]
				a, b := &row[i], &row[i+1]
				red[x] = C.float(kept * (a[0]*(1-u) + b[0]*u))
				green[x] = C.float(kept * (a[1]*(1-u) + b[1]*u))
				blue[x] = C.float(kept * (a[2]*(1-u) + b[2]*u))
			}
		}
	}
	n.change(light.Rect{X0: -n.border, Y0: -n.border, X1: n.shadowMap.Width + n.border, Y1: n.shadowMap.Height +
		n.border})
}

// change marks a rectangle of the shadow map's texels whose light must be recomputed.
func (n *natural) change(r light.Rect) {
	if r.X0 >= r.X1 {
		return
	}
	from, to := uint(r.X0+n.border)/C.FLOOR_BLOCK, uint(r.X1-1+n.border)/C.FLOOR_BLOCK
	blocks := C.uint64_t(math.MaxUint64 << from & (math.MaxUint64 >> (63 - to)))
	for y := r.Y0; y < r.Y1; y++ {
		n.blocks[y+n.border] |= blocks
	}
}

// draw updates the light for the present poses of moving bodies.
func (n *natural) draw(g *raster.Geometry, posesWB []spatial.Pose) {
	m := n.shadowMap
	m.Draw(posesWB)
	left, stride := unsafe.Slice((*byte)(unsafe.Pointer(first(n.left))), 2*len(n.left)), int(n.kernel.stride)
	for _, r := range m.Changed {
		for y := r.Y0; y < r.Y1; y++ {
			at := 2 * ((y+n.border)*stride + n.border)
			copy(left[at+2*r.X0:at+2*r.X1], m.Pix[2*(y*m.Width+r.X0):])
		}
		n.change(r)
		n.extend(r)
	}
	for i := range g.Bodies {
		if b := &g.Bodies[i]; !b.Static {
			n.place(b, n.probes[i], posesWB[i])
		}
	}
}

// extend extends a rectangle that touches an edge of the shadow map to the same edge of the map of the floor's light,
// which is larger.
func (n *natural) extend(r light.Rect) {
	m, stride := n.shadowMap, int(n.kernel.stride)
	if n.border == 0 || r.X0 > 0 && r.Y0 > 0 && r.X1 < m.Width && r.Y1 < m.Height || r.X0 >= r.X1 || r.Y0 >= r.Y1 {
		return
	}
	if r.X0 == 0 {
		r.X0 = -n.border
	}
	if r.Y0 == 0 {
		r.Y0 = -n.border
	}
	if r.X1 == m.Width {
		r.X1 += n.border
	}
	if r.Y1 == m.Height {
		r.Y1 += n.border
	}
	n.change(r)
	for y := r.Y0; y < r.Y1; y++ {
		from := n.left[(min(max(y, 0), m.Height-1)+n.border)*stride+n.border:]
		to := n.left[(y+n.border)*stride:]
		outside := y < 0 || y >= m.Height
		for x := r.X0; x < r.X1; x++ {
			if outside || x < 0 || x >= m.Width {
				to[x+n.border] = from[min(max(x, 0), m.Width-1)]
			}
		}
	}
}

// mixFloor recomputes the floor's light in rows where it has changed. It takes rows from Next until none is left.
// The argument is unused.
func (r *Renderer) mixFloor(int) {
	const together = 16
	n := r.scene.natural
	for row := together * r.workers.Next(); row < len(n.blocks); row = together * r.workers.Next() {
		C.call_mix_floor(r.kernel, n.kernel, first(n.blocks), C.int32_t(row),
			C.int32_t(min(row+together, len(n.blocks))))
	}
}

// spreadLight updates natural light to the poses of a batch.
func (r *Renderer) spreadLight() {
	n := r.scene.natural
	n.draw(r.scene.geometry, r.batch.PosesWB)
	r.workers.Run(r.mix)
	clear(n.blocks)
}

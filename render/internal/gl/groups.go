package gl

import (
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/internal/workers"
)

// groups draws the views of a batch in groups, each with few draw calls: every view is a layer of the framebuffer. It
// is for graphics cards, where a draw call, a change of the framebuffer and a read-back take longer than the pixels of
// a small image. So all pixels are drawn with the program that shows everything, and no tiles are sorted. While the
// card draws a group, the processor prepares the next, and copies the images of an earlier one.
type groups struct {
	all      []group
	views    int // the largest number of views of a group
	rows     int // the largest height of a texture
	targets  []*layers
	shapes   shapes
	every    uint32 // vertex array whose instances are the views of a group
	uniforms uint32 // buffer of the cameras of a group
	blocks   []raster.Projection
	poses    uint32              // buffer of the bodies' matrices
	seen     []raster.Visibility // of the views of a group
	pack     *program
	copy     *program
	cells    *program
	truths   truths
	workers  *workers.Set
	ring     [3]transfer
	batch    *render.Batch
	now      int              // index of the group that is drawn or read
	collect  func(worker int) // finds what the views of group now show
	deliver  func(worker int) // copies the images of group now
}

// group is a list of views that are drawn together.
type group struct {
	kind
	views []int // indices in the batch
}

// kind is what the views of a group have in common.
type kind struct {
	width, height       int
	programs            *programs
	lens                *raster.Lens
	reversed            bool // see raster.Camera.Reversed
	cube                bool // drawn through cube maps
	color, above, depth bool
	planes              planeSet // of ground truth
}

// A group has at most mostViews views with at most mostPixels pixels together. A pixel takes 39 bytes of textures, 8
// more with its light above white, 12 with its distance, 8 with its label, and 64 with its whole ground truth. Each
// buffer for reading takes up to 37. The next group is drawn while the images of a group are read.
const (
	mostViews  = 256
	mostPixels = 2 << 20
)

// viewsOfGroup returns the largest number of views of a group: their cameras are one uniform block.
func viewsOfGroup() int {
	var most int32
	gl.GetIntegerv(gl.MAX_UNIFORM_BLOCK_SIZE, &most)
	return min(mostViews, int(most)/blockSize)
}

const blockSize = int(unsafe.Sizeof(raster.Projection{}))

// canGroup reports whether the driver can draw groups: vertex shaders must choose layers.
func canGroup() bool {
	var n int32
	gl.GetIntegerv(gl.NUM_EXTENSIONS, &n)
	for i := range uint32(n) {
		switch gl.GoStr(gl.GetStringi(gl.EXTENSIONS, i)) {
		case "GL_AMD_vertex_shader_layer", "GL_ARB_shader_viewport_layer_array":
			return true
		}
	}
	return false
}

func newGroups(p *painter, views int) (*groups, error) {
	g := &groups{views: views, blocks: make([]raster.Projection, views), seen: make([]raster.Visibility, views)}
	sheet := []string{"common.glsl", "sheet.glsl"}
	for _, want := range []struct {
		into     **program
		fragment string
	}{{&g.pack, "pack.frag"}, {&g.copy, "copy.frag"}, {&g.cells, "above.frag"}} {
		var err error
		if *want.into, err = newProgram("screen.vert", want.fragment, sheet, "SHEET"); err != nil {
			return nil, err
		}
	}
	var rows int32
	gl.GetIntegerv(gl.MAX_TEXTURE_SIZE, &rows)
	g.rows = int(rows)
	g.shapes = newShapes(p.geometry.bodies)
	g.every = everyView(views)
	g.uniforms = uniformBuffer(viewBinding, views*blockSize, nil)
	gl.GenBuffers(1, &g.poses)
	gl.BindBuffer(gl.TEXTURE_BUFFER, g.poses)
	newTextureOf(gl.TEXTURE_BUFFER, posesUnit)
	gl.TexBuffer(gl.TEXTURE_BUFFER, gl.RGBA32F, g.poses)
	g.truths.init(p)
	g.workers = workers.New()
	g.collect = func(int) {
		views := g.all[g.now].views
		for i := g.workers.Next(); i < len(views); i = g.workers.Next() {
			g.see(p, i, views[i], views[i])
			if v := &g.batch.Views[views[i]]; g.all[g.now].planes[flowPlane] {
				g.truths.move(i, v, g.batch, &g.seen[i])
			}
		}
	}
	g.deliver = func(int) {
		t := g.transfer(g.now)
		for i := g.workers.Next(); i < t.pieces; i = g.workers.Next() {
			t.deliver(i, &g.all[g.now], g.batch)
		}
	}
	return g, glError("groups")
}

// transfer returns the transfer of a group's images.
func (g *groups) transfer(group int) *transfer { return &g.ring[group%len(g.ring)] }

// paint draws a batch, and reads its images.
func (g *groups) paint(p *painter, f *render.Batch) error {
	g.batch = f
	g.arrange(p, f.Views)
	if len(p.mats) > 0 {
		gl.BindBuffer(gl.TEXTURE_BUFFER, g.poses)
		gl.BufferData(gl.TEXTURE_BUFFER, len(p.mats)*int(unsafe.Sizeof(p.mats[0])), gl.Ptr(&p.mats[0][0]),
			gl.STREAM_DRAW)
	}
	for i := range len(g.all) + len(g.ring) {
		if done := i - len(g.ring); done >= 0 && done < len(g.all) {
			if err := g.finish(p, done); err != nil {
				return err
			}
		}
		if i < len(g.all) {
			if err := g.draw(p, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// arrange divides views into groups.
func (g *groups) arrange(p *painter, views []render.View) {
	all := g.all[:0]
	for i := range views {
		v, c := &views[i], &p.cameras[i]
		k := kind{width: c.Width, height: c.Height, programs: p.programsOf(c), lens: c.Lens, reversed: c.Reversed(),
			cube: v.CubeFace > 0, color: v.Color != nil, above: v.Color != nil && v.Color.Above != nil,
			depth: v.Depth != nil, planes: planesOf(v, c.Lens)}
		most := min(g.views, mostPixels/(k.width*k.height), g.rows/k.height)
		if k.planes[flowPlane] {
			most = min(most, g.truths.viewsOf())
		}
		most = max(1, most)
		at := slices.IndexFunc(all, func(other group) bool { return other.kind == k && len(other.views) < most })
		if at < 0 {
			at = len(all)
			all = slices.Grow(all, 1)[:at+1]
			all[at].kind, all[at].views = k, all[at].views[:0] // the memory of an earlier batch's views
		}
		all[at].views = append(all[at].views, i)
	}
	g.all = all
}

// see finds what a view shows whose camera has the index camera.
func (g *groups) see(p *painter, slot, view, camera int) {
	c := &p.cameras[camera]
	g.blocks[slot] = c.Projection
	g.seen[slot].Collect(p.geometry.bodies, g.batch.PosesWB, c, g.batch.Views[view].Hidden)
}

// load uploads the cameras and instances of the first n views.
func (g *groups) load(n int) {
	gl.BindBuffer(gl.UNIFORM_BUFFER, g.uniforms)
	gl.BufferData(gl.UNIFORM_BUFFER, len(g.blocks)*blockSize, nil, gl.STREAM_DRAW)
	gl.BufferSubData(gl.UNIFORM_BUFFER, 0, n*blockSize, unsafe.Pointer(&g.blocks[0]))
	gl.BindBufferBase(gl.UNIFORM_BUFFER, viewBinding, g.uniforms)
	g.shapes.collect(g.seen[:n])
}

// draw draws a group, and starts to read its images.
func (g *groups) draw(p *painter, index int) error {
	of := &g.all[index]
	n := len(of.views)
	l, err := g.target(p, of.width, of.height, n)
	if err != nil {
		return err
	}
	if of.above && !of.cube {
		err = l.addAbove()
	}
	if of.depth && err == nil {
		err = l.addDepth()
	}
	if of.planes[labelPlane] && err == nil {
		err = l.addTruth(&of.planes)
	}
	if err != nil {
		return err
	}
	if of.cube && of.color {
		if err := g.throughCubes(p, of, l); err != nil {
			return err
		}
	}
	if !of.cube || of.planes[labelPlane] {
		if of.planes[flowPlane] {
			g.truths.rows = slices.Grow(g.truths.rows[:0], n*(1+g.truths.bodies))[:n*(1+g.truths.bodies)]
		}
		g.now = index
		g.workers.Run(g.collect)
		g.load(n)
	}
	if of.color && !of.cube {
		g.color(p, of, n, l, l.colorFBO)
	}
	if of.depth {
		g.distances(p, of, n, l)
	}
	if of.planes[labelPlane] {
		if err := g.truth(p, of, n, l); err != nil {
			return err
		}
	}
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.BindVertexArray(p.empty)
	if of.above && !of.cube {
		l.cells.fill(n, g.cells, aboveUnit, l.above)
	}
	im := images{extent: extent{l.width, l.height, int32(n)}, color: l.color, colorFBO: l.colorFBO,
		cells: l.cells.texture, z: l.z, zFBO: l.zFBO}
	if err := p.chips.apply(g.batch.Views, of.views, &im); err != nil {
		return err
	}
	if err := p.rangings.apply(g.batch.Views, of.views, &im); err != nil {
		return err
	}
	p.timer.mark("faults")
	g.transfer(index).start(g, of, l)
	p.timer.mark("read")
	gl.Flush()
	return nil
}

// target returns layers for at least n views of the given size.
func (g *groups) target(p *painter, width, height, n int) (*layers, error) {
	const most = 8 // of different sizes
	p.frame++
	oldest := 0
	for i, l := range g.targets {
		if int(l.width) == width && int(l.height) == height {
			if int(l.n) >= n {
				l.used = p.frame
				return l, nil
			}
			oldest = i
			break
		}
		if l.used < g.targets[oldest].used {
			oldest = i
		}
	}
	if len(g.targets) > 0 && (len(g.targets) == most || int(g.targets[oldest].n) < n &&
		int(g.targets[oldest].width) == width && int(g.targets[oldest].height) == height) {
		g.targets[oldest].delete()
		g.targets = slices.Delete(g.targets, oldest, oldest+1)
	}
	l, err := newLayers(int32(width), int32(height), int32(n))
	if err != nil {
		return nil, err
	}
	l.used = p.frame
	g.targets = append(g.targets, l)
	return l, nil
}

// finish waits for a group's images, copies them into the batch's, and starts their chips and rangings.
func (g *groups) finish(p *painter, index int) error {
	of, t := &g.all[index], g.transfer(index)
	if err := t.wait(); err != nil {
		return err
	}
	g.now = index
	g.workers.Run(g.deliver)
	t.end()
	for _, i := range of.views {
		v := g.batch.Views[i]
		if p.rangings.onProcessor(&v) == "" {
			v.Ranging = nil
		}
		if p.chips.onProcessor(&v) != "" {
			p.processor.Start(&v)
		} else {
			p.processor.StartCompression(&v)
		}
	}
	return nil
}

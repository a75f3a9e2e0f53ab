package gl

import (
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
)

// chipPlane is a texture that a pass fills. Other passes read it at its unit.
type chipPlane struct {
	unit, texture, fbo uint32
	width, height      int32
}

// chipPlanes are the planes of images of one size, and the textures that depend on nothing but the size.
type chipPlanes struct {
	width, height                         int32
	brighter, average, blurred, scattered chipPlane // of cells
	light, readings, values               chipPlane
	deviations                            uint32 // texture of height × 1
	rowWeights, columnWeights             uint32 // textures; 0 until the first chip with glare
}

// bind binds a texture to a unit.
func bind(unit, texture uint32) {
	gl.ActiveTexture(gl.TEXTURE0 + unit)
	gl.BindTexture(gl.TEXTURE_2D, texture)
}

// floatTexture makes a texture of numbers, which stays bound to a unit. It is not filled if values is nil.
func floatTexture(unit uint32, width, height int, values *float32) uint32 {
	id := newTexture(unit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.R32F, int32(width), int32(height), 0, gl.RED, gl.FLOAT,
		unsafe.Pointer(values))
	return id
}

// maxChipPlanes is the number of sizes of images whose planes are kept. When it is reached, a new size replaces the
// oldest. Those of 640 × 640 pixels take 10 MB.
const maxChipPlanes = 8

// planesOf returns the planes for a chip's image of a size. It makes them if necessary.
func (cs *chips) planesOf(width, height int32, c *render.Chip) (*chipPlanes, error) {
	for _, p := range cs.planes {
		if p.width == width && p.height == height {
			p.addWeights(c)
			return p, nil
		}
	}
	if len(cs.planes) == maxChipPlanes {
		cs.planes[0].delete()
		cs.planes = cs.planes[:copy(cs.planes, cs.planes[1:])]
	}
	p := &chipPlanes{width: width, height: height}
	cells := chip.NewGlare(int(width), int(height))
	cols, rows := int32(cells.Cols), int32(cells.Rows)
	for _, want := range []struct {
		into          *chipPlane
		unit          uint32
		format        int32
		width, height int32
	}{
		{&p.brighter, brighterUnit, gl.RGBA32F, cols, rows},
		{&p.light, chipLightUnit, gl.RGBA32F, width, height},
		{&p.average, averageUnit, gl.RGBA32F, cols, rows},
		{&p.blurred, blurredUnit, gl.RGBA32F, chip.Blurs * cols, rows},
		{&p.scattered, scatteredUnit, gl.RGBA32F, cols, rows},
		{&p.readings, readingsUnit, gl.R32F, width, height},
		{&p.values, valuesUnit, gl.RGBA8, width, height},
	} {
		of := target{width: want.width, height: want.height}
		texture, fbo, err := of.plane(want.unit, want.format)
		*want.into = chipPlane{want.unit, texture, fbo, want.width, want.height}
		if err != nil {
			p.delete()
			return nil, err
		}
	}
	p.deviations = floatTexture(deviationsUnit, int(height), 1, nil)
	p.addWeights(c)
	cs.planes = append(cs.planes, p)
	return p, nil
}

// addWeights adds the weights of a chip's glare, if there is any.
func (p *chipPlanes) addWeights(c *render.Chip) {
	if c.Glare == 0 || p.rowWeights != 0 {
		return
	}
	g := chip.NewGlare(int(p.width), int(p.height))
	ofRows, ofColumns := g.Weights(int(p.width), int(p.height))
	p.rowWeights = floatTexture(rowWeightsUnit, g.Cols, chip.Blurs*g.Cols, &ofRows[0])
	p.columnWeights = floatTexture(columnWeightsUnit, g.Rows, chip.Blurs*g.Rows, &ofColumns[0])
}

func (p *chipPlanes) delete() {
	for _, plane := range []*chipPlane{&p.brighter, &p.average, &p.blurred, &p.scattered, &p.light, &p.readings,
		&p.values} {
		if plane.fbo != 0 {
			gl.DeleteFramebuffers(1, &plane.fbo)
		}
		gl.DeleteTextures(1, &plane.texture) // ignores 0
	}
	for _, texture := range []uint32{p.deviations, p.rowWeights, p.columnWeights} {
		gl.DeleteTextures(1, &texture)
	}
	*p = chipPlanes{}
}

// dirtTexture is the texture of a dirty lens.
type dirtTexture struct {
	of    []float32 // render.Chip.Dirt
	width int32
	id    uint32
}

// maxDirt is the number of textures of dirty lenses that are kept. When it is reached, a new one replaces the oldest.
const maxDirt = 64

// dirtOf returns the texture of a chip's dirty lens.
func (cs *chips) dirtOf(c *render.Chip, t *target) uint32 {
	for _, d := range cs.dirt {
		if &d.of[0] == &c.Dirt[0] && d.width == t.width && len(d.of) == len(c.Dirt) {
			return d.id
		}
	}
	if len(cs.dirt) == maxDirt {
		gl.DeleteTextures(1, &cs.dirt[0].id)
		cs.dirt = cs.dirt[:copy(cs.dirt, cs.dirt[1:])]
	}
	id := floatTexture(dirtUnit, int(t.width), int(t.height), &c.Dirt[0])
	cs.dirt = append(cs.dirt, dirtTexture{c.Dirt, t.width, id})
	return id
}

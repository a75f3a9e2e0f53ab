package gl

import (
	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
)

// chipPlanes are the planes of images of one size, and the textures that depend on the size.
type chipPlanes struct {
	extent
	light, readings, values               plane
	brighter, average, blurred, scattered plane       // of cells
	deviations                            uint32      // texture of height × n
	rowWeights, columnWeights             uint32      // textures; 0 until the first chip with glare
	dirt                                  uint32      // texture with layers; 0 until the first dirty lens
	dirtOf                                [][]float32 // of each layer: the render.Chip.Dirt in its texture
}

// planesOf returns planes for images. It makes them if necessary.
func (cs *chips) planesOf(im *images) (*chipPlanes, error) {
	var p *chipPlanes
	if cs.planes, p = keptPlanes(cs.planes, im); p != nil {
		return p, nil
	}
	p = &chipPlanes{extent: im.extent, dirtOf: make([][]float32, im.n)}
	cells := chip.NewGlare(int(im.width), int(im.height))
	cols, rows := int32(cells.Cols), int32(cells.Rows)
	for _, want := range []struct {
		into          *plane
		unit          uint32
		format        int32
		width, height int32
	}{
		{&p.light, chipLightUnit, gl.RGBA32F, im.width, im.height},
		{&p.readings, readingsUnit, gl.R32F, im.width, im.height},
		{&p.values, valuesUnit, gl.RGBA8, im.width, im.height},
		{&p.brighter, brighterUnit, gl.RGBA32F, cols, rows},
		{&p.average, averageUnit, gl.RGBA32F, cols, rows},
		{&p.blurred, blurredUnit, gl.RGBA32F, chip.Blurs * cols, rows},
		{&p.scattered, scatteredUnit, gl.RGBA32F, cols, rows},
	} {
		if err := want.into.init(want.unit, want.format, want.width, want.height, im.n); err != nil {
			p.delete()
			return nil, err
		}
	}
	p.deviations = floatTexture(deviationsUnit, int(im.height), int(im.n), nil)
	cs.planes = append(cs.planes, p)
	return p, nil
}

// all returns all planes.
func (p *chipPlanes) all() [7]*plane {
	return [...]*plane{&p.light, &p.readings, &p.values, &p.brighter, &p.average, &p.blurred, &p.scattered}
}

// bind binds all textures.
func (p *chipPlanes) bind() {
	for _, plane := range p.all() {
		bindLayers(plane.unit, plane.texture)
	}
	bindLayers(dirtUnit, p.dirt)
	bind(deviationsUnit, p.deviations)
	bind(rowWeightsUnit, p.rowWeights)
	bind(columnWeightsUnit, p.columnWeights)
}

// addWeights adds the weights of glare.
func (p *chipPlanes) addWeights() {
	if p.rowWeights != 0 {
		return
	}
	g := chip.NewGlare(int(p.width), int(p.height))
	ofRows, ofColumns := g.Weights(int(p.width), int(p.height))
	p.rowWeights = floatTexture(rowWeightsUnit, g.Cols, chip.Blurs*g.Cols, &ofRows[0])
	p.columnWeights = floatTexture(columnWeightsUnit, g.Rows, chip.Blurs*g.Rows, &ofColumns[0])
}

// loadDirt makes a layer of the texture of dirt that of a chip's lens. The layers keep it for the next images.
func (p *chipPlanes) loadDirt(c *render.Chip, layer int) {
	if p.dirt == 0 {
		p.dirt = layersOf(dirtUnit, gl.R32F, p.width, p.height, p.n)
	}
	if of := p.dirtOf[layer]; of != nil && &of[0] == &c.Dirt[0] {
		return
	}
	p.dirtOf[layer] = c.Dirt
	bindLayers(dirtUnit, p.dirt)
	gl.TexSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, int32(layer), p.width, p.height, 1, gl.RED, gl.FLOAT,
		gl.Ptr(&c.Dirt[0]))
}

func (p *chipPlanes) delete() {
	for _, plane := range p.all() {
		plane.delete()
	}
	for _, texture := range []uint32{p.deviations, p.rowWeights, p.columnWeights, p.dirt} {
		gl.DeleteTextures(1, &texture)
	}
}

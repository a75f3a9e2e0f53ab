package gl

import (
	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
)

// chips applies render.Chips to images on the graphics card: the same arithmetic as package chip, in fragment shaders,
// for many images at once. Images differ from those of package chip by rounding, which a card may do differently.
type chips struct {
	passes[chipUniforms]
	planes  []*chipPlanes
	rows    []float32
	unknown render.Chip // scratch memory of onProcessor
}

// The passes of chips.
const (
	lightPass = iota
	brighterPass
	averagePass
	blurRowsPass
	blurColumnsPass
	readPass
	readMosaicPass
	readAlonePass
	readMosaicAlonePass
	mosaicPass
	copyPass
	sharpenPass
)

var chipSources = []passSource{
	lightPass:           {file: "chiplens.glsl chiplight.frag"},
	brighterPass:        {file: "chipbrighter.frag"},
	averagePass:         {file: "chipaverage.frag"},
	blurRowsPass:        {file: "chipblurrows.frag"},
	blurColumnsPass:     {file: "chipblurcolumns.frag"},
	readPass:            {file: "random.glsl chipread.frag"},
	readMosaicPass:      {file: "random.glsl chipread.frag", defines: []string{"MOSAIC"}},
	readAlonePass:       {file: "random.glsl chiplens.glsl chipread.frag", defines: []string{"ALONE"}},
	readMosaicAlonePass: {file: "random.glsl chiplens.glsl chipread.frag", defines: []string{"MOSAIC", "ALONE"}},
	copyPass:            {file: "chipcopy.frag"},
	mosaicPass:          {file: "chipmosaic.frag"},
	sharpenPass:         {file: "chipsharpen.frag"},
}

// chipUniforms is an element of the uniform block Chips, in std140 layout.
type chipUniforms struct {
	key                    [4]uint32
	fixedKeys              [4]chip.Key
	charge                 [4]float32
	gain, lamps            [4]float32
	fixedPattern           [4]float32
	hot                    [4]float32
	scale                  [4]float32
	size                   [4]int32
	lensFaults, chipFaults [4]int32
	place                  [4]int32
}

func newChipUniforms(c *render.Chip, v *render.View, layer int) chipUniforms {
	width, height := v.Model.Size()
	n := chip.NewNumbers(c, v.NoiseKey, width, height)
	f, cells := &n.Fixed, chip.NewGlare(width, height)
	number := func(on bool) int32 {
		if on {
			return 1
		}
		return 0
	}
	return chipUniforms{
		key: [4]uint32{n.Key[0], n.Key[1]}, fixedKeys: f.Keys,
		charge:       [4]float32{n.Exposure, n.Shot, n.Read, n.Keep},
		gain:         vec4(n.Gain, 0),
		lamps:        vec4(n.Lamps, 0),
		fixedPattern: [4]float32{f.Response, f.Dark, f.Row, f.Column},
		hot:          [4]float32{f.HotStep, f.HotCharge, float32(c.Glare / chip.Blurs)},
		scale:        [4]float32{n.Scale[0], 1, n.Scale[1]},
		size:         [4]int32{int32(width), int32(height), int32(cells.Cols), int32(cells.Rows)},
		lensFaults: [4]int32{number(len(c.Dirt) > 0), number(keepsAbove(v)), number(c.Chromatic != 0),
			number(c.Glare != 0)},
		chipFaults: [4]int32{number(c.Rows.On()), number(f.On), f.Hot, chip.SharpeningFactor(c.Sharpening)},
		place:      [4]int32{int32(layer)},
	}
}

// keepsAbove reports whether the image of a view is drawn together with the light above white. Images made from a cube
// map are not.
func keepsAbove(v *render.View) bool { return v.Color.Above != nil && v.CubeFace == 0 }

// onProcessor returns why no shader applies a view's chip. If the result is empty, shaders apply all of it but the JPEG
// compression. A view without a chip or without an image has nothing to apply.
//
// Blooming, smear, noise reduction and contrast have no shaders. Blooming moves charge on until a well has room, so one
// fragment would have to walk along a whole column. Few cameras have these faults, and several processors apply the
// chips of several images at once, 3 ms each (BenchmarkChip640x640 in package tile).
func (cs *chips) onProcessor(v *render.View) (why string) {
	c := v.Chip
	switch {
	case v.Color == nil || c == nil:
		return "there is nothing to apply"
	case c.Spill != 0 || c.Smear != 0:
		return "charge flows along a whole column, pixel by pixel"
	}
	// The processor compresses the image after the shaders.
	u := &cs.unknown
	*u = *c
	u.FullWell, u.ReadNoise, u.Exposure, u.Gain, u.Balance, u.Bayer, u.Chromatic = 0, 0, 0, 0, [3]float64{}, false, 0
	u.Dirt, u.Fixed, u.Rows, u.Glare, u.Sharpening, u.JPEGQuality = nil, render.FixedPattern{}, render.Rows{}, 0, 0, 0
	return withoutShader(u)
}

// prepare compiles the programs on first use.
func (cs *chips) prepare() error {
	if cs.programs != nil {
		return nil
	}
	var decoded [256]float32
	for i := range decoded {
		decoded[i] = render.Decode8(byte(i))
	}
	floatTexture(decodedUnit, len(decoded), 1, &decoded[0])
	return cs.compile("Chips", chipsBinding, "chip.glsl", "layer.glsl chipimage.glsl", chipSources)
}

// The kinds of chips, which differ by their passes. A kind may be the sum of several. With withLens, pixels get light
// from others.
const (
	withMosaic = 1 << iota
	withSharpening
	withLens
	chipKinds
)

func kindOfChip(c *render.Chip) (kind int) {
	if c.Bayer {
		kind |= withMosaic
	}
	if c.Sharpening != 0 {
		kind |= withSharpening
	}
	if c.Chromatic != 0 || c.Glare != 0 {
		kind |= withLens
	}
	return kind
}

// apply applies the chips of views to their images, as far as shaders do. The layers of the images are those of the
// views with the given indices, in that order.
func (cs *chips) apply(views []render.View, indices []int, im *images) error {
	cs.kinds = cs.kinds[:0]
	for _, i := range indices {
		kind := none
		if v := &views[i]; cs.onProcessor(v) == "" {
			kind = kindOfChip(v.Chip)
		}
		cs.kinds = append(cs.kinds, kind)
	}
	return cs.eachKind(chipKinds, cs.prepare, func(kind int) error { return cs.draw(kind, views, indices, im) })
}

// draw applies the chips of cs.layers, which are of one kind.
func (cs *chips) draw(kind int, views []render.View, indices []int, im *images) error {
	p, err := cs.planesOf(im)
	if err != nil {
		return err
	}
	above, glare := false, false
	for i, layer := range cs.layers {
		v := &views[indices[layer]]
		c := v.Chip
		cs.values[i] = newChipUniforms(c, v, layer)
		above, glare = above || keepsAbove(v), glare || c.Glare != 0
		if len(c.Dirt) > 0 {
			p.loadDirt(c, layer)
		}
		if c.Rows.On() {
			cs.rows = chip.AppendRows(cs.rows, c, int(im.height))
			bind(deviationsUnit, p.deviations)
			gl.TexSubImage2D(gl.TEXTURE_2D, 0, 0, int32(layer), im.height, 1, gl.RED, gl.FLOAT, gl.Ptr(&cs.rows[0]))
		}
	}
	if glare {
		p.addWeights()
	}
	cs.begin(chipsBinding)
	p.bind()
	bindLayers(pictureUnit, im.color)
	if above {
		bind(cellsUnit, im.cells)
		cs.fill(&p.brighter, brighterPass)
	}
	alone := kind&withLens == 0
	if !alone {
		cs.fill(&p.light, lightPass)
	}
	if glare {
		cs.fill(&p.average, averagePass)
		cs.fill(&p.blurred, blurRowsPass)
		cs.fill(&p.scattered, blurColumnsPass)
	}
	image := plane{fbo: im.colorFBO, width: im.width, height: im.height}
	read := &image
	if kind&withSharpening != 0 {
		read = &p.values
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, im.colorFBO)
	gl.DrawBuffers(1, &colors[0]) // not to the light above white
	switch mosaic := kind&withMosaic != 0; {
	case mosaic && alone:
		cs.fill(&p.readings, readMosaicAlonePass)
	case mosaic:
		cs.fill(&p.readings, readMosaicPass)
	case alone:
		cs.fill(&p.values, readAlonePass) // reads the image, so it cannot write into it
	default:
		cs.fill(read, readPass)
	}
	if kind&withMosaic != 0 {
		cs.fill(read, mosaicPass)
	} else if alone && read == &image {
		cs.fill(&image, copyPass)
	}
	if kind&withSharpening != 0 {
		cs.fill(&image, sharpenPass)
	}
	return glError("applying chips")
}

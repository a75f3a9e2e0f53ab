package gl

import (
	"reflect"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
)

// chips applies render.Chips to images on the graphics card: the same arithmetic as package chip, in fragment shaders.
// Images differ from those of package chip by rounding, which a card may do differently.
type chips struct {
	on       bool // whether shaders apply chips at all
	programs [chipPasses]*program
	uniforms uint32 // buffer of chipUniforms
	values   *chipUniforms
	planes   []*chipPlanes
	dirt     []dirtTexture
	rows     []float32
	unknown  render.Chip // scratch memory of onProcessor
}

// chipPass is a draw call that fills an image, or its cells.
type chipPass int

const (
	lightPass chipPass = iota
	brighterPass
	averagePass
	blurRowsPass
	blurColumnsPass
	readPass
	readMosaicPass
	mosaicPass
	sharpenPass
	chipPasses
)

var chipShaders = [chipPasses]struct {
	file    string
	defines []string
}{
	lightPass:       {file: "chiplight.frag"},
	brighterPass:    {file: "chipbrighter.frag"},
	averagePass:     {file: "chipaverage.frag"},
	blurRowsPass:    {file: "chipblurrows.frag"},
	blurColumnsPass: {file: "chipblurcolumns.frag"},
	readPass:        {file: "chipread.frag"},
	readMosaicPass:  {file: "chipread.frag", defines: []string{"MOSAIC"}},
	mosaicPass:      {file: "chipmosaic.frag"},
	sharpenPass:     {file: "chipsharpen.frag"},
}

// Texture units of the passes. The other programs do not use them.
const (
	pictureUnit = 16 + iota
	cellsUnit
	decodedUnit
	dirtUnit
	brighterUnit
	chipLightUnit
	averageUnit
	blurredUnit
	scatteredUnit
	rowWeightsUnit
	columnWeightsUnit
	deviationsUnit
	readingsUnit
	valuesUnit
)

var chipSamplers = map[string]int32{"picture": pictureUnit, "aboveCells": cellsUnit, "decoded": decodedUnit,
	"dirt": dirtUnit, "brighter": brighterUnit, "light": chipLightUnit, "cells": averageUnit,
	"blurredRows": blurredUnit, "scattered": scatteredUnit, "rowWeights": rowWeightsUnit,
	"columnWeights": columnWeightsUnit, "deviations": deviationsUnit, "readings": readingsUnit, "values": valuesUnit}

// chipBinding is the binding of the uniform block Chip.
const chipBinding = 4

// chipUniforms is the uniform block Chip, in std140 layout.
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
}

func newChipUniforms(c *render.Chip, v *render.View) chipUniforms {
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
	}
}

// keepsAbove reports whether the image of a view is drawn together with the light above white. Images made from a cube
// map are not.
func keepsAbove(v *render.View) bool { return v.Color.Above != nil && v.CubeFace == 0 }

// newChips returns the chips of a context. It needs the context.
func newChips() chips { return chips{on: !isSoftware(gl.GoStr(gl.GetString(gl.RENDERER)))} }

// onProcessor returns why no shader applies a view's chip. If the result is empty, shaders do. A view without a chip or
// without an image has nothing to apply.
func (cs *chips) onProcessor(v *render.View) (why string) {
	c := v.Chip
	switch {
	case v.Color == nil || c == nil:
		return "there is nothing to apply"
	case !cs.on:
		return "OpenGL draws on the processor, which applies chips faster without OpenGL"
	case c.JPEGQuality != 0:
		return "JPEG needs a sequence of bits"
	case c.Spill != 0 || c.Smear != 0:
		return "charge flows along a whole column, pixel by pixel"
	}
	// what is left must be zero: faults that are new to this function are none of the shaders'
	u := &cs.unknown
	*u = *c
	u.FullWell, u.ReadNoise, u.Exposure, u.Gain, u.Balance, u.Bayer, u.Chromatic = 0, 0, 0, 0, [3]float64{}, false, 0
	u.Dirt, u.Fixed, u.Rows, u.Glare, u.Sharpening = nil, render.FixedPattern{}, render.Rows{}, 0, 0
	if !reflect.ValueOf(u).Elem().IsZero() {
		return "there is no shader for one of its faults"
	}
	return ""
}

// compile compiles the programs on first use.
func (cs *chips) compile() error {
	if cs.uniforms != 0 {
		return nil
	}
	for i, s := range chipShaders {
		p, err := newProgram("screen.vert", s.file, []string{"chip.glsl"}, s.defines...)
		if err != nil {
			return err
		}
		gl.UniformBlockBinding(p.id, gl.GetUniformBlockIndex(p.id, gl.Str("Chip\x00")), chipBinding)
		for name, unit := range chipSamplers {
			if l := gl.GetUniformLocation(p.id, gl.Str(name+"\x00")); l >= 0 {
				gl.Uniform1i(l, unit)
			}
		}
		cs.programs[i] = p
	}
	var decoded [256]float32
	for i := range decoded {
		decoded[i] = render.Decode8(byte(i))
	}
	floatTexture(decodedUnit, len(decoded), 1, &decoded[0])
	cs.values = &chipUniforms{}
	cs.uniforms = uniformBuffer(chipBinding, int(unsafe.Sizeof(chipUniforms{})), nil)
	return glError("preparing chips")
}

// apply applies a view's chip to the image in a target.
func (cs *chips) apply(v *render.View, t *target, empty uint32) error {
	if err := cs.compile(); err != nil {
		return err
	}
	c := v.Chip
	p, err := cs.planesOf(t.width, t.height, c)
	if err != nil {
		return err
	}
	*cs.values = newChipUniforms(c, v)
	gl.BindBuffer(gl.UNIFORM_BUFFER, cs.uniforms)
	gl.BufferData(gl.UNIFORM_BUFFER, int(unsafe.Sizeof(*cs.values)), unsafe.Pointer(cs.values), gl.STREAM_DRAW)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.BindVertexArray(empty)
	bind(pictureUnit, t.color)
	if keepsAbove(v) {
		bind(cellsUnit, t.above.cells)
		cs.draw(brighterPass, &p.brighter)
	}
	if len(c.Dirt) > 0 {
		bind(dirtUnit, cs.dirtOf(c, t))
	}
	if c.Rows.On() {
		cs.rows = chip.AppendRows(cs.rows, c, int(t.height))
		gl.ActiveTexture(gl.TEXTURE0 + deviationsUnit)
		gl.BindTexture(gl.TEXTURE_2D, p.deviations)
		gl.TexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, t.height, 1, gl.RED, gl.FLOAT, gl.Ptr(&cs.rows[0]))
	}
	cs.draw(lightPass, &p.light)
	if c.Glare != 0 {
		cs.draw(averagePass, &p.average)
		bind(rowWeightsUnit, p.rowWeights)
		bind(columnWeightsUnit, p.columnWeights)
		cs.draw(blurRowsPass, &p.blurred)
		cs.draw(blurColumnsPass, &p.scattered)
	}
	t.open(false)
	image := chipPlane{unit: pictureUnit, texture: t.color, fbo: t.colorFBO, width: t.width, height: t.height}
	read := &image
	if c.Sharpening != 0 {
		read = &p.values
	}
	if c.Bayer {
		cs.draw(readMosaicPass, &p.readings)
		cs.draw(mosaicPass, read)
	} else {
		cs.draw(readPass, read)
	}
	if c.Sharpening != 0 {
		cs.draw(sharpenPass, &image)
	}
	gl.Enable(gl.DEPTH_TEST)
	gl.Enable(gl.CULL_FACE)
	return glError("applying a chip")
}

// draw fills a plane, which later passes may read.
func (cs *chips) draw(pass chipPass, into *chipPlane) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, into.fbo)
	gl.Viewport(0, 0, into.width, into.height)
	gl.UseProgram(cs.programs[pass].id)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	bind(into.unit, into.texture)
}

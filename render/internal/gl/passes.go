package gl

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
)

// extent is the size of images, in pixels, and the number of layers.
type extent struct{ width, height, n int32 }

func (e extent) extentOf() extent { return e }

// images are images of one size that are drawn together: layers of textures.
type images struct {
	extent
	color, colorFBO uint32 // texture of 8-bit sRGB, and the framebuffer of all its layers
	cells           uint32 // texture of render.Image.Above of all, below each other; 0 if they are not kept
	z, zFBO         uint32 // texture of distances, and the framebuffer of all its layers; 0 without distances
}

// passes are draw calls that fill planes, for many images at once. V is an element of their uniform block, in std140
// layout: what they need to know about one image.
type passes[V any] struct {
	programs []*program // nil until they are compiled
	empty    uint32     // vertex array without attributes
	uniforms uint32     // buffer of values
	values   []V        // of the images that are drawn at once
	atOnce   int        // largest number of images that are drawn at once
	kinds    []int      // of all layers
	layers   []int      // those of the images that are drawn at once
}

// passSource is the source of a pass's fragment shader.
type passSource struct {
	file    string
	defines []string
}

// mostAtOnce is the largest number of images whose faults are drawn at once.
const mostAtOnce = 256

// Bindings of uniform blocks. Scenes use those before.
const (
	chipsBinding    = 4
	rangingsBinding = 5
)

// compile compiles the programs on first use. common is the file with the uniform block, and fragment are files for
// fragment shaders.
func (ps *passes[V]) compile(block string, binding uint32, common, fragment string, sources []passSource) error {
	if ps.programs != nil {
		return nil
	}
	var v V
	size := int(unsafe.Sizeof(v))
	var room int32
	gl.GetIntegerv(gl.MAX_UNIFORM_BLOCK_SIZE, &room)
	ps.atOnce = min(mostAtOnce, int(room)/size)
	programs := make([]*program, len(sources))
	for i, s := range sources {
		p, err := newProgram("layer.vert", fragment+" "+s.file, []string{common},
			append(s.defines, fmt.Sprint("IMAGES ", ps.atOnce))...)
		if err != nil {
			return err
		}
		gl.UniformBlockBinding(p.id, gl.GetUniformBlockIndex(p.id, gl.Str(block+"\x00")), binding)
		for name, unit := range passSamplers {
			if l := gl.GetUniformLocation(p.id, gl.Str(name+"\x00")); l >= 0 {
				gl.Uniform1i(l, unit)
			}
		}
		programs[i] = p
	}
	ps.values = make([]V, ps.atOnce)
	ps.uniforms = uniformBuffer(binding, ps.atOnce*size, nil)
	gl.GenVertexArrays(1, &ps.empty)
	ps.programs = programs
	return glError("compiling the shaders of faults")
}

// none is the kind of layers to which no pass applies anything.
const none = -1

// eachKind calls draw for every kind of layers, with at most atOnce layers of that kind at a time. If there are any, it
// first calls prepare.
func (ps *passes[V]) eachKind(kinds int, prepare func() error, draw func(kind int) error) error {
	if !slices.ContainsFunc(ps.kinds, func(kind int) bool { return kind != none }) {
		return nil
	}
	if err := prepare(); err != nil {
		return err
	}
	for kind := range kinds {
		ps.layers = ps.layers[:0]
		for layer, of := range ps.kinds {
			if of == kind {
				ps.layers = append(ps.layers, layer)
			}
			if n := len(ps.layers); n > 0 && (n == ps.atOnce || layer == len(ps.kinds)-1) {
				if err := draw(kind); err != nil {
					return err
				}
				ps.layers = ps.layers[:0]
			}
		}
	}
	return nil
}

// begin uploads the values of the current layers. It switches off the tests of depth and of faces, and binds a vertex
// array without attributes.
func (ps *passes[V]) begin(binding uint32) {
	var v V
	size := int(unsafe.Sizeof(v))
	gl.BindBuffer(gl.UNIFORM_BUFFER, ps.uniforms)
	gl.BufferData(gl.UNIFORM_BUFFER, len(ps.values)*size, nil, gl.STREAM_DRAW) // earlier draw calls keep theirs
	gl.BufferSubData(gl.UNIFORM_BUFFER, 0, len(ps.layers)*size, unsafe.Pointer(&ps.values[0]))
	gl.BindBufferBase(gl.UNIFORM_BUFFER, binding, ps.uniforms)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.BindVertexArray(ps.empty)
}

// fill fills the current layers of a plane.
func (ps *passes[V]) fill(p *plane, pass int) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, p.fbo)
	gl.Viewport(0, 0, p.width, p.height)
	gl.UseProgram(ps.programs[pass].id)
	gl.DrawArraysInstanced(gl.TRIANGLES, 0, 3, int32(len(ps.layers)))
}

// Texture units of the passes. The other programs do not use them.
const (
	pictureUnit = 24 + iota
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
	distancesUnit
	truthUnit
	outlinesUnit
	widenedUnit
)

var passSamplers = map[string]int32{"picture": pictureUnit, "aboveCells": cellsUnit, "decoded": decodedUnit,
	"dirt": dirtUnit, "brighter": brighterUnit, "light": chipLightUnit, "cells": averageUnit,
	"blurredRows": blurredUnit, "scattered": scatteredUnit, "rowWeights": rowWeightsUnit,
	"columnWeights": columnWeightsUnit, "deviations": deviationsUnit, "readings": readingsUnit, "values": valuesUnit,
	"distances": distancesUnit, "truth": truthUnit, "outlines": outlinesUnit, "widened": widenedUnit}

// plane is a texture that a pass fills. Each image is a layer. Other passes read it at its unit.
type plane struct {
	unit, texture, fbo uint32
	width, height      int32
}

// bind binds a texture to a unit.
func bind(unit, texture uint32) {
	gl.ActiveTexture(gl.TEXTURE0 + unit)
	gl.BindTexture(gl.TEXTURE_2D, texture)
}

// bindLayers binds a texture with layers to a unit.
func bindLayers(unit, texture uint32) {
	gl.ActiveTexture(gl.TEXTURE0 + unit)
	gl.BindTexture(gl.TEXTURE_2D_ARRAY, texture)
}

// floatTexture makes a texture of numbers, which stays bound to a unit. It is not filled if values is nil.
func floatTexture(unit uint32, width, height int, values *float32) uint32 {
	id := newTexture(unit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.R32F, int32(width), int32(height), 0, gl.RED, gl.FLOAT,
		unsafe.Pointer(values))
	return id
}

// layersOf makes a texture with n layers, which stays bound to a unit.
func layersOf(unit uint32, format, width, height, n int32) uint32 {
	id := newTextureOf(gl.TEXTURE_2D_ARRAY, unit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER,
		gl.NEAREST)
	gl.TexImage3D(gl.TEXTURE_2D_ARRAY, 0, format, width, height, n, 0, gl.RGBA, gl.FLOAT, nil)
	return id
}

// init makes a plane.
func (p *plane) init(unit uint32, format, width, height, n int32) error {
	*p = plane{unit: unit, width: width, height: height}
	p.texture = layersOf(unit, format, width, height, n)
	gl.GenFramebuffers(1, &p.fbo)
	gl.BindFramebuffer(gl.FRAMEBUFFER, p.fbo)
	gl.FramebufferTexture(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, p.texture, 0)
	return complete(width, height, n)
}

func (p *plane) delete() {
	gl.DeleteFramebuffers(1, &p.fbo) // ignores 0, as DeleteTextures does
	gl.DeleteTextures(1, &p.texture)
}

// maxPlanes is the number of sizes of images whose planes are kept. When it is reached, a new size replaces the oldest.
const maxPlanes = 8

// keptPlanes returns the planes for images among those that are kept. If there are none, it returns nil, and deletes
// planes that the new ones replace.
func keptPlanes[P interface {
	extentOf() extent
	delete()
}](kept []P, im *images) (still []P, found P) {
	old := slices.IndexFunc(kept, func(p P) bool {
		e := p.extentOf()
		return e.width == im.width && e.height == im.height
	})
	switch {
	case old >= 0 && kept[old].extentOf().n >= im.n:
		return kept, kept[old]
	case old < 0 && len(kept) < maxPlanes:
		return kept, found
	}
	old = max(old, 0)
	kept[old].delete()
	return slices.Delete(kept, old, old+1), found
}

// withoutShader returns why the processor must apply faults, or "". The argument points to a render.Chip or a
// render.Ranging in which the fields of all faults that shaders know are zero. A field that is not is a fault that no
// shader knows, for instance one that package render gets later.
func withoutShader(rest any) (why string) {
	if !reflect.ValueOf(rest).Elem().IsZero() {
		return "there is no shader for one of its faults"
	}
	return ""
}

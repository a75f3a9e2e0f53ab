package gl

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/optics"
)

// lens holds, as textures, the tables of a camera model for which the shaders have no formula.
type lens struct {
	*raster.Lens
	raysID uint32
	seenID uint32
}

// newLens computes the tables and their textures. It needs the context.
func newLens(m optics.Model) *lens {
	l := &lens{Lens: raster.NewLens(m)}
	w, h := m.Size()
	l.raysID = newTexture(raysUnit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, int32(w), int32(h), 0, gl.RGBA, gl.FLOAT, gl.Ptr(&l.Rays[0]))
	l.seenID = newTexture(seenUnit, gl.TEXTURE_MIN_FILTER, gl.LINEAR, gl.TEXTURE_MAG_FILTER, gl.LINEAR,
		gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RG32F, raster.SeenSize, raster.SeenSize, 0, gl.RG, gl.FLOAT, gl.Ptr(&l.Seen[0]))
	return l
}

// bind binds the textures of a cached lens.
func (lc *lensCache) bind(tables *raster.Lens) {
	l := lc.all[slices.IndexFunc(lc.all, func(l *lens) bool { return l.Lens == tables })]
	gl.ActiveTexture(gl.TEXTURE0 + raysUnit)
	gl.BindTexture(gl.TEXTURE_2D, l.raysID)
	gl.ActiveTexture(gl.TEXTURE0 + seenUnit)
	gl.BindTexture(gl.TEXTURE_2D, l.seenID)
}

// lensCache caches the tables of all models.
type lensCache struct{ all []*lens }

// get returns the tables of a model.
func (lc *lensCache) get(m optics.Model) *lens {
	for _, l := range lc.all {
		if reflect.DeepEqual(l.Model, m) {
			return l
		}
	}
	l := newLens(m)
	lc.all = append(lc.all, l)
	return l
}

// newTexture returns a texture that stays bound to a unit. parameters are pairs of name and value.
func newTexture(unit uint32, parameters ...int32) uint32 {
	return newTextureOf(gl.TEXTURE_2D, unit, parameters...)
}

// newTextureOf is like newTexture, for two- or three-dimensional textures.
func newTextureOf(kind, unit uint32, parameters ...int32) uint32 {
	var id uint32
	gl.GenTextures(1, &id)
	gl.ActiveTexture(gl.TEXTURE0 + unit)
	gl.BindTexture(kind, id)
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 1)
	for i := 0; i < len(parameters); i += 2 {
		gl.TexParameteri(kind, uint32(parameters[i]), parameters[i+1])
	}
	return id
}

func loadNoise(f *render.Floor) {
	newTexture(noiseUnit, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST, gl.TEXTURE_MAG_FILTER, gl.LINEAR)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.R8, render.GrainSize, render.GrainSize, 0, gl.RED, gl.UNSIGNED_BYTE,
		gl.Ptr(f.Grain()))
	gl.GenerateMipmap(gl.TEXTURE_2D)
}

func loadCrowd(im *render.Image) {
	newTexture(crowdUnit, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST, gl.TEXTURE_MAG_FILTER, gl.LINEAR,
		gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.SRGB8, int32(im.Width), int32(im.Height), 0, gl.RGB, gl.UNSIGNED_BYTE,
		gl.Ptr(im.Pix))
	gl.GenerateMipmap(gl.TEXTURE_2D)
}

// loadTextures uploads the textures of materials. It returns their names in OpenGL, which are 0 for materials without a
// texture.
func loadTextures(materials []render.Material) []uint32 {
	known := map[*render.Texture]uint32{}
	ids := make([]uint32, len(materials))
	for i := range materials {
		t := materials[i].Texture
		if t == nil {
			continue
		}
		if known[t] == 0 {
			known[t] = loadTexture(textureUnit, t)
		}
		ids[i] = known[t]
	}
	return ids
}

// loadTexture uploads a texture, which stays bound to a unit.
func loadTexture(unit uint32, t *render.Texture) uint32 {
	wraps := [...]int32{render.Repeat: gl.REPEAT, render.ClampToEdge: gl.CLAMP_TO_EDGE,
		render.MirroredRepeat: gl.MIRRORED_REPEAT}
	id := newTexture(unit, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR, gl.TEXTURE_MAG_FILTER, gl.LINEAR,
		gl.TEXTURE_WRAP_S, wraps[t.Wrap[0]], gl.TEXTURE_WRAP_T, wraps[t.Wrap[1]], gl.TEXTURE_MAX_LEVEL,
		int32(len(t.Levels)-1))
	for k, l := range t.Levels {
		gl.TexImage2D(gl.TEXTURE_2D, int32(k), gl.SRGB8, int32(l.Width), int32(l.Height), 0, gl.RGB,
			gl.UNSIGNED_BYTE, gl.Ptr(l.Pix))
	}
	return id
}

func loadGrid(m *raster.Marks) {
	newTexture(gridUnit, gl.TEXTURE_MIN_FILTER, gl.NEAREST_MIPMAP_NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST,
		gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE, gl.TEXTURE_MAX_LEVEL,
		int32(len(m.Levels)-1))
	for i, l := range m.Levels {
		gl.TexImage2D(gl.TEXTURE_2D, int32(i), gl.RGBA8UI, int32(l.Width), int32(l.Height), 0, gl.RGBA_INTEGER,
			gl.UNSIGNED_BYTE, gl.Ptr(l.IDs))
	}
}

// uniformBuffer returns a buffer that stays bound to a uniform block.
func uniformBuffer(binding uint32, size int, data unsafe.Pointer) uint32 {
	var id uint32
	gl.GenBuffers(1, &id)
	gl.BindBuffer(gl.UNIFORM_BUFFER, id)
	gl.BufferData(gl.UNIFORM_BUFFER, size, data, gl.STATIC_DRAW)
	gl.BindBufferBase(gl.UNIFORM_BUFFER, binding, id)
	return id
}

// pointBuffer makes a vertex array of points (x, y) and its buffer.
func pointBuffer() (array, buffer uint32) {
	gl.GenVertexArrays(1, &array)
	gl.BindVertexArray(array)
	gl.GenBuffers(1, &buffer)
	gl.BindBuffer(gl.ARRAY_BUFFER, buffer)
	gl.EnableVertexAttribArray(0)
	gl.VertexAttribPointerWithOffset(0, 2, gl.FLOAT, false, 8, 0)
	return array, buffer
}

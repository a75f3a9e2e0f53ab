package gl

import (
	"reflect"
	"slices"

	"github.com/go-gl/gl/v4.1-core/gl"

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
	l.Rays = nil // the texture holds them
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

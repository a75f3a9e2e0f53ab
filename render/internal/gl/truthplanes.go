package gl

import (
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// truthPlane describes a plane of ground truth.
type truthPlane struct {
	unit           uint32
	internalFormat int32  // the texture's
	format, typ    uint32 // in which it is read
	texel          int    // bytes of a pixel as it is read
}

// The planes, in the order of truth.frag's outputs.
const (
	labelPlane = iota
	rangePlane
	normalPlane
	flowPlane
)

var truthPlanes = [...]truthPlane{
	labelPlane:  {labelsUnit, gl.R16UI, gl.RED_INTEGER, gl.UNSIGNED_SHORT, 2},
	rangePlane:  {rangesUnit, gl.R32F, gl.RED, gl.FLOAT, 4},
	normalPlane: {normalsUnit, gl.RGBA32F, gl.RGBA, gl.FLOAT, 16}, // OpenGL need not draw to three components
	flowPlane:   {flowsUnit, gl.RG32F, gl.RG, gl.FLOAT, 8},
}

// planeSet is a set of planes.
type planeSet [len(truthPlanes)]bool

// planesOf returns the planes of a view's truth that a group draws, always with labels. Shaders cannot project points
// through a lens's tables, so the processor computes their flow.
func planesOf(v *render.View, lens *raster.Lens) (s planeSet) {
	t := v.Truth
	if t == nil {
		return s
	}
	return planeSet{labelPlane: true, rangePlane: t.Range != nil, normalPlane: t.Normals != nil,
		flowPlane: t.Flow != nil && v.Before != nil && lens == nil}
}

// truthLayers holds the planes of views that are drawn at once: as layers, and below each other. Each plane is made
// when it is first wanted.
type truthLayers struct {
	fbo, sheetFBO uint32 // 0 until ground truth is first requested
	depth         uint32 // texture
	textures      [len(truthPlanes)]uint32
	sheets        [len(truthPlanes)]sheet
}

// addTruth adds what planes of ground truth need. If it fails, it deletes all planes, so that the next call starts
// anew.
func (l *layers) addTruth(wanted *planeSet) error {
	err := l.addPlanes(wanted)
	if err != nil {
		l.truth.delete()
	}
	return err
}

func (l *layers) addPlanes(wanted *planeSet) error {
	t := &l.truth
	if t.fbo == 0 {
		gl.GenFramebuffers(1, &t.fbo)
		gl.GenFramebuffers(1, &t.sheetFBO)
		t.depth = l.images(gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT)
		gl.BindFramebuffer(gl.FRAMEBUFFER, t.fbo)
		gl.FramebufferTexture(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, t.depth, 0)
	}
	for i, p := range truthPlanes {
		if !wanted[i] || t.textures[i] != 0 {
			continue
		}
		t.textures[i] = l.images(p.internalFormat, p.format, p.typ)
		gl.BindFramebuffer(gl.FRAMEBUFFER, t.fbo)
		gl.FramebufferTexture(gl.FRAMEBUFFER, truthColors[i], t.textures[i], 0)
		if err := complete(l.width, l.height, l.n); err != nil {
			return err
		}
		if err := t.sheets[i].init(l.width, l.height, l.n, p.internalFormat, p.format, p.typ, p.texel); err != nil {
			return err
		}
		gl.BindFramebuffer(gl.FRAMEBUFFER, t.sheetFBO)
		gl.FramebufferTexture2D(gl.FRAMEBUFFER, truthColors[i], gl.TEXTURE_2D, t.sheets[i].texture, 0)
		if err := complete(l.width, l.height*l.n, 1); err != nil {
			return err
		}
	}
	return nil
}

// truthColors are the colour attachments of the planes.
var truthColors = [...]uint32{gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1, gl.COLOR_ATTACHMENT2, gl.COLOR_ATTACHMENT3}

func (t *truthLayers) delete() {
	for i := range t.sheets {
		t.sheets[i].delete()
	}
	gl.DeleteTextures(int32(len(t.textures)), &t.textures[0])
	gl.DeleteTextures(1, &t.depth)
	gl.DeleteFramebuffers(1, &t.fbo)
	gl.DeleteFramebuffers(1, &t.sheetFBO)
	*t = truthLayers{}
}

// deliverTruth copies the rows y0 to y1 − 1 of the truth of image i of a group.
func (t *transfer) deliverTruth(i int, of *group, f *render.Batch, y0, y1 int) {
	v := &f.Views[of.views[i]]
	into, w := v.Truth, of.width
	first, end := y0*w, y1*w
	plane := func(k int) []byte { return t.truths[k].mapped[(i*of.height+y0)*t.truths[k].stride:] }
	labels := plane(labelPlane)
	copy(into.Labels[first:end], unsafe.Slice((*uint16)(unsafe.Pointer(&labels[0])), end-first))
	if of.planes[rangePlane] {
		copy(into.Range[first:end], floats(plane(rangePlane)))
	}
	if of.planes[normalPlane] {
		normals := floats(plane(normalPlane))
		for k := range end - first {
			copy(into.Normals[3*(first+k):][:3], normals[4*k:])
		}
	}
	switch {
	case of.planes[flowPlane]:
		copy(into.Flow[2*first:2*end], floats(plane(flowPlane)))
	case into.Flow != nil && v.Before != nil:
		raster.Flow(v, f.PosesWB, y0, y1, func(x, y int) mgl64.Vec3 {
			ray := of.lens.Rays[4*(y*w+x):]
			return mgl64.Vec3{float64(ray[0]), float64(ray[1]), float64(ray[2])}
		})
	case into.Flow != nil:
		clear(into.Flow[2*first : 2*end])
	}
}

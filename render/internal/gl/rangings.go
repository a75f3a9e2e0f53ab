package gl

import (
	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
)

// rangings turns true distances into measured ones on the graphics card, as chips does with images.
type rangings struct {
	passes[rangingUniforms]
	planes  []*rangingPlanes
	unknown render.Ranging // scratch memory of onProcessor
}

// The passes of rangings.
const (
	limitPass = iota
	truthPass
	outlinePass
	widenPass
	measurePass
	measureOutlinesPass
)

var rangingSources = []passSource{
	limitPass:           {file: "ranginglimit.frag"},
	truthPass:           {file: "rangingtruth.frag"},
	outlinePass:         {file: "rangingoutline.frag"},
	widenPass:           {file: "rangingwiden.frag"},
	measurePass:         {file: "random.glsl rangingmeasure.frag"},
	measureOutlinesPass: {file: "random.glsl rangingmeasure.frag", defines: []string{"OUTLINES"}},
}

// rangingUniforms is an element of the uniform block Rangings, in std140 layout.
type rangingUniforms struct {
	random   [4]uint32
	limits   [4]float32
	axial    [4]float32
	spread   [4]float32
	lens     [4]float32
	perFocal [4]float32
	size     [4]int32
}

func newRangingUniforms(v *render.View, layer int) rangingUniforms {
	r := v.Ranging
	n := chip.NewRangingNumbers(r, v.Model.(optics.Pinhole), v.NoiseKey)
	u := rangingUniforms{
		random:   [4]uint32{n.Key[0], n.Key[1], n.None, n.Mixed},
		limits:   [4]float32{n.Near, n.Far, n.Shadow, n.Step},
		axial:    vec4(n.Axial, 0),
		spread:   [4]float32{n.Slant[0], n.Slant[1], n.Lateral[0], n.Lateral[1]},
		lens:     [4]float32{n.Focal[0], n.Focal[1], n.Centre[0], n.Centre[1]},
		perFocal: [4]float32{n.PerFocal[0], n.PerFocal[1]},
		size:     [4]int32{int32(v.Depth.Width), int32(v.Depth.Height), int32(n.Margin), int32(layer)},
	}
	if r.Exact {
		u.limits = [4]float32{float32(r.Min), float32(r.Max)} // the other fields have no effect
	}
	return u
}

// onProcessor returns why no shader applies a view's ranging. If the result is empty, shaders do.
func (rs *rangings) onProcessor(v *render.View) (why string) {
	r := v.Ranging
	switch {
	case v.Depth == nil || r == nil:
		return "there is nothing to apply"
	case r.DarkRange != 0:
		return "OpenGL does not draw the reflectance of surfaces"
	}
	u := &rs.unknown
	*u = *r
	u.Min, u.Max, u.Exact, u.Axial, u.Slant, u.Lateral, u.Flying, u.Dropout = 0, 0, false, [3]float64{}, [2]float64{},
		[2]float64{}, 0, 0
	u.Baseline, u.SignalNoise, u.Margin, u.Step = 0, 0, 0, 0
	return withoutShader(u)
}

// The kinds of rangings, which differ by their passes.
const (
	exactKind = iota
	plainKind
	outlinesKind
	rangingKinds
)

func kindOfRanging(r *render.Ranging) int {
	switch {
	case r.Exact:
		return exactKind
	case r.Lateral != [2]float64{} || r.Flying > 0 || r.Dropout > 0:
		return outlinesKind
	}
	return plainKind
}

// prepare compiles the programs on first use.
func (rs *rangings) prepare() error {
	return rs.compile("Rangings", rangingsBinding, "ranging.glsl", "layer.glsl rangingimage.glsl", rangingSources)
}

// apply applies the rangings of views to their distances, as far as shaders do. The layers of the images are those of
// the views with the given indices, in that order.
func (rs *rangings) apply(views []render.View, indices []int, im *images) error {
	rs.kinds = rs.kinds[:0]
	for _, i := range indices {
		kind := none
		if v := &views[i]; rs.onProcessor(v) == "" {
			kind = kindOfRanging(v.Ranging)
		}
		rs.kinds = append(rs.kinds, kind)
	}
	return rs.eachKind(rangingKinds, rs.prepare, func(kind int) error { return rs.draw(kind, views, indices, im) })
}

// draw applies the rangings of rs.layers, which are of one kind.
func (rs *rangings) draw(kind int, views []render.View, indices []int, im *images) error {
	p, err := rs.planesOf(im)
	if err != nil {
		return err
	}
	for i, layer := range rs.layers {
		rs.values[i] = newRangingUniforms(&views[indices[layer]], layer)
	}
	rs.begin(rangingsBinding)
	for _, of := range p.all() {
		bindLayers(of.unit, of.texture)
	}
	bindLayers(distancesUnit, im.z)
	rs.fill(&p.truth, truthPass)
	image := plane{fbo: im.zFBO, width: im.width, height: im.height}
	switch kind {
	case outlinesKind:
		rs.fill(&p.outlines, outlinePass)
		rs.fill(&p.widened, widenPass)
		rs.fill(&image, measureOutlinesPass)
	case plainKind:
		rs.fill(&image, measurePass)
	case exactKind:
		rs.fill(&image, limitPass)
	}
	return glError("applying rangings")
}

// rangingPlanes are the planes of images of one size.
type rangingPlanes struct {
	extent
	truth, outlines, widened plane
}

func (p *rangingPlanes) all() [3]*plane { return [...]*plane{&p.truth, &p.outlines, &p.widened} }

// planesOf returns planes for images. It makes them if necessary.
func (rs *rangings) planesOf(im *images) (*rangingPlanes, error) {
	var p *rangingPlanes
	if rs.planes, p = keptPlanes(rs.planes, im); p != nil {
		return p, nil
	}
	p = &rangingPlanes{extent: im.extent}
	for i, into := range p.all() {
		if err := into.init([]uint32{truthUnit, outlinesUnit, widenedUnit}[i], gl.R32F, im.width, im.height,
			im.n); err != nil {
			p.delete()
			return nil, err
		}
	}
	rs.planes = append(rs.planes, p)
	return p, nil
}

func (p *rangingPlanes) delete() {
	for _, of := range p.all() {
		of.delete()
	}
}

package python

import (
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Size of the images of overview, in pixels.
const overviewWidth, overviewHeight = 640, 400

// overview draws the place for people who watch it.
type overview struct {
	renderer render.Renderer
	scenery  *scenery.Scenery // of the renderer
	pixels   Pixels
}

// draw draws the present state as the window of a run shows it at first.
func (o *overview) draw(s *simulation, m *memory) (Pixels, error) {
	all := s.sim.Sensors()
	if o.scenery != all.Scenery() {
		o.close()
		renderer, err := all.NewRenderer()
		if err != nil {
			return Pixels{}, err
		}
		o.renderer, o.scenery = renderer, all.Scenery()
	}
	im := render.NewImage(overviewWidth, overviewHeight)
	if o.pixels.Shape == nil {
		at, err := m.allocate(len(im.Pix))
		if err != nil {
			return Pixels{}, err
		}
		o.pixels = PixelsOf("image", im.Pix, overviewHeight, overviewWidth, 3)
		o.pixels.At = at
	}
	model, poseWC := viewer.New(nil, nil, nil).Camera(overviewWidth, overviewHeight, nil)
	err := o.renderer.Render(&render.Batch{PosesWB: o.scenery.Poses(s.sim.Truth(), nil), Shading: o.scenery.Shading(),
		Views: []render.View{{Model: &model, PoseWC: poseWC, Color: im}}})
	copy(m.data[o.pixels.At:], im.Pix)
	return o.pixels, err
}

func (o *overview) close() {
	if o.renderer != nil {
		o.renderer.Close()
	}
	*o = overview{pixels: o.pixels}
}

package omnipitch

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// exposure is the pictures that make one, of a camera whose shutter takes its time or whose lens has an aperture.
type exposure struct {
	d        *delivery
	frames   []render.Batch // one for each sample, of one view
	pictures []*render.Image
	drifted  physics.Snapshot
}

// expose prepares the pictures of a delivery, or returns nil when the picture of the stamp will do.
func (in *instance) expose(s *Sim, d *delivery) *exposure {
	samples := in.camera.ExposureSamples(d.obs.Level)
	if len(samples) == 0 || d.obs.Color == nil {
		return nil
	}
	e := in.exposures.get()
	if e == nil {
		e = &exposure{}
	}
	e.d = d
	for len(e.frames) < len(samples) {
		e.frames = append(e.frames, render.Batch{Views: make([]render.View, 1)})
		e.pictures = append(e.pictures, render.NewImage(d.obs.Color.Width, d.obs.Color.Height))
	}
	at := *s.instant(in)
	at.Snapshot = &e.drifted
	for i, sample := range samples {
		s.truth.Drifted(sample.At, &e.drifted)
		e.frames[i].PosesWB = s.scenery.Poses(&e.drifted, e.frames[i].PosesWB)
		e.frames[i].Views[0] = in.camera.View(d.obs.Level, &at)
		view := &e.frames[i].Views[0]
		view.PoseWC, view.Color = view.PoseWC.Mul(sample.PoseCT), e.pictures[i]
	}
	return e
}

// draw draws all pictures.
func (e *exposure) draw(renderer render.Renderer) error {
	for i := range e.frames {
		if err := renderer.Render(&e.frames[i]); err != nil {
			return err
		}
	}
	return nil
}

// finish makes them one and keeps their memory.
func (e *exposure) finish() {
	e.d.in.camera.Expose(e.d.obs, e.pictures)
	e.d.in.exposures.put(e)
}

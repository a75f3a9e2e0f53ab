package pipeline

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// exposure holds the samples from which one image is made, for a camera whose shutter is open for a time or whose lens
// has an aperture.
type exposure struct {
	d       *delivery
	batches []render.Batch // one for each sample, each with one view
	images  []*render.Image
	drifted physics.Snapshot

	chip     *render.Chip
	noiseKey uint64
}

// expose prepares the samples of a delivery's image. It returns nil if the image needs only one sample, at its stamp.
func (p *Pipeline) expose(d *delivery, j *drawJob) *exposure {
	in := d.in
	samples := in.camera.ExposureSamples(d.obs.Level)
	if len(samples) == 0 || d.obs.Color == nil {
		return nil
	}
	e := in.exposures.get()
	if e == nil {
		e = &exposure{}
	}
	e.d = d
	for len(e.batches) < len(samples) {
		e.batches = append(e.batches, render.Batch{Views: make([]render.View, 1)})
		e.images = append(e.images, in.camera.NewImage())
	}
	at := *p.instant(in)
	at.Snapshot = &e.drifted
	for i, sample := range samples {
		d.shot.state.Drifted(sample.At, &e.drifted)
		e.batches[i].PosesWB, e.batches[i].Shading = p.cfg.Poses(&e.drifted, e.batches[i].PosesWB), j.batch.Shading
		e.batches[i].Views[0] = in.camera.View(d.obs.Level, &at)
		view := &e.batches[i].Views[0]
		view.PoseWC, view.Color = at.State().PoseWB.Mul(d.obs.PoseBC).Mul(sample.PoseCT), e.images[i]
	}
	return e
}

// draw draws all samples.
func (e *exposure) draw(renderer render.Renderer) error {
	for i := range e.batches {
		if err := renderer.Render(&e.batches[i]); err != nil {
			return err
		}
	}
	return nil
}

// merge makes one image of the samples and returns the memory to the pool.
func (e *exposure) merge() {
	e.d.in.camera.Expose(e.d.obs, e.images, e.chip, e.noiseKey)
	e.d.in.exposures.put(e)
}

package pipeline

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// exposure holds the images of the samples that are averaged into one image. It is used for a camera with a finite
// exposure time or a finite aperture.
type exposure struct {
	d       *delivery
	batches []render.Batch // one batch for each sample, with one view each
	images  []*render.Image
	drifted physics.Snapshot

	chip     *render.Chip
	noiseKey uint64
}

// expose prepares the samples of a delivery's image. It returns nil if one rendering at the capture time is enough, or
// if the delivery has no colour image.
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

// draw renders all samples. It returns the error of the first sample that fails.
func (e *exposure) draw(renderer render.Renderer) error {
	for i := range e.batches {
		if err := renderer.Render(&e.batches[i]); err != nil {
			return err
		}
	}
	return nil
}

// merge averages the samples into the colour image of the observation, and returns the memory of the samples to the
// pool.
func (e *exposure) merge() {
	e.d.in.camera.Expose(e.d.obs, e.images, e.chip, e.noiseKey)
	e.d.in.exposures.put(e)
}

package pipeline

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// exposure holds the images of the samples that are averaged into one image. It is used for a camera with a finite
// exposure time or a finite aperture.
type exposure struct {
	d           *delivery
	batches     []render.Batch // one batch for each sample, with a view for each eye
	left, right averaged       // right has no images unless the camera is a stereo pair
	drifted     physics.Snapshot
}

// averaged holds the images of the samples of one camera, and what is applied to their mean.
type averaged struct {
	images   []*render.Image
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
		e.batches = append(e.batches, render.Batch{})
		e.left.images = append(e.left.images, in.camera.NewImage())
		if d.obs.Right != nil {
			e.right.images = append(e.right.images, in.camera.NewImage())
		}
	}
	at := *p.instant(in)
	at.Snapshot = &e.drifted
	for i, sample := range samples {
		d.shot.state.Drifted(sample.At, &e.drifted)
		e.batches[i].PosesWB, e.batches[i].Shading = p.cfg.Poses(&e.drifted, e.batches[i].PosesWB), j.batch.Shading
		view := in.camera.View(d.obs.Level, &at)
		view.PoseWC, view.Color = at.State().PoseWB.Mul(d.obs.PoseBC), e.left.images[i]
		views := append(e.batches[i].Views[:0], view)
		if d.obs.Right != nil {
			right := in.camera.RightView(view)
			right.Color = e.right.images[i]
			views = append(views, right)
		}
		for k := range views {
			views[k].PoseWC = views[k].PoseWC.Mul(sample.PoseCT)
		}
		e.batches[i].Views = views
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

// merge averages the samples into the colour images of the observation, and returns the memory of the samples to the
// pool.
func (e *exposure) merge() {
	e.d.in.camera.Expose(e.d.obs.Color, e.left.images, e.left.chip, e.left.noiseKey)
	if e.d.obs.Right != nil {
		e.d.in.camera.Expose(e.d.obs.Right, e.right.images, e.right.chip, e.right.noiseKey)
	}
	e.d.in.exposures.put(e)
}

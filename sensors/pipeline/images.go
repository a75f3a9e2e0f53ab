package pipeline

import (
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// images holds the images of one frame.
type images struct {
	color *render.Image
	right *render.Image // nil unless the camera is a stereo pair
	depth *render.Depth
	truth *render.Truth // nil unless the camera records ground truth of its images
}

// newImages returns the images for a frame. It takes them from the pool unless the pool is empty.
func (in *instance) newImages() *images {
	if b := in.images.get(); b != nil {
		return b
	}
	return imagesOf(in.camera)
}

// passTo makes the images those of an observation.
func (b *images) passTo(o *sensors.Observation) {
	o.Color, o.Right, o.Depth, o.Truth = b.color, b.right, b.depth, b.truth
}

// imagesOf allocates the images that a camera delivers.
func imagesOf(camera *sensors.Camera) *images {
	b := &images{color: camera.NewImage()}
	if camera.Stereo() != nil {
		b.right = camera.NewImage()
	}
	if camera.MeasuresDepth() {
		b.depth = camera.NewDepth()
	}
	if camera.Config().Annotate {
		b.truth = render.NewTruth(camera.Model().Size())
	}
	return b
}

package optics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Pinhole is a camera without distortion.
type Pinhole struct {
	Width, Height  int
	FX, FY, CX, CY float64 // pixels
}

// PinholeFromFOV returns a pinhole with square pixels. Its principal point is the centre of the image. Its field of
// view is fovX radians across the whole width of the image.
func PinholeFromFOV(width, height int, fovX float64) Pinhole {
	f := float64(width) / 2 / math.Tan(fovX/2)
	return Pinhole{Width: width, Height: height, FX: f, FY: f, CX: float64(width-1) / 2, CY: float64(height-1) / 2}
}

func (p Pinhole) Size() (width, height int) { return p.Width, p.Height }

// Project fails for points in the plane of the pinhole or behind it.
func (p Pinhole) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	if pointC[2] <= 0 {
		return 0, 0, false
	}
	return p.CX + p.FX*pointC[0]/pointC[2], p.CY + p.FY*pointC[1]/pointC[2], true
}

// Unproject never fails.
func (p Pinhole) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	return mgl64.Vec3{(u - p.CX) / p.FX, (v - p.CY) / p.FY, 1}.Normalize(), true
}

// BrownConrady is a pinhole with a lens that distorts. It is OpenCV's common model, and ROS's plumb_bob and
// rational_polynomial.
type BrownConrady struct {
	Pinhole
	Distortion Distortion
	// largest radius in the image plane, before distortion, up to which different points have different images
	reach float64
}

// NewBrownConrady returns the model. It fails if the distortion folds the image at its centre.
func NewBrownConrady(p Pinhole, d Distortion) (BrownConrady, error) {
	reach, err := d.reach()
	return BrownConrady{Pinhole: p, Distortion: d, reach: reach}, err
}

// Project fails for points behind the lens, and for points beyond the radius at which the distortion folds the image
// back.
func (b BrownConrady) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	if pointC[2] <= 0 {
		return 0, 0, false
	}
	x, y := pointC[0]/pointC[2], pointC[1]/pointC[2]
	if math.Hypot(x, y) > b.reach {
		return 0, 0, false
	}
	x, y = b.Distortion.apply(x, y)
	return b.CX + b.FX*x, b.CY + b.FY*y, true
}

// Unproject fails for pixels beyond the image of that radius.
func (b BrownConrady) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	x, y, ok := b.Distortion.invert((u-b.CX)/b.FX, (v-b.CY)/b.FY, b.reach)
	if !ok {
		return mgl64.Vec3{}, false
	}
	return mgl64.Vec3{x, y, 1}.Normalize(), true
}

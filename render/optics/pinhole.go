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

// PinholeFromFOV returns a pinhole with square pixels whose principal point is the centre of the image. Its field of
// view is fovX radians across the image's whole width.
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

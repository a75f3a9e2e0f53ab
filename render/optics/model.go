package optics

import "github.com/go-gl/mathgl/mgl64"

// Model is a camera. Unless it is NonCentral, the origin of its optical frame is its single viewpoint.
type Model interface {
	// Size returns the image's width and height in pixels.
	Size() (width, height int)
	// Project returns the pixel where a point of the optical frame, metres, is seen. ok is false if the optics cannot
	// image it. A pixel outside of Size is not a failure (see Inside).
	Project(pointC mgl64.Vec3) (u, v float64, ok bool)
	// Unproject returns the unit viewing direction of a pixel; ok is false if the optics show nothing there.
	Unproject(u, v float64) (dirC mgl64.Vec3, ok bool)
}

// NonCentral is a Model whose rays do not meet in one point, such as a mirror without a single viewpoint. Its Unproject
// returns only the direction, which is correct for distant points.
type NonCentral interface {
	Model
	// Ray returns the viewing ray of a pixel in the optical frame: its origin where it leaves the optics, metres, and
	// its unit direction. ok is false if the optics show nothing there.
	Ray(u, v float64) (originC, dirC mgl64.Vec3, ok bool)
}

// Catadioptric is a Model of a camera that looks up into a mirror. The mirror's axis is z.
type Catadioptric interface {
	Model
	// RimPixels returns the radius, in pixels along u, at which the image of the mirror ends.
	RimPixels() float64
	// Outline returns n points (r, z) of the mirror's surface in the optical frame, metres, from its tip to its rim.
	Outline(n int) []mgl64.Vec2
	// PinholeZ returns the height of the real camera's viewpoint in the optical frame, metres.
	PinholeZ() float64
}

// Inside reports whether a pixel position is inside a model's image.
func Inside(m Model, u, v float64) bool {
	w, h := m.Size()
	return u >= -0.5 && v >= -0.5 && u < float64(w)-0.5 && v < float64(h)-0.5
}

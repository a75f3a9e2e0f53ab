package calibration

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Upright reports whether a camera's optical axis is nearly vertical. The image then shows the robot's front in a
// direction from its centre, instead of at a place.
func Upright(poseBC spatial.Pose) bool {
	return math.Abs(poseBC.Rotate(mgl64.Vec3{0, 0, 1})[2]) > math.Cos(math.Pi/4)
}

// Tilt returns the angle between an Upright camera's optical axis and the vertical, radians.
func Tilt(poseBC spatial.Pose) float64 {
	axis := poseBC.Rotate(mgl64.Vec3{0, 0, 1})
	return math.Atan2(math.Hypot(axis[0], axis[1]), math.Abs(axis[2]))
}

// FrontAngle returns the direction in the image of an Upright camera that shows the robot's front, rad in (−π, π]: 0 is
// right, and π/2 is down, since rows count downwards.
func FrontAngle(poseBC spatial.Pose) float64 { return angleInImage(poseBC, mgl64.Vec3{1, 0, 0}) }

func angleInImage(poseBC spatial.Pose, dirB mgl64.Vec3) float64 {
	d := poseBC.Unrotate(dirB)
	return math.Atan2(d[1], d[0])
}

// Front describes in words where a camera's image shows the robot's front, and for an Upright camera also the robot's
// left.
func Front(m optics.Model, poseBC spatial.Pose) string {
	if Upright(poseBC) {
		return fmt.Sprintf("front is %s in the image, the robot's left is %s", side(FrontAngle(poseBC)),
			side(angleInImage(poseBC, mgl64.Vec3{0, 1, 0})))
	}
	ahead := poseBC.Unrotate(mgl64.Vec3{1, 0, 0})
	u, v, ok := m.Project(ahead.Mul(1e6)) // far away, so that the camera's position on the robot does not matter
	if ok && optics.Inside(m, u, v) {
		return fmt.Sprintf("a far point straight ahead is at the pixel (%.1f, %.1f) of the image", u, v)
	}
	where := "to the right of it"
	switch {
	case ahead[2] < 0:
		where = "behind the camera"
	case math.Abs(ahead[1]) > math.Abs(ahead[0]) && ahead[1] < 0:
		where = "above it"
	case math.Abs(ahead[1]) > math.Abs(ahead[0]):
		where = "below it"
	case ahead[0] < 0:
		where = "to the left of it"
	}
	return "a far point straight ahead is outside of the image, " + where
}

// side describes a direction in an image in words, rounded to a degree.
func side(angle float64) string {
	deg := math.Round(angle * 180 / math.Pi)
	switch math.Mod(deg+360, 360) {
	case 0:
		return "to the right"
	case 90:
		return "down"
	case 180:
		return "to the left"
	case 270:
		return "up"
	}
	if deg < 0 {
		return fmt.Sprintf("%v° anticlockwise of the right", -deg)
	}
	return fmt.Sprintf("%v° clockwise of the right", deg)
}

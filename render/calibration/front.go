package calibration

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Upright reports whether a camera's optical axis is nearly vertical. The robot's front is then a direction in the
// image, from the image's centre outwards, and not a point of the image.
func Upright(poseBC spatial.Pose) bool {
	return math.Abs(poseBC.Rotate(mgl64.Vec3{0, 0, 1})[2]) > math.Cos(math.Pi/4)
}

// Tilt returns the angle between an Upright camera's optical axis and the vertical, radians.
func Tilt(poseBC spatial.Pose) float64 {
	axis := poseBC.Rotate(mgl64.Vec3{0, 0, 1})
	return math.Atan2(math.Hypot(axis[0], axis[1]), math.Abs(axis[2]))
}

// FrontAngle returns the direction in the image of an Upright camera that shows the robot's front, rad in (−π, π]. 0
// points to the right, and π/2 points down, because rows count downwards.
func FrontAngle(poseBC spatial.Pose) float64 { return angleInImage(poseBC, mgl64.Vec3{1, 0, 0}) }

func angleInImage(poseBC spatial.Pose, dirB mgl64.Vec3) float64 {
	d := poseBC.Unrotate(dirB)
	return math.Atan2(d[1], d[0])
}

// Front describes in words where the robot's front is in a camera's image. For an Upright camera it also describes
// where the robot's left is.
func Front(m optics.Model, poseBC spatial.Pose) string {
	if Upright(poseBC) {
		return fmt.Sprintf("front is %s in the image, the robot's left is %s", side(FrontAngle(poseBC)),
			side(angleInImage(poseBC, mgl64.Vec3{0, 1, 0})))
	}
	ahead := poseBC.Unrotate(mgl64.Vec3{1, 0, 0})
	// the point is far away, so that the camera's position on the robot does not matter
	u, v, ok := m.Project(ahead.Mul(1e6))
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

// WriteFrontVision writes Param.txt (see WriteParam) into a robot's folder, which it creates.
func WriteFrontVision(files *Files, folder string, p Pinhole, poseBC spatial.Pose) error {
	return files.Write(filepath.Join(folder, "Param.txt"), func(w io.Writer) error { return WriteParam(w, p, poseBC) })
}

// WriteParam writes Param.txt. From this file, team NuBot's front-vision node computes the position of a ball on the
// floor. The file holds 22 numbers. First come the focal lengths, the skew and the principal point in pixels. Then come
// the three rows of a board's pose [R | t] in the optical frame, in millimetres. Last come the distortion coefficients
// k1, k2, p1, p2, k3, which the node reads but does not use (see FitUndistorted). The board lies on the floor, with x
// to the right and y forwards. The robot's centre is at (90, −500) mm on the board (nubot_ws, front_vision,
// ballfinder.cpp: InitParam).
func WriteParam(out io.Writer, p Pinhole, poseBC spatial.Pose) error {
	poseCB := poseBC.Inverse()
	right, ahead, up := poseCB.Rotate(mgl64.Vec3{0, -1, 0}), poseCB.Rotate(mgl64.Vec3{1, 0, 0}),
		poseCB.Rotate(mgl64.Vec3{0, 0, 1})
	origin := poseCB.Apply(mgl64.Vec3{0.5, 0.09, 0}).Mul(1000) // of the board's frame
	values := []float64{p.FX, p.FY, 0, p.CX, p.CY}
	for row := range 3 {
		values = append(values, right[row], ahead[row], up[row], origin[row])
	}
	_, err := fmt.Fprintln(out, numbers(" ", append(values, p.Distortion[:]...)...))
	return err
}

// Parallax returns the error, in pixels, of images that are rendered with the single viewpoint of c instead of the
// mirror. The first length is the height of the viewpoint above the floor. The error is that of objects on the field.
// The other lengths are the objects' height, and their largest distance from the axis; the smallest distance is 0.5 m.
// All lengths are in metres.
func Parallax(c optics.Central, height, top, reach float64) Residual {
	var off []float64
	const steps = 20
	for i := range steps {
		for j := range steps {
			// Distances grow geometrically, because the parallax in an image depends on their ratios.
			distance := 0.5 * math.Pow(reach/0.5, float64(i)/(steps-1))
			z := top * float64(j) / (steps - 1)
			if p, ok := c.Parallax(mgl64.Vec3{distance, 0, z - height}); ok {
				off = append(off, p)
			}
		}
	}
	return residualOf(off)
}

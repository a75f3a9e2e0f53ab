package calibration

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// WriteFrontVision writes Param.txt (see WriteParam) into a robot's folder, which it creates.
func WriteFrontVision(files *Files, folder string, p Pinhole, poseBC spatial.Pose) error {
	return files.Write(filepath.Join(folder, "Param.txt"), func(w io.Writer) error { return WriteParam(w, p, poseBC) })
}

// WriteParam writes Param.txt, from which team NuBot's front-vision node computes where on the floor a ball is. It
// holds 22 numbers: the focal lengths, the skew and the principal point in pixels; the three rows of a board's pose in
// the optical frame, [R | t] in millimetres; and the distortion k1, k2, p1, p2, k3, which the node reads but does not
// use (see FitUndistorted). The board lies on the floor, x to the right and y forwards; the robot's centre is at (90,
// −500) mm on it (nubot_ws, front_vision, ballfinder.cpp: InitParam).
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

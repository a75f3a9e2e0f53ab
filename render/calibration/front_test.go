package calibration

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// At the described front of the image, the camera sees a floor point ahead of the robot, and likewise for the left.
func TestFrontIsWhereTheCameraSeesIt(t *testing.T) {
	m := mirror()
	lookingUp := spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)} // as package sensors mounts a camera under a mirror
	for _, c := range []struct {
		yaw  float64 // of the mount, degrees
		want string
	}{
		{0, "front is up in the image, the robot's left is to the right"},
		{-90, "front is to the right in the image, the robot's left is down"},
		{90, "front is to the left in the image, the robot's left is up"},
		{180, "front is down in the image, the robot's left is to the left"},
		{-60, "front is 30° anticlockwise of the right in the image, the robot's left is 60° clockwise of the right"},
	} {
		poseBC := spatial.RPY(mgl64.Vec3{0, 0, 0.78}, 0, 0, c.yaw*math.Pi/180).Mul(lookingUp)
		if got := Front(m, poseBC); got != c.want {
			t.Errorf("yaw %v°: %q, want %q", c.yaw, got, c.want)
		}
		u, v, ok := m.Project(poseBC.Inverse().Apply(mgl64.Vec3{2, 0, 0}))
		if seen := math.Atan2(v-m.CY, u-m.CX); !ok ||
			!(math.Abs(math.Remainder(seen-FrontAngle(poseBC), 2*math.Pi)) <= 1e-9) {
			t.Errorf("yaw %v°: a point ahead is seen at the angle %v, FrontAngle is %v", c.yaw, seen,
				FrontAngle(poseBC))
		}
	}
}

func TestFrontOfACameraThatLooksAhead(t *testing.T) {
	p := optics.Pinhole{Width: 640, Height: 480, FX: 500, FY: 500, CX: 319.5, CY: 239.5}
	for _, c := range []struct {
		pitch float64
		want  string
	}{
		{0, "a far point straight ahead is at the pixel (319.5, 239.5) of the image"},
		{math.Atan(0.2), "a far point straight ahead is at the pixel (319.5, 139.5) of the image"},
		{0.7, "a far point straight ahead is outside of the image, above it"},
		{-0.7, "a far point straight ahead is outside of the image, below it"},
		{3, "a far point straight ahead is outside of the image, behind the camera"},
	} {
		if got := Front(p, spatial.RPY(mgl64.Vec3{0.2, 0, 0.5}, 0, c.pitch,
			0).Mul(spatial.BodyToOptical())); got != c.want {
			t.Errorf("pitch %v: %q, want %q", c.pitch, got, c.want)
		}
	}
	// A camera turned to the right has the front on its left.
	for yaw, want := range map[float64]string{-1: "to the left of it", 1: "to the right of it"} {
		if got := Front(p, spatial.RPY(mgl64.Vec3{}, 0, 0,
			yaw).Mul(spatial.BodyToOptical())); got != "a far point straight ahead is outside of the image, "+want {
			t.Errorf("yaw %v: %q, want %s", yaw, got, want)
		}
	}
}

package calibration

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The oracle is front_vision's arithmetic, reimplemented from its description: it must compute a ball's floor position,
// millimetres in the robot's frame, from the pixel of its centre and the board's pose in the file.
func TestFrontVisionFindsTheBall(t *testing.T) {
	camera := optics.Pinhole{Width: 640, Height: 480, FX: 530, FY: 541, CX: 325, CY: 236}
	poseBC := spatial.RPY(mgl64.Vec3{0.21, -0.04, 0.5}, 0.02, 0.3, -0.1).Mul(spatial.BodyToOptical())
	fit, err := FitPinhole(Sample(camera, 30))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := WriteParam(&file, fit, poseBC); err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(file.String())); n != 22 {
		t.Fatalf("%d numbers, want 22: %s", n, &file)
	}
	var fx, fy, skew, cx, cy float64
	var rows [3][4]float64
	if _, err := fmt.Fscan(&file, &fx, &fy, &skew, &cx, &cy,
		&rows[0][0], &rows[0][1], &rows[0][2], &rows[0][3], &rows[1][0], &rows[1][1], &rows[1][2], &rows[1][3],
		&rows[2][0], &rows[2][1], &rows[2][2], &rows[2][3]); err != nil {
		t.Fatal(err)
	}
	const radius = 110.0 // of the ball, mm
	for _, ball := range []mgl64.Vec2{{800, 0}, {1500, 400}, {4000, -900}, {750, 90}} {
		u, v, ok := camera.Project(poseBC.Inverse().Apply(mgl64.Vec3{ball[0] / 1000, ball[1] / 1000, radius / 1000}))
		if !ok || !optics.Inside(camera, u, v) {
			t.Fatalf("%v is outside of the image", ball)
		}
		ny := (v - cy) / fy
		n := mgl64.Vec3{(u-cx)/fx - skew*ny, ny, 1}
		// depth·n = R·board + t for a point of the board's frame at the height of the ball's radius.
		column := func(i int) mgl64.Vec3 { return mgl64.Vec3{rows[0][i], rows[1][i], rows[2][i]} }
		solved := mgl64.Mat3FromCols(column(0), column(1),
			n.Mul(-1)).Inv().Mul3x1(column(2).Mul(-radius).Sub(column(3)))
		right, ahead := solved[0]-90, solved[1]+500 // relative to the robot, whose centre is at (90, −500)
		if got := (mgl64.Vec2{ahead, -right}); !(math.Hypot(got[0]-ball[0], got[1]-ball[1]) <= 1e-3) {
			t.Errorf("a ball at %v mm is taken to be at %v", ball, got)
		}
	}
}

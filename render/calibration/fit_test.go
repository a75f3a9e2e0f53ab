package calibration

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func mirror() optics.Hyperbolic {
	return optics.Hyperbolic{
		Pinhole: optics.Pinhole{Width: 640, Height: 640, FX: 495, FY: 495, CX: 321, CY: 318}, K: 3.3, C: 0.12,
		RimRadius: 0.06,
	}
}

func TestAPinholeFitsItself(t *testing.T) {
	want := optics.Pinhole{Width: 640, Height: 480, FX: 530, FY: 541, CX: 325, CY: 236}
	got := must.Get(FitPinhole(Sample(want, 30)))(t)
	for i, d := range []float64{got.FX - want.FX, got.FY - want.FY, got.CX - want.CX, got.CY - want.CY} {
		if !(math.Abs(d) <= 1e-6) {
			t.Errorf("parameter %d is off by %v px", i, d)
		}
	}
	for i, d := range got.Distortion {
		if !(math.Abs(d) <= 1e-8) {
			t.Errorf("distortion %d = %v, want none", i, d)
		}
	}
	if !(got.Max <= 1e-6) {
		t.Errorf("residual %+v", got.Residual)
	}
}

func TestAFitRecoversDistortion(t *testing.T) {
	want := Pinhole{Width: 640, Height: 480, FX: 500, FY: 505, CX: 310, CY: 244, Distortion: [5]float64{-0.28, 0.09,
		0.001, -0.002, -0.01}}
	rays := Rays{Width: want.Width, Height: want.Height}
	random := rand.New(rand.NewPCG(3, 0))
	for range 900 {
		x, y := 1.1*(random.Float64()-0.5), 0.85*(random.Float64()-0.5)
		u, v := want.project(x, y)
		rays.All = append(rays.All, Ray{u, v, mgl64.Vec3{x, y, 1}.Normalize()})
	}
	got := must.Get(FitPinhole(rays))(t)
	if !scalar.EqualWithinAbs(got.FX, want.FX, 1e-3) || !scalar.EqualWithinAbs(got.CY, want.CY, 1e-3) ||
		!(got.Max <= 1e-4) {
		t.Errorf("got %+v", got)
	}
	for i, d := range got.Distortion {
		must.Near(t, fmt.Sprintf("distortion %d", i), d, want.Distortion[i], 1e-4)
	}
}

// Without distortion, the fitted intrinsics describe a lens better than the intrinsics that belong to its distortion.
func TestAFitDoesWithoutDistortion(t *testing.T) {
	lens := must.Get(optics.NewBrownConrady(optics.Pinhole{Width: 640, Height: 480, FX: 500, FY: 505, CX: 310, CY: 244},
		optics.Distortion{K1: -0.28, K2: 0.09}))(t)
	rays := Sample(lens, 30)
	plain := must.Get(FitUndistorted(rays))(t)
	full := must.Get(FitPinhole(rays))(t)
	full.Distortion = [5]float64{}
	var left []float64
	for _, r := range rays.All {
		u, v := full.project(r.DirC[0]/r.DirC[2], r.DirC[1]/r.DirC[2])
		left = append(left, math.Hypot(u-r.U, v-r.V))
	}
	without := residualOf(left)
	t.Logf("%+v, with the intrinsics of the whole model %+v", plain, without)
	if plain.Distortion != [5]float64{} || !(plain.RMS > 0.5) || !(plain.RMS < 0.5*without.RMS) {
		t.Errorf("left over %v px rms, want less than half of %v", plain.RMS, without.RMS)
	}
}

// A fitted model, evaluated as the toolbox's C code does, shows points where the mirror does.
func TestOCamSeesWhatTheMirrorSees(t *testing.T) {
	m := mirror()
	o := must.Get(FitOCam(Sample(m, 60)))(t)
	t.Logf("%+v", o.Residual)
	if !scalar.EqualWithinAbs(o.CenterRow, m.CY, 1e-3) || !scalar.EqualWithinAbs(o.CenterColumn, m.CX, 1e-3) ||
		!scalar.EqualWithinAbs(o.C, 1, 1e-6) {
		t.Errorf("centre (%v, %v), c = %v: want (%v, %v), 1", o.CenterRow, o.CenterColumn, o.C, m.CY, m.CX)
	}
	if !(o.Max <= 0.1) {
		t.Errorf("residual %+v: must be at most 0.1 px", o.Residual)
	}
	// Both packages interpret the toolbox's parameters alike.
	again := must.Get(optics.NewOCam(optics.OCam{Width: o.Width, Height: o.Height, CX: o.CenterColumn, CY: o.CenterRow,
		C: o.C, D: o.D, E: o.E, Poly: o.Direct, Behind: true}))(t)
	random := rand.New(rand.NewPCG(5, 0))
	for range 1000 {
		u, v := 640*random.Float64(), 640*random.Float64()
		d, ok := m.Unproject(u, v)
		if !ok || math.Hypot(d[0], d[1]) < 0.02 {
			continue
		}
		// world2cam: the toolbox's x runs along the rows, its y along the columns.
		x, y, z := d[1], d[0], d[2]
		norm := math.Hypot(x, y)
		rho := evaluate(o.Inverse, math.Atan(z/norm))
		px, py := x/norm*rho, y/norm*rho
		row, col := px*o.C+py*o.D+o.CenterRow, px*o.E+py+o.CenterColumn
		if miss := math.Hypot(col-u, row-v); !(miss <= 0.1) {
			t.Fatalf("(%.1f, %.1f) is seen %.3f px off", u, v, miss)
		}
		if gu, gv, ok := again.Project(d); !ok || !(math.Hypot(gu-u, gv-v) <= 0.01) {
			t.Fatalf("(%.1f, %.1f) is seen at (%.3f, %.3f) by optics.OCam", u, v, gu, gv)
		}
	}
}

// The fit of a mirror that obeys the law finds the law's parameters.
func TestGroundLawFitsItself(t *testing.T) {
	const a, b, height = 1.57, 0.0071, 0.78
	rays := Rays{Width: 640, Height: 640}
	for i := range 40 {
		for j := range 40 {
			u, v := 16*float64(i)+4, 16*float64(j)+4
			x, y := u-322, v-317
			if rho := math.Hypot(x, y); rho < 200 && rho > 0 {
				ground := a * math.Tan(b*rho)
				rays.All = append(rays.All, Ray{u, v, mgl64.Vec3{x / rho * ground, y / rho * ground,
					-height}.Normalize()})
			}
		}
	}
	g := must.Get(FitGround(rays, spatial.Translation(mgl64.Vec3{0, 0, height}), 9))(t)
	if !scalar.EqualWithinAbs(g.A, a, 1e-6) || !scalar.EqualWithinAbs(g.B, b, 1e-8) ||
		!scalar.EqualWithinAbs(g.CenterColumn, 322, 1e-6) || !(g.Max <= 1e-6) {
		t.Errorf("got %+v", g)
	}
}

// The correction for a mirror beside the robot's centre is in the node's frame, the image's right and down. A tilt
// remains as residual.
func TestGroundKnowsItsMount(t *testing.T) {
	rays, lookingUp := Sample(mirror(), 60), spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)}
	at := func(pitch, yaw float64) spatial.Pose {
		return spatial.RPY(mgl64.Vec3{0.05, -0.02, 0.78}, 0, pitch, yaw).Mul(lookingUp)
	}
	right, up := must.Get(FitGround(rays, at(0, -math.Pi/2), 6))(t), must.Get(FitGround(rays, at(0, 0), 6))(t)
	for i, d := range []float64{right.CorrectionX + 0.05, right.CorrectionY - 0.02, up.CorrectionX - 0.02,
		up.CorrectionY - 0.05, up.RMS - right.RMS} {
		if !(math.Abs(d) <= 1e-9) {
			t.Errorf("%d is off by %v m: front right %+v, front up %+v", i, d, right, up)
		}
	}
	// Half a degree moves the floor at 3 m, seen at a slope of 0.26, by 0.1 m ahead and behind.
	if tilted := must.Get(FitGround(rays, at(math.Pi/360, -math.Pi/2), 6))(t); !(tilted.RMS > right.RMS+0.02) {
		t.Errorf("a tilt leaves over %+v, none %+v", tilted.Residual, right.Residual)
	}
}

func TestFitsRefuseWhatTheyCannotDescribe(t *testing.T) {
	must.Refuse(FitPinhole(Sample(mirror(), 30)))(t, "", "a mirror was described as a pinhole")
	if _, err := FitGround(Sample(optics.PinholeFromFOV(640, 480, 1), 30),
		spatial.Translation(mgl64.Vec3{0, 0, 0.5}).Mul(spatial.BodyToOptical()), 6); err == nil {
		t.Error("a pinhole that looks ahead was described by the ground law")
	}
	must.Refuse(FitOCam(Rays{Width: 640, Height: 640}))(t, "", "nothing was described")
}

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
		must.Equal(t, Front(m, poseBC), c.want, "yaw %v°", c.yaw)
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
		must.Equal(t, Front(p, spatial.RPY(mgl64.Vec3{0.2, 0, 0.5}, 0, c.pitch,
			0).Mul(spatial.BodyToOptical())), c.want, "pitch %v", c.pitch)
	}
	// A camera turned to the right has the front on its left.
	for yaw, want := range map[float64]string{-1: "to the left of it", 1: "to the right of it"} {
		if got := Front(p, spatial.RPY(mgl64.Vec3{}, 0, 0,
			yaw).Mul(spatial.BodyToOptical())); got != "a far point straight ahead is outside of the image, "+want {
			t.Errorf("yaw %v: %q, want %s", yaw, got, want)
		}
	}
}

// The oracle is front_vision's arithmetic, reimplemented from its description: it must compute a ball's floor position,
// millimetres in the robot's frame, from the pixel of its centre and the board's pose in the file.
func TestFrontVisionFindsTheBall(t *testing.T) {
	camera := optics.Pinhole{Width: 640, Height: 480, FX: 530, FY: 541, CX: 325, CY: 236}
	poseBC := spatial.RPY(mgl64.Vec3{0.21, -0.04, 0.5}, 0.02, 0.3, -0.1).Mul(spatial.BodyToOptical())
	fit := must.Get(FitPinhole(Sample(camera, 30)))(t)
	var file bytes.Buffer
	must.Do(t, WriteParam(&file, fit, poseBC))
	if n := len(strings.Fields(file.String())); n != 22 {
		t.Fatalf("%d numbers, want 22: %s", n, &file)
	}
	var fx, fy, skew, cx, cy float64
	var rows [3][4]float64
	must.Get(fmt.Fscan(&file, &fx, &fy, &skew, &cx, &cy,
		&rows[0][0], &rows[0][1], &rows[0][2], &rows[0][3], &rows[1][0], &rows[1][1], &rows[1][2], &rows[1][3],
		&rows[2][0], &rows[2][1], &rows[2][2], &rows[2][3]))(t)
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

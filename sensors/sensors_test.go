package sensors

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func robot() *physics.Robot {
	return &physics.Robot{Name: "cyan1", Drive: physics.Drive{
		WheelAngles: []float64{math.Pi / 4, 3 * math.Pi / 4, 5 * math.Pi / 4, 7 * math.Pi / 4}, WheelDistance: 0.2,
		WheelRadius: 0.06,
	}}
}

// build returns a complete sensor of a robot, after a change of its configuration. The field is empty, with boards 10 m
// and 7 m from its centre.
func build(t testing.TB, kind Kind, change func(*Config)) Sensor {
	t.Helper()
	cfg := &Config{Name: string(kind), Kind: kind}
	cfg.Complete()
	if cfg.Imager == nil {
		cfg.Mount.Z = 0.3
	}
	if change != nil {
		change(cfg)
	}
	must.Do(t, cfg.Validate())
	r := robot()
	r.Dribbler, r.Drive.Motor = &physics.Dribbler{}, &physics.Motor{}
	s := must.Get(New(cfg, Site{Robot: r, Model: &physics.Model{Step: 5 * time.Millisecond, Field: field}, Seed: 1}))(t)
	return s
}

var field = physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
	Length: 18, Width: 12, Border: 1, WallHeight: 0.4}

func at(state physics.RobotState) *Instant {
	return &Instant{Snapshot: &physics.Snapshot{Robots: []physics.RobotState{state}}, Gravity: 9.81}
}

func standing() physics.RobotState { return physics.RobotState{PoseWB: spatial.Identity()} }

// among is an instant at which the robot stands among targets.
func among(pose spatial.Pose, targets ...abstraction.Target) *Instant {
	state := standing()
	state.PoseWB = pose
	instant := at(state)
	instant.Environment = &abstraction.Environment{PoseWB: pose, Targets: targets}
	return instant
}

// read returns a sensor's reading, a *T, of an instant.
func read[T any](s Sensor, level abstraction.Level, frame uint64, instant *Instant) *T {
	obs := Observation{Level: level, Frame: frame, Stamp: s.Config().Due(frame)}
	s.Observe(instant, &obs)
	return obs.Reading.(*T)
}

// checkErrors fails unless normally distributed errors have mean 0 and a variance, within 5 standard errors.
func checkErrors(t *testing.T, what string, errs []float64, variance float64) {
	t.Helper()
	mean, square, n := stat.Mean(errs, nil), 0.0, float64(len(errs))
	for _, e := range errs {
		square += e * e / n
	}
	if !(math.Abs(mean) <= 5*math.Sqrt(variance/n)) || !scalar.EqualWithinAbs(square, variance,
		5*variance*math.Sqrt(2/n)) {
		t.Errorf("%s: mean error %v, variance %v, want 0 and %v", what, mean, square, variance)
	}
}

func TestDueFramesNeverDrift(t *testing.T) {
	cfg := Config{Rate: 30, Phase: 7 * time.Millisecond}
	for _, k := range []uint64{0, 1, 30, 30 * 3600 * 24} {
		want := cfg.Phase + time.Duration(k)*time.Second/30
		if d := cfg.Due(k) - want; d < -time.Nanosecond || d > time.Nanosecond {
			t.Errorf("frame %d is due at %v, want %v", k, cfg.Due(k), want)
		}
	}
}

func TestIMUAtRestReadsGravityUp(t *testing.T) {
	s := build(t, "imu", func(c *Config) { c.Level = abstraction.Truth; c.Mount = Mount{Z: 0.1, Pitch: math.Pi / 2} })
	// Pitched by 90°, the unit's x looks down: up is −x.
	r := read[IMUReading](s, abstraction.Truth, 0, at(standing()))
	if d := r.AccelS.Sub(mgl64.Vec3{-9.81, 0, 0}).Len(); !(d <= 1e-12) || r.GyroS.Len() != 0 || r.RotCovariance != 0 {
		t.Errorf("%+v, want a specific force of −9.81 along x", r)
	}
}

// A unit off the centre of a spinning robot measures the centripetal acceleration, and during spin-up the Euler
// acceleration.
func TestIMUOffTheCentre(t *testing.T) {
	s := build(t, "imu", func(c *Config) { c.Level = abstraction.Truth; c.Mount = Mount{X: 0.2} })
	state := standing()
	state.TwistWBInW.Ang, state.AngAccelWBInW = mgl64.Vec3{0, 0, 5}, mgl64.Vec3{0, 0, 100}
	got, want := read[IMUReading](s, abstraction.Truth, 0, at(state)).AccelS, mgl64.Vec3{-0.2 * 25, 0.2 * 100, 9.81}
	if !(got.Sub(want).Len() <= 1e-9) {
		t.Errorf("specific force %v, want %v", got, want)
	}
}

func TestIMUNoise(t *testing.T) {
	s := build(t, "imu", func(c *Config) { c.IMU.AccelWalk = 0 })
	var errs []float64
	var covariance float64
	for k := range uint64(20_000) {
		r := read[IMUReading](s, abstraction.Raw, k, at(standing()))
		errs, covariance = append(errs, r.AccelS[0]), r.AccelCovariance
	}
	cfg := s.Config()
	checkErrors(t, "acceleration", errs, cfg.IMU.AccelNoise*cfg.IMU.AccelNoise*cfg.Rate)
	checkErrors(t, "acceleration by the reading", errs, covariance)
}

func TestIMUBiasWalksWithTheRootOfTime(t *testing.T) {
	const frames, walk = 1000, 0.01
	var biases []float64
	var rate, covariance float64
	for r := range 400 {
		s := build(t, "imu", func(c *Config) {
			c.Name, c.IMU.AccelNoise, c.IMU.AccelWalk = fmt.Sprint("imu", r), 0, walk
		})
		bias := 0.0
		for k := range uint64(frames) {
			r := read[IMUReading](s, abstraction.Raw, k, at(standing()))
			bias, covariance = r.AccelS[1], r.AccelCovariance
		}
		biases, rate = append(biases, bias), s.Config().Rate
	}
	checkErrors(t, "bias", biases, walk*walk*frames/rate)
	must.Near(t, "covariance of the reading", covariance, walk*walk*frames/rate, 1e-9)
}

// roll returns the odometry of wheels that roll with a twist for some seconds.
func roll(t *testing.T, s Sensor, twist physics.PlanarTwist, seconds int) *OdometryReading {
	t.Helper()
	drive := robot().Drive
	wheels := must.Get(drive.WheelSet())(t)
	rates := wheels.Speeds(twist)
	var last *OdometryReading
	for k := range uint64(seconds*100 + 1) {
		state := standing()
		for i := range rates {
			state.WheelRad[i] = rates[i] * float64(k) / 100
		}
		last = read[OdometryReading](s, abstraction.Raw, k, at(state))
	}
	return last
}

// Driving in a circle, converted to wheel angles by the drive's kinematics, gives the same circle.
func TestOdometryFollowsTheWheels(t *testing.T) {
	const omega, v, seconds = 0.8, 1.5, 5
	s := build(t, "odometry", func(c *Config) { c.Odometry.ScaleError = 0; c.Odometry.Ticks = 1e7 })
	got, r := roll(t, s, physics.PlanarTwist{VX: v, Omega: omega}, seconds), v/omega
	want := spatial.Planar(r*math.Sin(omega*seconds), r*(1-math.Cos(omega*seconds)), omega*seconds)
	if !(got.PoseOB.Pos.Sub(want.Pos).Len() <= 1e-3) || !scalar.EqualWithinAbs(got.TwistB.VX, v, 0.01) ||
		!scalar.EqualWithinAbs(got.TwistB.Omega, omega, 0.01) {
		t.Errorf("after the circle %+v, want %v", got, want.Pos)
	}
}

func TestWrongRadiiMakeOdometryDrift(t *testing.T) {
	s := build(t, "odometry", func(c *Config) { c.Odometry.ScaleError = 0.01 })
	got := roll(t, s, physics.PlanarTwist{VX: 1}, 10)
	if off := got.PoseOB.Pos.Sub(mgl64.Vec3{10, 0, 0}).Len(); !(off >= 1e-3) || !(off <= 3) {
		t.Errorf("after 10 m with radii 1 %% off: %v m off", off)
	}
}

// A Kinect's depth has its faults at raw, and only the device's range at ideal.
func TestKinectDepth(t *testing.T) {
	s := build(t, KinectKind, func(c *Config) { c.Ranging.Noise = 3 }).(*Camera)
	now := at(standing())
	if raw, want := s.View(abstraction.Raw, now).Ranging, s.Config().Ranging.Measured(); *raw != *want || raw.Exact ||
		!(raw.Axial[0] > 0.004) {
		t.Errorf("at raw %+v, want %+v", raw, want)
	}
	if ideal := s.View(abstraction.Ideal, now).Ranging; *ideal != (render.Ranging{Min: 0.5, Max: 8, Exact: true}) {
		t.Errorf("at ideal %+v", ideal)
	}
	if v := build(t, CameraKind, nil).(*Camera).View(abstraction.Raw, now); v.Ranging != nil {
		t.Errorf("a camera without depth measures %+v", v.Ranging)
	}
}

func TestOmniLooksForwardAtTheTop(t *testing.T) {
	s := build(t, OmniKind, func(c *Config) { c.Mount.Z = 0.78 }).(*Camera)
	seen := func(p mgl64.Vec3) (u, v float64) {
		u, v, ok := s.Model().Project(s.PoseBC().Inverse().Apply(p))
		if !ok {
			t.Fatalf("%v is not seen", p)
		}
		return u, v
	}
	if u, v := seen(mgl64.Vec3{3, 0, 0}); !scalar.EqualWithinAbs(u, 319.5, 1e-6) || !(v <= 200) {
		t.Errorf("a point ahead is at %v, %v, want the upper middle", u, v)
	}
	if u, v := seen(mgl64.Vec3{0, 3, 0}); !(u >= 440) || !scalar.EqualWithinAbs(v, 319.5, 1e-6) {
		t.Errorf("a point to the left is at %v, %v, want the right middle: a mirror reverses", u, v)
	}
	rim := s.Model().(interface{ RimPixels() float64 }).RimPixels()
	if !(rim >= 290) || !(rim <= 320) {
		t.Errorf("the mirror's disc has a radius of %v px, want it to fill 640 px", rim)
	}
}

func TestCamerasAtUpperLevels(t *testing.T) {
	scene := &abstraction.Environment{PoseWB: spatial.Identity(), Targets: []abstraction.Target{{
		Kind: abstraction.BallKind, Name: "ball", Shape: abstraction.Shape{Kind: abstraction.Sphere, Radius: 0.11},
		PoseWT: spatial.Translation(mgl64.Vec3{2, 0.3, 0.11}),
	}}}
	for _, kind := range []Kind{OmniKind, CameraKind, KinectKind} {
		s := build(t, kind, func(c *Config) {
			c.Mount = Mount{Z: 0.7, Pitch: map[Kind]float64{OmniKind: 0, CameraKind: 0.2, KinectKind: 0.2}[kind]}
		})
		for _, level := range []abstraction.Level{abstraction.Objects, abstraction.Truth} {
			found := 0
			var off float64
			for k := range uint64(100) {
				obs := Observation{Level: level, Frame: k}
				in := at(standing())
				in.Environment = scene
				s.Observe(in, &obs)
				for _, d := range obs.Objects.Detections {
					found++
					off = math.Max(off, d.PosB.Sub(mgl64.Vec3{2, 0.3, 0.11}).Len())
				}
				must.Equal(t, obs.Objects.SelfKnown, kind == OmniKind || level == abstraction.Truth,
					"%s at %s: SelfKnown", kind, level)
			}
			switch {
			case level == abstraction.Truth && (found != 100 || off > 1e-12):
				t.Errorf("%s: truth found %d of 100, up to %v m off", kind, found, off)
			case level == abstraction.Objects && (found < 90 || off == 0 || off > 0.2):
				t.Errorf("%s: objects found %d of 100, up to %v m off", kind, found, off)
			}
		}
	}
}

func TestObservationReleasesOnce(t *testing.T) {
	var o Observation
	released := 0
	o.OnRelease(func() { released++ })
	o.Retain()
	o.Retain()
	o.Release()
	o.Release()
	if released != 0 {
		t.Error("released while held")
	}
	o.Release()
	if released != 1 {
		t.Errorf("released %d times", released)
	}
}

func TestValidateNamesEveryViolation(t *testing.T) {
	cfg := Config{Name: "k", Kind: KinectKind}
	cfg.Complete()
	cfg.Level, cfg.Ranging.Min, cfg.Rate = "pose", 9, -1
	var mirror imaging.Mirror
	mirror.SetDefaults()
	cfg.Mirror = &mirror
	err := cfg.Validate()
	if err == nil {
		t.Fatal("valid")
	}
	for _, want := range []string{"Rate = -1: must lie in (0, 1000] Hz", `Level = "pose"`, "Mirror",
		"Ranging.Max = 8: must be larger than Min"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	if _, err := New(&Config{Name: "x", Kind: "nose"}, Site{Robot: robot()}); err == nil ||
		errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a nose was built: %v", err)
	}
}

// A camera has its chip only at raw, with another key for each frame. It applies the chip itself to averaged images.
func TestChipOfACamera(t *testing.T) {
	s := build(t, KinectKind, nil).(*Camera)
	frame := func(level abstraction.Level, number uint64) *Observation {
		return &Observation{Level: level, Frame: number, Settings: s.Settings()}
	}
	var scene render.Scene
	if c, _ := s.Chip(frame(abstraction.Ideal, 1), &scene, &scene.Light); c != nil {
		t.Errorf("at ideal there is the chip %+v", c)
	}
	c, key := s.Chip(frame(abstraction.Raw, 1), &scene, &scene.Light)
	if _, next := s.Chip(frame(abstraction.Raw, 2), &scene, &scene.Light); c == nil || key == next {
		t.Fatalf("chip %v, key %v, of the next frame %v", c, key, next)
	}
	w, h := s.Model().Size()
	picture := render.NewImage(w, h)
	for i := range picture.Pix {
		picture.Pix[i] = 100
	}
	got := &Observation{Level: abstraction.Raw, Frame: 1, Color: render.NewImage(w, h)}
	s.Expose(got.Color, []*render.Image{picture}, c, key)
	var p chip.Processor
	if p.Apply(picture, c, key); !bytes.Equal(got.Color.Pix, picture.Pix) {
		t.Error("an exposed image differs from a drawn one")
	}
}

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

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

func robot() *physics.Robot {
	return &physics.Robot{Name: "cyan1", Drive: physics.Drive{
		WheelAngles: []float64{math.Pi / 4, 3 * math.Pi / 4, 5 * math.Pi / 4, 7 * math.Pi / 4}, WheelDistance: 0.2,
		WheelRadius: 0.06,
	}}
}

// build returns a complete sensor after change.
func build(t testing.TB, kind Kind, change func(*Config)) Sensor {
	t.Helper()
	cfg := &Config{Name: string(kind), Kind: kind}
	cfg.Complete()
	if change != nil {
		change(cfg)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	s, err := New(cfg, Site{Robot: robot(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(state physics.RobotState) *Instant {
	return &Instant{Snapshot: &physics.Snapshot{Robots: []physics.RobotState{state}}, Gravity: 9.81}
}

func standing() physics.RobotState { return physics.RobotState{PoseWB: spatial.Identity()} }

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
	obs := Observation{Level: abstraction.Truth}
	s.Observe(at(standing()), &obs)
	// Pitched by 90°, the unit's x looks down: up is −x.
	if d := obs.Reading.(*IMUReading).AccelS.Sub(mgl64.Vec3{-9.81, 0, 0}).Len(); !(d <= 1e-12) {
		t.Errorf("specific force %v", obs.Reading.(*IMUReading).AccelS)
	}
	if obs.Reading.(*IMUReading).GyroS.Len() != 0 || obs.Reading.(*IMUReading).RotCovariance != 0 {
		t.Errorf("%+v", obs.Reading)
	}
}

// A unit off the centre of a spinning robot measures the centripetal acceleration, and during spin-up the Euler
// acceleration.
func TestIMUOffTheCentre(t *testing.T) {
	s := build(t, "imu", func(c *Config) { c.Level = abstraction.Truth; c.Mount = Mount{X: 0.2} })
	state := standing()
	state.TwistWBInW.Ang, state.AngAccelWBInW = mgl64.Vec3{0, 0, 5}, mgl64.Vec3{0, 0, 100}
	obs := Observation{Level: abstraction.Truth}
	s.Observe(at(state), &obs)
	want := mgl64.Vec3{-0.2 * 25, 0.2 * 100, 9.81}
	if d := obs.Reading.(*IMUReading).AccelS.Sub(want).Len(); !(d <= 1e-9) {
		t.Errorf("specific force %v, want %v", obs.Reading.(*IMUReading).AccelS, want)
	}
}

func TestIMUNoise(t *testing.T) {
	const n = 20_000
	s := build(t, "imu", func(c *Config) { c.IMU.AccelWalk = 0 })
	cfg := s.Config()
	var sum, sum2 float64
	for k := range uint64(n) {
		obs := Observation{Level: abstraction.Raw, Frame: k, Stamp: cfg.Due(k)}
		s.Observe(at(standing()), &obs)
		x := obs.Reading.(*IMUReading).AccelS[0]
		sum, sum2 = sum+x, sum2+x*x
	}
	sigma := cfg.IMU.AccelNoise * math.Sqrt(cfg.Rate)
	if got := math.Sqrt(sum2 / n); !scalar.EqualWithinAbs(got, sigma, 5*sigma/math.Sqrt(2*n)) {
		t.Errorf("σ = %v, want %v", got, sigma)
	}
	if got := sum / n; !(math.Abs(got) <= 5*sigma/math.Sqrt(n)) {
		t.Errorf("mean %v, want 0", got)
	}
}

func TestIMUBiasWalksWithTheRootOfTime(t *testing.T) {
	const runs, frames = 400, 1000
	var sum2 float64
	var cfg *Config
	for r := range runs {
		s := build(t, "imu", func(c *Config) {
			c.Name = fmt.Sprint("imu", r)
			c.IMU.AccelNoise = 0
			c.IMU.AccelWalk = 0.01
		})
		cfg = s.Config()
		obs := Observation{Level: abstraction.Raw}
		for k := range uint64(frames) {
			obs = Observation{Level: abstraction.Raw, Frame: k, Stamp: cfg.Due(k)}
			s.Observe(at(standing()), &obs)
		}
		sum2 += obs.Reading.(*IMUReading).AccelS[1] * obs.Reading.(*IMUReading).AccelS[1]
	}
	want := cfg.IMU.AccelWalk * math.Sqrt(frames/cfg.Rate)
	if got := math.Sqrt(sum2 / runs); !scalar.EqualWithinAbs(got, want, 5*want/math.Sqrt(2*runs)) {
		t.Errorf("bias after %v s: σ = %v, want %v", frames/cfg.Rate, got, want)
	}
}

// Driving in a circle, converted to wheel angles by the drive's kinematics, gives the same circle.
func TestOdometryFollowsTheWheels(t *testing.T) {
	exact := func(c *Config) { c.Odometry.ScaleError = 0; c.Odometry.Ticks = 1e7 }
	s := build(t, "odometry", exact)
	drive := robot().Drive
	wheels, err := drive.WheelSet()
	if err != nil {
		t.Fatal(err)
	}
	const omega, v, seconds = 0.8, 1.5, 5.0
	rates := wheels.Speeds(physics.PlanarTwist{VX: v, Omega: omega})
	var obs Observation
	for k := uint64(0); k <= uint64(seconds*100); k++ {
		state := standing()
		for i := range rates {
			state.WheelRad[i] = rates[i] * float64(k) / 100
		}
		obs = Observation{Level: abstraction.Raw, Frame: k, Stamp: s.Config().Due(k)}
		s.Observe(at(state), &obs)
	}
	r := v / omega
	want := spatial.Planar(r*math.Sin(omega*seconds), r*(1-math.Cos(omega*seconds)), omega*seconds)
	if d := obs.Reading.(*OdometryReading).PoseOB.Pos.Sub(want.Pos).Len(); !(d <= 1e-3) {
		t.Errorf("after the circle at %v, want %v", obs.Reading.(*OdometryReading).PoseOB.Pos, want.Pos)
	}
	if t2 := obs.Reading.(*OdometryReading).TwistB; !scalar.EqualWithinAbs(t2.VX, v, 0.01) ||
		!scalar.EqualWithinAbs(t2.Omega, omega, 0.01) {
		t.Errorf("twist %+v", t2)
	}
}

func TestWrongRadiiMakeOdometryDrift(t *testing.T) {
	s := build(t, "odometry", func(c *Config) { c.Odometry.ScaleError = 0.01 })
	drive := robot().Drive
	wheels, _ := drive.WheelSet()
	rates := wheels.Speeds(physics.PlanarTwist{VX: 1})
	var obs Observation
	for k := range uint64(1001) {
		state := standing()
		for i := range rates {
			state.WheelRad[i] = rates[i] * float64(k) / 100
		}
		obs = Observation{Level: abstraction.Raw, Frame: k, Stamp: s.Config().Due(k)}
		s.Observe(at(state), &obs)
	}
	if off := obs.Reading.(*OdometryReading).PoseOB.Pos.Sub(mgl64.Vec3{10, 0, 0}).Len(); !(off >= 1e-3) || !(off <= 3) {
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
				if self := kind == OmniKind || level == abstraction.Truth; obs.Objects.SelfKnown != self {
					t.Errorf("%s at %s: SelfKnown = %v", kind, level, obs.Objects.SelfKnown)
				}
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
	s.Expose(got, []*render.Image{picture}, c, key)
	var p chip.Processor
	if p.Apply(picture, c, key); !bytes.Equal(got.Color.Pix, picture.Pix) {
		t.Error("an exposed image differs from a drawn one")
	}
}

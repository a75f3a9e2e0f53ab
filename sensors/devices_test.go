package sensors

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// hall is an empty field with boards 10 m and 7 m from the centre.
func hall() *physics.Model {
	return &physics.Model{Step: 5 * time.Millisecond, Field: physics.Field{Length: 18, Width: 12, Border: 1,
		WallHeight: 0.4}}
}

// inHall returns a complete sensor in a hall.
func inHall(t testing.TB, kind Kind, change func(*Config)) Sensor {
	t.Helper()
	cfg := &Config{Name: string(kind), Kind: kind}
	cfg.Complete()
	cfg.Mount.Z = 0.3
	if change != nil {
		change(cfg)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	r := robot()
	r.Dribbler, r.Drive.Motor = &physics.Dribbler{}, &physics.Motor{}
	s, err := New(cfg, Site{Robot: r, Model: hall(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func scanAt(s Sensor, level abstraction.Level, frame uint64, pose spatial.Pose,
	targets ...abstraction.Target) *LaserScan {
	state := standing()
	state.PoseWB = pose
	instant := at(state)
	instant.Environment = &abstraction.Environment{PoseWB: pose, Targets: targets}
	obs := Observation{Level: level, Frame: frame}
	s.Observe(instant, &obs)
	return obs.Reading.(*LaserScan)
}

// Closed forms: boards by the cosine of the beam's bearing, a robot's hull straight ahead, and no boards for a high
// scanner.
func TestLaserMeasuresClosedForms(t *testing.T) {
	wide := func(c *Config) { c.Laser.FOV, c.Laser.Min = 2*math.Pi, 0.01 }
	s := inHall(t, "laser", wide)
	scan := scanAt(s, abstraction.Ideal, 0, spatial.Planar(1, 0, 0))
	if len(scan.Ranges) != 720 {
		t.Fatalf("%d beams", len(scan.Ranges))
	}
	for i, got := range scan.Ranges {
		sin, cos := math.Sincos(scan.First + float64(i)*scan.Step)
		want := math.Inf(1)
		for _, r := range []float64{9 / cos, -11 / cos, 7 / sin, -7 / sin} {
			if r > 0 {
				want = math.Min(want, r)
			}
		}
		if !scalar.EqualWithinAbs(got, want, 1e-9) {
			t.Fatalf("beam %d: %v m, want %v", i, got, want)
		}
	}
	robot := abstraction.Target{Shape: abstraction.Shape{Kind: abstraction.Cylinder, Radius: 0.25, Height: 0.8},
		PoseWT: spatial.Planar(4, 0, 0)}
	if got := scanAt(s, abstraction.Ideal, 0, spatial.Planar(1, 0, 0), robot).Ranges[360]; !scalar.EqualWithinAbs(got,
		2.75, 1e-9) {
		t.Errorf("a hull 3 m ahead is measured at %v m", got)
	}
	high := inHall(t, "laser", func(c *Config) { wide(c); c.Mount.Z = 0.5 })
	if got := scanAt(high, abstraction.Ideal, 0, spatial.Identity()).Ranges[360]; !math.IsInf(got, 1) {
		t.Errorf("over the boards: %v", got)
	}
	down := inHall(t, "laser", func(c *Config) { c.Laser.Min, c.Mount.Pitch = 0.01, math.Pi/6 })
	if r := scanAt(down, abstraction.Ideal, 0, spatial.Identity()); !scalar.EqualWithinAbs(r.Ranges[len(r.Ranges)/2],
		0.6, 1e-9) {
		t.Errorf("30° down from 0.3 m: %v m", r.Ranges[len(r.Ranges)/2])
	}
}

// Out of range is +Inf and −Inf (REP 117).
func TestLaserOutOfRange(t *testing.T) {
	s := inHall(t, "laser", func(c *Config) { c.Laser.Max = 5 })
	near := abstraction.Target{Shape: abstraction.Shape{Kind: abstraction.Cylinder, Radius: 0.25, Height: 0.8},
		PoseWT: spatial.Planar(0.6, 0, 0)}
	scan := scanAt(s, abstraction.Ideal, 0, spatial.Identity(), near)
	if mid := len(scan.Ranges) / 2; !math.IsInf(scan.Ranges[mid], -1) || !math.IsInf(scan.Ranges[0], 1) {
		t.Errorf("near %v, far %v", scan.Ranges[mid], scan.Ranges[0])
	}
}

// The systematic error of many devices is uniform within its limit. The statistical error of one device's beams has its
// σ.
func TestLaserErrors(t *testing.T) {
	const devices, frames = 300, 40
	var sum, sum2, inner2 float64
	for k := range devices {
		s := inHall(t, "laser", func(c *Config) {
			c.Name = fmt.Sprint("laser", k)
			c.Laser.FOV, c.Laser.Resolution = math.Pi/180, math.Pi/180
		})
		mean := 0.0
		var errs []float64
		for f := range uint64(frames) {
			e := scanAt(s, abstraction.Raw, f, spatial.Identity()).Ranges[0] - scanAt(s, abstraction.Ideal, f,
				spatial.Identity()).Ranges[0]
			errs, mean = append(errs, e), mean+e/frames
		}
		for _, e := range errs {
			inner2 += (e - mean) * (e - mean) / (frames - 1) / devices
		}
		sum, sum2 = sum+mean, sum2+mean*mean
	}
	const limit, sigma = 0.03, 0.012
	variance := limit*limit/3 + sigma*sigma/frames
	if m := sum / devices; !(math.Abs(m) <= 5*math.Sqrt(variance/devices)) {
		t.Errorf("mean %v", m)
	}
	// A uniform distribution's kurtosis is 1.8.
	if v := sum2 / devices; !scalar.EqualWithinAbs(v, variance, 5*variance*math.Sqrt(0.8/devices)) {
		t.Errorf("variance of devices %v, want %v", v, variance)
	}
	if !scalar.EqualWithinAbs(inner2, sigma*sigma, 5*sigma*sigma*math.Sqrt(2./(devices*(frames-1)))) {
		t.Errorf("variance of beams %v, want %v", inner2, sigma*sigma)
	}
}

// Level pose delivers a pose with its noise, in addition to the scan of raw.
func TestLaserAtPoseKeepsTheScan(t *testing.T) {
	const n = 4000
	s := inHall(t, "laser", func(c *Config) { c.Laser.FOV, c.Laser.Resolution = 0.2, 0.1 })
	pose := spatial.Planar(2, -1, 0.5)
	var x2, h2 float64
	for f := range uint64(n) {
		scan := scanAt(s, abstraction.Pose, f, pose)
		if diff := cmp.Diff(scanAt(s, abstraction.Raw, f, pose).Ranges, scan.Ranges); diff != "" {
			t.Fatal(diff)
		}
		dx, dh := scan.PoseWB.Pos[0]-2, scan.PoseWB.Heading()-0.5
		x2, h2 = x2+dx*dx/n, h2+dh*dh/n
	}
	for what, v := range map[string][2]float64{"x": {x2, 0.03}, "heading": {h2, 0.5 * spatial.Degree}} {
		if !scalar.EqualWithinAbs(v[0], v[1]*v[1], 5*v[1]*v[1]*math.Sqrt(2./n)) {
			t.Errorf("%s: variance %v, want %v", what, v[0], v[1]*v[1])
		}
	}
	if scan := scanAt(s, abstraction.Raw, 0, pose); scan.PoseKnown {
		t.Error("raw tells the place")
	}
}

// Mean, variance and autocorrelation of the error are those of white noise plus a Gauss–Markov process.
func TestCompassErrors(t *testing.T) {
	const devices, frames, lag = 400, 400, 50
	var mean, v0, v1 float64
	var spec Compass
	var rate float64
	for k := range devices {
		s := inHall(t, "compass", func(c *Config) {
			c.Name, c.Rate = fmt.Sprint("compass", k), 10
			c.Compass.Tau = 10
		})
		spec, rate = *s.Config().Compass, s.Config().Rate
		var e []float64
		for f := range uint64(frames) {
			obs := Observation{Level: abstraction.Raw, Frame: f}
			s.Observe(at(standing()), &obs)
			e = append(e, float64(obs.Reading.(*CompassReading).Heading))
		}
		mean += e[frames-1] / devices
		v0 += e[frames-1] * e[frames-1] / devices
		v1 += e[frames-1] * e[frames-1-lag] / devices
	}
	variance := spec.Drift*spec.Drift + spec.Noise*spec.Noise
	if !(math.Abs(mean) <= 5*math.Sqrt(variance/devices)) {
		t.Errorf("mean %v", mean)
	}
	if !scalar.EqualWithinAbs(v0, variance, 5*variance*math.Sqrt(2./devices)) {
		t.Errorf("variance %v, want %v", v0, variance)
	}
	want := spec.Drift * spec.Drift * math.Exp(-lag/(rate*spec.Tau))
	if !scalar.EqualWithinAbs(v1, want, 5*variance*math.Sqrt(2./devices)) {
		t.Errorf("covariance after %v s %v, want %v", lag/rate, v1, want)
	}
}

func TestCompassAtTruth(t *testing.T) {
	s := inHall(t, "compass", func(c *Config) { c.Mount.Yaw = 1 })
	state := standing()
	state.PoseWB = spatial.Planar(0, 0, 3)
	obs := Observation{Level: abstraction.Truth}
	s.Observe(at(state), &obs)
	if want := 4 - 2*math.Pi; !scalar.EqualWithinAbs(float64(obs.Reading.(*CompassReading).Heading), want, 1e-12) {
		t.Errorf("%v, want %v", float64(obs.Reading.(*CompassReading).Heading), want)
	}
}

func TestBumperTellsTheSide(t *testing.T) {
	s := inHall(t, "bumper", nil)
	state := standing()
	state.PoseWB = spatial.Planar(1, 1, math.Pi/2)
	for _, tt := range []struct {
		level   abstraction.Level
		at      mgl64.Vec3
		impulse float64
		want    int // −1 for none
	}{
		{abstraction.Raw, mgl64.Vec3{1, 1.25, 0.1}, 0.1, 0},    // ahead
		{abstraction.Raw, mgl64.Vec3{0.75, 1, 0.1}, 0.1, 2},    // to the left
		{abstraction.Raw, mgl64.Vec3{1, 0.75, 0.1}, 0.1, 4},    // behind
		{abstraction.Raw, mgl64.Vec3{1.25, 1, 0.1}, 0.1, 6},    // to the right
		{abstraction.Raw, mgl64.Vec3{1, 1.25, 0.1}, 0.02, -1},  // 4 N are too weak
		{abstraction.Truth, mgl64.Vec3{1, 1.25, 0.1}, 0.02, 0}, // but the contact exists
	} {
		instant := at(state)
		instant.Snapshot.Touches = []physics.Touch{{A: 0, B: physics.Static, PosW: tt.at, Impulse: tt.impulse},
			{A: 1, B: 2, PosW: tt.at, Impulse: 9}}
		obs := Observation{Level: tt.level}
		s.Observe(instant, &obs)
		want := make([]bool, 8)
		if tt.want >= 0 {
			want[tt.want] = true
		}
		if diff := cmp.Diff(want, obs.Reading.(*BumperReading).Pressed); diff != "" ||
			obs.Reading.(*BumperReading).Touched != (tt.want >= 0) {
			t.Errorf("%+v: %s", tt, diff)
		}
	}
}

// White noise and quantisation: the mean is the truth, the variance that of noise and rounding.
func TestArmsAndBatteryNoise(t *testing.T) {
	const n = 20_000
	state := standing()
	state.ArmM, state.BatteryV, state.MotorA = [2]float64{0.0123, 0.004}, 25.123, 12
	instant := at(state)
	armsSensor, gauge := inHall(t, "arms", nil),
		inHall(t, "battery", func(c *Config) { c.Battery.Resolution = c.Battery.Noise / 2 })
	var errs [4][]float64
	for f := range uint64(n) {
		a, b := Observation{Level: abstraction.Raw, Frame: f}, Observation{Level: abstraction.Raw, Frame: f}
		armsSensor.Observe(instant, &a)
		gauge.Observe(instant, &b)
		for k, e := range []float64{a.Reading.(*ArmsReading).Pressed[0] - 0.0123, a.Reading.(*ArmsReading).Pressed[1] -
			0.004, b.Reading.(*BatteryReading).Voltage - 25.123, b.Reading.(*BatteryReading).Current - 12} {
			errs[k] = append(errs[k], e)
		}
	}
	d, g := armsSensor.Config().Arms, gauge.Config().Battery
	for k, want := range []float64{
		d.Noise*d.Noise + d.Resolution*d.Resolution/12, d.Noise*d.Noise + d.Resolution*d.Resolution/12,
		g.Noise*g.Noise + g.Resolution*g.Resolution/12, g.Current * g.Current,
	} {
		var mean, v float64
		for _, e := range errs[k] {
			mean, v = mean+e/n, v+e*e/n
		}
		if !(math.Abs(mean) <= 5*math.Sqrt(want/n)) {
			t.Errorf("reading %d: mean error %v", k, mean)
		}
		if !scalar.EqualWithinAbs(v, want, 5*want*math.Sqrt(2./n)) {
			t.Errorf("reading %d: variance %v, want %v", k, v, want)
		}
	}
}

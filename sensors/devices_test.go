package sensors

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// robotAt is a robot's hull at x.
func robotAt(x float64) abstraction.Target {
	return abstraction.Target{Shape: abstraction.Shape{Kind: abstraction.Cylinder, Radius: 0.25, Height: 0.8},
		PoseWT: spatial.Planar(x, 0, 0)}
}

// Closed forms: boards by the cosine of the beam's bearing, a robot's hull straight ahead, and no boards for a high
// scanner. Out of range is +Inf and −Inf (REP 117).
func TestLaserMeasuresClosedForms(t *testing.T) {
	wide := func(c *Config) { c.Laser.FOV, c.Laser.Min = 2*math.Pi, 0.01 }
	scan := read[LaserScan](build(t, "laser", wide), abstraction.Ideal, 0, among(spatial.Planar(1, 0, 0)))
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
	for parts, want := range map[string]float64{"open": math.Inf(1), "bare": 10, "boards": math.Inf(1)} {
		f := field // boards are 0.4 m high, and the walls of the hall 5 m
		f.HasBoards, f.HasGoals, f.HasLines = parts == "boards", parts == "open", false
		b := boardsOf(&f)
		if got := b.raycast(&mgl64.Vec3{0, 0, 0.5}, &mgl64.Vec3{1, 0, 0}); got != want {
			t.Errorf("%s: %v m at a height of 0.5 m, want %v", parts, got, want)
		}
	}
	short := func(c *Config) { c.Laser.Max = 5 }
	tilted := func(c *Config) { c.Laser.Min, c.Mount.Pitch = 0.01, math.Pi/6 }
	for name, c := range map[string]struct {
		change func(*Config)
		at     *Instant
		want   float64 // straight ahead
	}{
		"a hull 3 m ahead":      {wide, among(spatial.Planar(1, 0, 0), robotAt(4)), 2.75},
		"over the boards":       {func(c *Config) { wide(c); c.Mount.Z = 0.5 }, among(spatial.Identity()), math.Inf(1)},
		"30° down from 0.3 m":   {tilted, among(spatial.Identity()), 0.6},
		"nearer than the range": {short, among(spatial.Identity(), robotAt(0.6)), math.Inf(-1)},
		"beyond the range":      {short, among(spatial.Identity()), math.Inf(1)},
	} {
		r := read[LaserScan](build(t, "laser", c.change), abstraction.Ideal, 0, c.at).Ranges
		if got := r[len(r)/2]; got != c.want && !scalar.EqualWithinAbs(got, c.want, 1e-9) {
			t.Errorf("%s: %v m, want %v", name, got, c.want)
		}
	}
}

// The systematic error of many devices is uniform within its limit. The statistical error of one device's beams has its
// σ.
func TestLaserErrors(t *testing.T) {
	const devices, frames = 300, 40
	var systematic []float64
	inner, instant := 0.0, among(spatial.Identity())
	for k := range devices {
		s := build(t, "laser", func(c *Config) {
			c.Name = fmt.Sprint("laser", k)
			c.Laser.FOV, c.Laser.Resolution = math.Pi/180, math.Pi/180
		})
		var errs []float64
		for f := range uint64(frames) {
			errs = append(errs, read[LaserScan](s, abstraction.Raw, f, instant).Ranges[0]-
				read[LaserScan](s, abstraction.Ideal, f, instant).Ranges[0])
		}
		mean, variance := stat.MeanVariance(errs, nil)
		systematic, inner = append(systematic, mean), inner+variance/devices
	}
	const limit, sigma = 0.03, 0.012
	variance := limit*limit/3 + sigma*sigma/frames
	checkErrors(t, "systematic", systematic, variance)
	// A uniform distribution's kurtosis is 1.8.
	v := stat.Variance(systematic, nil)
	must.Near(t, "variance of devices", v, variance, 5*variance*math.Sqrt(0.8/devices))
	must.Near(t, "variance of beams", inner, sigma*sigma, 5*sigma*sigma*math.Sqrt(2./(devices*(frames-1))))
}

// Level pose delivers a pose with its noise, in addition to the scan of raw.
func TestLaserAtPoseKeepsTheScan(t *testing.T) {
	s := build(t, "laser", func(c *Config) { c.Laser.Resolution = spatial.Degree })
	instant := among(spatial.Planar(2, -1, 0.5))
	var x, heading []float64
	for f := range uint64(4000) {
		scan, raw := read[LaserScan](s, abstraction.Pose, f, instant), read[LaserScan](s, abstraction.Raw, f, instant)
		if diff := cmp.Diff(raw.Ranges, scan.Ranges); diff != "" || raw.PoseKnown {
			t.Fatalf("raw tells the place: %v, or other ranges: %s", raw.PoseKnown, diff)
		}
		x, heading = append(x, scan.PoseWB.Pos[0]-2), append(heading, scan.PoseWB.Heading()-0.5)
	}
	checkErrors(t, "x", x, 0.03*0.03)
	checkErrors(t, "heading", heading, math.Pow(0.5*spatial.Degree, 2))
}

// A pose is known only where walls fix the position in every direction: not in a corridor without end, not where a scan
// shows one wall, and not far from everything.
func TestLaserLocalisesByWalls(t *testing.T) {
	wall := func(x, y, long, wide float64) spatial.UprightBox {
		return spatial.UprightBox{Centre: mgl64.Vec3{x, y, 1}, Half: mgl64.Vec3{long / 2, wide / 2, 1}, Heading: 0.3}
	}
	turn := func(x, y float64) spatial.UprightBox { // along the corridor, which is turned, too
		sin, cos := math.Sincos(0.3)
		return wall(cos*x-sin*y, sin*x+cos*y, 0.1, 1.2)
	}
	side := func(y float64) spatial.UprightBox {
		return wall(-math.Sin(0.3)*y, math.Cos(0.3)*y, 80, 0.1)
	}
	corridor := []spatial.UprightBox{side(1.2), side(-1.2)}
	for name, c := range map[string]struct {
		walls []spatial.UprightBox
		want  bool
	}{
		"nothing":             {nil, false},
		"one wall":            {corridor[:1], false},
		"corridor":            {corridor, false},
		"end of a corridor":   {append(corridor, turn(6, 0)), true},
		"end is out of range": {append(corridor, turn(25, 0)), false},
	} {
		instant := among(spatial.Planar(0, 0, 1))
		instant.Environment.Solids = abstraction.NewSolids(c.walls)
		s := build(t, "laser", func(c *Config) { c.Laser.Min, c.Mount.Z = 0.05, 0.5 }) // over the boards
		scan := read[LaserScan](s, abstraction.Pose, 0, instant)
		must.Equal(t, scan.PoseKnown, c.want, "%s: the pose is known", name)
		if off := scan.PoseWB.Pos.Len(); c.want && !(off > 0 && off < 0.2) {
			t.Errorf("%s: the pose is off by %v m, want its noise of 0.03 m", name, off)
		}
		if truth := read[LaserScan](s, abstraction.Truth, 0, instant); !truth.PoseKnown {
			t.Errorf("%s: the pose is unknown at truth", name)
		}
	}
}

// Mean, variance and autocorrelation of the error are those of white noise plus a Gauss–Markov process.
func TestCompassErrors(t *testing.T) {
	const devices, frames, lag, rate, tau = 400, 400, 50, 10.0, 10.0
	var last []float64
	var spec Compass
	var told HeadingVariance
	covariance := 0.0
	for k := range devices {
		s := build(t, "compass", func(c *Config) {
			c.Name, c.Rate, c.Compass.Tau = fmt.Sprint("compass", k), rate, tau
		})
		spec = *s.Config().Compass
		var e []float64
		for f := range uint64(frames) {
			r := read[CompassReading](s, abstraction.Raw, f, at(standing()))
			e, told = append(e, float64(r.Heading)), r.Variance
		}
		last = append(last, e[frames-1])
		covariance += e[frames-1] * e[frames-1-lag] / devices
	}
	variance := spec.Drift*spec.Drift + spec.Noise*spec.Noise
	checkErrors(t, "heading", last, variance)
	must.Near(t, "variance of the reading", float64(told), variance, 1e-12)
	want := spec.Drift * spec.Drift * math.Exp(-lag/(rate*tau))
	must.Near(t, fmt.Sprintf("covariance after %v s", lag/rate), covariance, want, 5*variance*math.Sqrt(2./devices))
}

func TestCompassAtTruth(t *testing.T) {
	s := build(t, "compass", func(c *Config) { c.Mount.Yaw = 1 })
	got := float64(read[CompassReading](s, abstraction.Truth, 0, among(spatial.Planar(0, 0, 3))).Heading)
	must.Near(t, "got", got, 4-2*math.Pi, 1e-12)
}

func TestBumperTellsTheSide(t *testing.T) {
	s := build(t, "bumper", nil)
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
		instant := among(spatial.Planar(1, 1, math.Pi/2))
		instant.Snapshot.Touches = []physics.Touch{{A: 0, B: physics.Static, PosW: tt.at, Impulse: tt.impulse},
			{A: 1, B: 2, PosW: tt.at, Impulse: 9}}
		want := make([]bool, 8)
		if tt.want >= 0 {
			want[tt.want] = true
		}
		got := read[BumperReading](s, tt.level, 0, instant)
		if diff := cmp.Diff(want, got.Pressed); diff != "" || got.Touched != (tt.want >= 0) {
			t.Errorf("%+v: touched %v, %s", tt, got.Touched, diff)
		}
	}
}

// White noise and quantisation: the mean is the truth, the variance that of noise and rounding.
func TestNoiseAndQuantisation(t *testing.T) {
	state := standing()
	state.ArmM, state.BatteryV, state.MotorA = [2]float64{0.0123, 0.004}, 25.123, 12
	instant := at(state)
	arms, sonar := build(t, "arms", nil), build(t, "sonar", nil)
	gauge := build(t, "battery", func(c *Config) { c.Battery.Resolution = c.Battery.Noise / 2 })
	var errs [5][]float64
	for f := range uint64(20_000) {
		a := read[ArmsReading](arms, abstraction.Raw, f, instant)
		b := read[BatteryReading](gauge, abstraction.Raw, f, instant)
		echo := read[SonarReading](sonar, abstraction.Raw, f, among(spatial.Planar(8, 0, 0)))
		for k, e := range [5]float64{a.Pressed[0] - 0.0123, a.Pressed[1] - 0.004, b.Voltage - 25.123, b.Current - 12,
			echo.Range - 2} {
			errs[k] = append(errs[k], e)
		}
	}
	d, g, c := arms.Config().Arms, gauge.Config().Battery, sonar.Config().Sonar
	for k, want := range [5][2]float64{{d.Noise, d.Resolution}, {d.Noise, d.Resolution}, {g.Noise, g.Resolution},
		{g.Current}, {c.Noise, c.Step}} {
		checkErrors(t, fmt.Sprint("reading ", k), errs[k], want[0]*want[0]+want[1]*want[1]/12)
	}
}

// plainRange is the oracle: a ray against all boards and all targets, one by one.
func plainRange(env *abstraction.Environment, from, along mgl64.Vec3) float64 {
	half := [2]float64{field.Length/2 + field.Border, field.Width/2 + field.Border}
	nearest := math.Inf(1)
	for axis, at := range half {
		for _, at := range [2]float64{at, -at} {
			r := (at - from[axis]) / along[axis]
			other, z := from[1-axis]+r*along[1-axis], from[2]+r*along[2]
			if r > 0 && math.Abs(other) <= half[1-axis] && z <= field.WallHeight && z >= 0 {
				nearest = min(nearest, r)
			}
		}
	}
	for i := range env.Targets {
		if t := &env.Targets[i]; t != env.Self {
			nearest = min(nearest, t.Shape.Raycast(t.PoseWT, from, along))
		}
	}
	return nearest
}

// drawSetting draws a robot's pose, its surroundings, and a sensor's mount. Quarter turns make rays parallel to boards
// and boxes. Bodies may contain the sensor, lie on their sides, or touch others.
func drawSetting(t *rapid.T) (poseWB spatial.Pose, env *abstraction.Environment, mount Mount) {
	place, size := rapid.Float64Range(-12, 12), rapid.Float64Range(0.05, 3)
	angle := rapid.OneOf(rapid.Float64Range(-math.Pi, math.Pi), rapid.SampledFrom([]float64{-math.Pi, -math.Pi / 2, 0,
		math.Pi / 2, math.Pi}))
	tilt := rapid.OneOf(rapid.Just(0.), angle)
	pose := func(name string) spatial.Pose {
		pos := mgl64.Vec3{place.Draw(t, name+" x"), place.Draw(t, name+" y"),
			rapid.SampledFrom([]float64{0, 0.11, 0.4}).Draw(t, name+" z")}
		return spatial.RPY(pos, tilt.Draw(t, name+" roll"), tilt.Draw(t, name+" pitch"), angle.Draw(t, name+" yaw"))
	}
	poseWB = pose("robot")
	mount = Mount{X: 0.1, Z: rapid.Float64Range(0, 0.5).Draw(t, "mount z"), Roll: tilt.Draw(t, "mount roll"),
		Pitch: tilt.Draw(t, "mount pitch"), Yaw: angle.Draw(t, "mount yaw")}
	env = &abstraction.Environment{PoseWB: poseWB}
	for range rapid.IntRange(0, 12).Draw(t, "targets") {
		s := abstraction.Shape{
			Kind:   abstraction.ShapeKind(rapid.IntRange(0, 2).Draw(t, "kind")),
			Radius: size.Draw(t, "radius"), Height: size.Draw(t, "height"), SizeX: size.Draw(t, "size x"),
			SizeY: size.Draw(t, "size y"),
		}
		env.Targets = append(env.Targets, abstraction.Target{Shape: s, PoseWT: pose("target")})
	}
	self := len(env.Targets) > 0
	boxes := make([]spatial.UprightBox, rapid.SampledFrom([]int{0, 3, 60}).Draw(t, "boxes"))
	half := rapid.Float64Range(0.05, 2) // longer boxes are cut into pieces
	for i := range boxes {
		b := &boxes[i]
		b.Half = mgl64.Vec3{half.Draw(t, "half x"), half.Draw(t, "half y"), half.Draw(t, "half z")}
		if b.Round = rapid.Bool().Draw(t, "round"); b.Round {
			b.Half[1] = b.Half[0]
		}
		b.Centre, b.Heading = mgl64.Vec3{place.Draw(t, "box x"), place.Draw(t, "box y"), b.Half[2]},
			angle.Draw(t, "box heading")
		shape := abstraction.Shape{Kind: abstraction.Box, SizeX: 2 * b.Half[0], SizeY: 2 * b.Half[1],
			Height: 2 * b.Half[2], Radius: b.Half[0]}
		if b.Round {
			shape.Kind = abstraction.Cylinder
		}
		env.Targets = append(env.Targets, abstraction.Target{Shape: shape, Static: true,
			PoseWT: spatial.Planar(b.Centre[0], b.Centre[1], b.Heading)})
	}
	env.Solids = abstraction.NewSolids(boxes)
	if self {
		env.Self = &env.Targets[0]
	}
	return poseWB, env, mount
}

// A laser measures the first hit of each beam, bit-exactly, and a sonar the nearest hit.
func TestRaysMeetWhatIsNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		poseWB, env, mount := drawSetting(rt)
		instant := among(poseWB)
		instant.Environment = env
		laser := build(t, "laser", func(c *Config) {
			c.Mount = mount
			c.Laser.FOV = spatial.Degree * rapid.SampledFrom([]float64{1, 90, 180, 270, 359, 360}).Draw(rt,
				"field of view")
			c.Laser.Resolution = spatial.Degree * rapid.SampledFrom([]float64{0.5, 1, 7}).Draw(rt, "resolution")
			c.Laser.Min, c.Laser.Max = 0, 200
		})
		scan := read[LaserScan](laser, abstraction.Ideal, 0, instant)
		poseWS := poseWB.Mul(mount.Pose())
		for i, got := range scan.Ranges {
			sin, cos := math.Sincos(scan.First + float64(i)*scan.Step)
			along := poseWS.Rotate(mgl64.Vec3{cos, sin, 0})
			want := plainRange(env, poseWS.Pos, along)
			if along[2] < 0 {
				want = min(want, -poseWS.Pos[2]/along[2])
			}
			switch {
			case want < 0: // below the floor
				want = math.Inf(-1)
			case want > 200:
				want = math.Inf(1)
			}
			if !(got == want) {
				rt.Fatalf("beam %d of %d: %v m, want %v m", i, len(scan.Ranges), got, want)
			}
		}
		sonar := build(t, "sonar", func(c *Config) { c.Mount, c.Sonar.Min, c.Sonar.Max = mount, 0, 20 }).(*sonar)
		want := math.Inf(1)
		for _, ray := range sonar.raysS {
			want = min(want, plainRange(env, poseWS.Pos, poseWS.Rotate(ray)))
		}
		if want > 20 {
			want = math.Inf(1)
		}
		if got := read[SonarReading](sonar, abstraction.Truth, 0, instant).Range; !(got == want) {
			rt.Fatalf("sonar: %v m, want %v m", got, want)
		}
	})
}

// A scan of 181 beams among ten robots and four posts.
func BenchmarkLaser(b *testing.B) {
	s := build(b, "laser", func(c *Config) { c.Laser.FOV, c.Laser.Resolution = 180*spatial.Degree, spatial.Degree })
	targets := []abstraction.Target{{Shape: abstraction.Shape{Kind: abstraction.Sphere, Radius: 0.11},
		PoseWT: spatial.Planar(1, 1, 0)}}
	for i := range 9 {
		targets = append(targets, abstraction.Target{Shape: abstraction.Shape{Kind: abstraction.Box, SizeX: 0.5,
			SizeY: 0.5, Height: 0.8}, PoseWT: spatial.Planar(float64(i)*2-8, float64(i*5%9)-4, float64(i))})
	}
	for i := range 4 {
		targets = append(targets, abstraction.Target{Shape: abstraction.Shape{Kind: abstraction.Box, SizeX: 0.125,
			SizeY: 0.125, Height: 1}, PoseWT: spatial.Planar(float64(i/2)*18-9, float64(i%2)*2-1, 0)})
	}
	instant := among(spatial.Planar(0.5, -0.5, 0.3), targets...)
	for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Raw} {
		b.Run(string(level), func(b *testing.B) {
			obs := Observation{Level: level}
			b.ReportAllocs()
			for b.Loop() {
				s.Observe(instant, &obs)
			}
		})
	}
}

// Closed forms: the distance of a board is that of the foot of the perpendicular if it lies in the cone, else that of
// the cone's edge. That of a ball is its nearest point; outside the cone it is not detected. The board is 10 m from the
// centre.
func TestSonarMeasuresClosedForms(t *testing.T) {
	const half = 7.5 * spatial.Degree
	between := half / sonarRings // largest angle between two rays
	s := build(t, "sonar", nil)
	for _, turned := range []float64{0, 0.5 * half, half, 2 * half, 4 * half} {
		want := 2 / math.Cos(max(0, turned-half))
		got := read[SonarReading](s, abstraction.Truth, 0, among(spatial.Planar(8, 0, turned))).Range
		if !(got >= want-1e-9) || !(got <= 2/math.Cos(max(0, turned-half)+between)+1e-9) {
			t.Errorf("turned by %.1f°: %v m, want %v m", turned/spatial.Degree, got, want)
		}
	}
	ball := func(bearing float64) float64 {
		const radius, distance = 0.11, 2
		sphere := abstraction.Shape{Kind: abstraction.Sphere, Radius: radius}
		place := mgl64.Vec3{distance * math.Cos(bearing), distance * math.Sin(bearing), 0.3} // at its height
		target := abstraction.NewTarget(abstraction.BallKind, "ball", "", sphere, nil)
		target.Move(spatial.Translation(place), mgl64.Vec3{})
		return read[SonarReading](s, abstraction.Truth, 0, among(spatial.Identity(), target)).Range
	}
	for _, bearing := range []float64{0, 0.4 * half, -0.9 * half} {
		// A ray that passes the centre at an angle of up to b meets the sphere at d·cos(b) − √(r² − d²·sin²(b)).
		farthest := 2*math.Cos(between) - math.Sqrt(0.11*0.11-math.Pow(2*math.Sin(between), 2))
		if got := ball(bearing); !(got >= 1.89-1e-9) || !(got <= farthest+1e-9) {
			t.Errorf("ball at %.1f°: %v m, want %v m to %v m", bearing/spatial.Degree, got, 1.89, farthest)
		}
	}
	if got := ball(half + math.Asin(0.11/2) + 1e-3); !math.IsInf(got, 1) {
		t.Errorf("a ball beside the cone is heard %v m away", got)
	}
	near := read[SonarReading](s, abstraction.Truth, 0, among(spatial.Planar(9.99, 0, 0)))
	if text, err := json.Marshal(near); !math.IsInf(near.Range, -1) || string(text) != `{"range_m":null}` ||
		err != nil {
		t.Errorf("a board 1 cm away: %v m, %s, %v", near.Range, text, err)
	}
}

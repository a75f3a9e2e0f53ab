package abstraction

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// perceive calls each with what a camera sees in each of n frames of an environment.
func perceive(cfg *VisionConfig, view *Viewpoint, ranging RangeSigma, env *Environment, seed, n uint64,
	each func(list *ObjectList)) {
	vision := NewVision(cfg, ranging, 30)
	var list ObjectList
	for frame := range n {
		vision.Perceive(view, env, 0, random.New(seed, "r", "s", frame), &list)
		each(&list)
	}
}

// checkNormal fails unless numbers have the mean and the deviation of a normal distribution, within 5σ of both.
func checkNormal(t *testing.T, what string, x []float64, mean, sigma float64) {
	t.Helper()
	m, dev := stat.MeanStdDev(x, nil)
	n := float64(len(x))
	if !scalar.EqualWithinAbs(m, mean, 5*sigma/math.Sqrt(n)) || !scalar.EqualWithinAbs(dev, sigma,
		5*sigma/math.Sqrt(2*n)) {
		t.Errorf("%s: mean %v and σ = %v, want %v and %v", what, m, dev, mean, sigma)
	}
}

// Errors from the table, interpolated in distance and bearing relative to the robot.
func TestErrorTable(t *testing.T) {
	const n = 20_000
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.Errors = []VisionError{
		{Distance: 1, Bearing: 0, Range: 0.02, Angle: 0.01}, {Distance: 5, Bearing: 0, Range: 0.10, Angle: 0.01,
			Bias: 0.4},
		{Distance: 1, Bearing: 1, Range: 0.04, Angle: 0.03}, {Distance: 5, Bearing: 1, Range: 0.20, Angle: 0.03,
			Bias: 0.4},
	}
	// The robot heads 0.5 rad to the right of the camera, so the ball is 0.5 rad to its left.
	env := Environment{PoseWB: spatial.Planar(0, 0, -0.5), Targets: []Target{ball(3, 0, 0.11)}}
	var distance, angle []float64
	perceive(&cfg, &view, nil, &env, 3, n, func(list *ObjectList) {
		p := list.Detections[0].PosB
		distance, angle = append(distance, math.Hypot(p[0], p[1])), append(angle, math.Atan2(p[1], p[0]))
	})
	checkNormal(t, "distance", distance, 3.2, 0.09)
	checkNormal(t, "bearing", angle, 0.5, 0.02)
}

func TestDetectionFallsWithTheVisibleShareAndTheLight(t *testing.T) {
	cfg := ErrorModel{MinVisible: 0.2, FullVisible: 0.6, MissRate: 0.1, LightStops: 2}
	for _, c := range []struct{ visible, light, want float64 }{
		{0.19, 1, 0}, {0.4, 1, 0.45}, {0.6, 1, 0.9}, {1, 1, 0.9}, {1, 4, 0.45}, {1, 0.25, 0.45}, {1, 0, 0.9},
		{1, math.SmallestNonzeroFloat64, 0},
	} {
		must.Near(t, fmt.Sprintf("%v visible in light %v", c.visible, c.light), cfg.detectionProbability(c.visible,
			c.light), c.want, 1e-12)
	}
	for _, c := range []struct{ hall, lamps, exposure, want float64 }{
		{0, 0, 0, 1}, {0, 0, 2, 2}, {0.5, 0.25, 0, 0.75}, {0.5, 0.25, 4, 3},
	} {
		env := Environment{Light: c.hall, Exposure: c.exposure}
		env.prepare()
		must.Equal(t, env.lightOn(&Target{Light: c.lamps}), c.want, "hall %v, lamps %v, exposure %v: light", c.hall,
			c.lamps, c.exposure)
	}
	const n = 20_000
	view := lookingAlongX(0.6)
	miss := perfect()
	miss.LightStops = 2
	env := Environment{PoseWB: spatial.Identity(), Light: 4, Targets: []Target{ball(3, 0, 0.11)}}
	hits := 0
	perceive(&miss, &view, nil, &env, 4, n, func(list *ObjectList) {
		hits += len(list.Detections)
	})
	must.Near(t, "two stops too bright: found fraction of the balls", float64(hits)/n, 0.5, 5*math.Sqrt(0.25/n))
}

// robots are two robots next to each other and a third far away.
func robots() []Target {
	a := NewTarget(RobotKind, "a", "cyan", Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8}, nil)
	b := NewTarget(RobotKind, "b", "magenta", Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8}, nil)
	c := NewTarget(RobotKind, "c", "cyan", Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8}, nil)
	a.Move(spatial.Planar(4, 0.4, 0), mgl64.Vec3{})
	b.Move(spatial.Planar(4, -0.4, 0), mgl64.Vec3{})
	c.Move(spatial.Planar(8, 2.5, 0), mgl64.Vec3{})
	return []Target{a, b, c}
}

func TestSwaps(t *testing.T) {
	const n = 20_000
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.SwapRate, cfg.SwapRange = 0.1, 1
	env := Environment{PoseWB: spatial.Identity(), Targets: robots()}
	swapped := 0
	perceive(&cfg, &view, nil, &env, 4, n, func(list *ObjectList) {
		for i, want := range []string{"a", "b", "c"} {
			d := &list.Detections[i]
			if (d.Name == "b") != (d.Team == "magenta") {
				t.Fatalf("%s of team %s", d.Name, d.Team)
			}
			if i == 2 && d.Name != want {
				t.Fatal("the far robot was mistaken for another")
			}
			if i == 0 && d.Name != want {
				swapped++
			}
		}
	})
	// Either robot can be confused with the other, and both at once are not.
	want := 2 * 0.1 * 0.9
	if got := float64(swapped) / n; !scalar.EqualWithinAbs(got, want, 5*math.Sqrt(want*(1-want)/n)) {
		t.Errorf("swapped in %v of the frames, want %v", got, want)
	}
}

func TestRobotWithoutACardIsAnObstacle(t *testing.T) {
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.CardVisible = 0.5
	targets := append(robots()[:1], box("b", 3, 0.4, 0, 0.3, 0.3)) // occludes most of a
	env := Environment{PoseWB: spatial.Identity(), Targets: targets}
	var list ObjectList
	see(&cfg, &view, nil, &env, random.New(1, "r", "s", 0), &list)
	if d := list.Detections[0]; !(d.Visible <= 0.5) || d.Kind != ObstacleKind || d.Team != "" {
		t.Errorf("%.2f visible: %s of team %q", d.Visible, d.Kind, d.Team)
	}
}

// The filter converges to a constant velocity, with a smaller error than differences of positions.
func TestVelocityFilter(t *testing.T) {
	const rate = 30.0
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.VelocityFilter = 300 * time.Millisecond
	// after returns the estimated velocity of a ball at 0.3 m/s after 2 s.
	after := func(noise float64, run uint64) mgl64.Vec3 {
		cfg.PixelNoise = noise
		vision := NewVision(&cfg, nil, rate)
		var list ObjectList
		b := ball(0, 0, 0)
		for frame := range uint64(60) {
			at := float64(frame) / rate
			b.Move(spatial.Translation(mgl64.Vec3{2.5 + 0.3*at, 0, 0.11}), mgl64.Vec3{0.3, 0, 0})
			env := Environment{PoseWB: spatial.Identity(), Targets: []Target{b}}
			vision.Perceive(&view, &env, time.Duration(at*1e9), random.New(run, "r", "s", frame), &list)
			if known := list.Detections[0].VelKnown; known != (frame > 0) {
				t.Fatalf("frame %d: velocity known: %v", frame, known)
			}
		}
		return list.Detections[0].VelB
	}
	// After n time constants (1 + n)·exp(−n) of the error remains.
	if v := after(0, 0); !(v.Sub(mgl64.Vec3{0.3, 0, 0}).Len() <= 0.3*(1+1.93/0.3)*math.Exp(-1.93/0.3)) {
		t.Errorf("without noise: %v m/s", v)
	}
	var spread []float64
	for run := range uint64(300) {
		spread = append(spread, after(0.3, run)[0])
	}
	f, h := 320/math.Tan(math.Pi/6), 0.49
	differences := math.Sqrt2 * 0.3 * 3.1 * 3.1 / (f * h) * rate
	if got := stat.StdDev(spread, nil); !(got <= differences/5) {
		t.Errorf("σ = %v m/s, differences of places have %v", got, differences)
	}
}

// A ball in the air lands where the parabola says.
func TestTouchdown(t *testing.T) {
	view := lookingAlongX(0.6)
	cfg := perfect()
	b := ball(3, 0, 1.11)
	b.Move(b.PoseWT, mgl64.Vec3{1, 0.5, 2})
	env := Environment{PoseWB: spatial.Planar(1, 0, 0), Gravity: 9.81, Targets: []Target{b}}
	var list ObjectList
	see(&cfg, &view, func(float64) float64 { return 0 }, &env, random.New(1, "r", "s", 0), &list)
	fall := (2 + math.Sqrt(4+2*9.81)) / 9.81
	d := list.Detections[0]
	want := mgl64.Vec3{2 + fall, 0.5 * fall, 0.11}
	if !d.Flying || !(d.TouchdownB.Sub(want).Len() <= 1e-9) || !scalar.EqualWithinAbs(d.TouchdownIn.Seconds(), fall,
		1e-6) {
		t.Errorf("%+v, want %v in %v s", d, want, fall)
	}
	if see(&cfg, &view, nil, &env, random.New(1, "r", "s", 0), &list); len(list.Detections) > 0 &&
		list.Detections[0].Flying {
		t.Error("a camera that measures no distance knows that the ball flies")
	}
}

// ahead are lines across the field, from 5 m ahead on.
var ahead = NewLines([]spatial.Mark{
	{Kind: spatial.Segment, A: [2]float64{5, -4}, B: [2]float64{5, 4}, Width: 0.125},
	{Kind: spatial.Segment, A: [2]float64{5.2, -4}, B: [2]float64{5.2, 4}, Width: 0.125},
})

// Without visible lines the error grows with the square root of the distance. With them it disappears.
func TestLocalisationDriftsWithoutLines(t *testing.T) {
	view := lookingAlongX(0.6)
	cfg := VisionConfig{MaxRange: 100, SelfRange: 3, SelfDrift: 0.1}
	var off []float64
	for run := range uint64(2000) {
		vision := NewVision(&cfg, nil, 30)
		var list ObjectList
		var env Environment
		for frame := range uint64(11) {
			env = Environment{PoseWB: spatial.Planar(-float64(frame)*0.4, 0, 0), Lines: ahead}
			view.PoseWC.Pos[0] = env.PoseWB.Pos[0]
			vision.Localise(&view, &env, time.Duration(frame)*33*time.Millisecond, random.New(run, "r", "s", frame),
				&list)
		}
		off = append(off, list.Self.Pos[1])
		if run > 0 {
			continue
		}
		env = Environment{PoseWB: spatial.Planar(2.4, 0, 0), Lines: ahead}
		view.PoseWC.Pos[0] = 2.4
		vision.Localise(&view, &env, 400*time.Millisecond, random.New(run, "r", "s", 12), &list)
		if d := list.Self.Pos.Sub(env.PoseWB.Pos).Len(); !(d <= 1e-12) {
			t.Errorf("%v m off with lines in view", d)
		}
	}
	checkNormal(t, "after 4 m", off, 0, 0.1*math.Sqrt(4))
}

func TestAmbiguousLocalisation(t *testing.T) {
	const n = 2000
	view := lookingAlongX(0.6)
	cfg := VisionConfig{MaxRange: 100, SelfAmbiguous: true}
	mirrored := 0
	for run := range uint64(n) {
		vision := NewVision(&cfg, nil, 30)
		env := Environment{PoseWB: spatial.Planar(1, 2, 0.3)}
		var first, second ObjectList
		vision.Localise(&view, &env, 0, random.New(run, "r", "s", 0), &first)
		vision.Localise(&view, &env, 33*time.Millisecond, random.New(run, "r", "s", 1), &second)
		if !(first.Self.Pos.Sub(second.Self.Pos).Len() <= 1e-12) {
			t.Fatal("it changed its mind without a reason")
		}
		switch {
		case first.Self.Pos.Sub(mgl64.Vec3{-1, -2, 0}).Len() < 1e-12 &&
			math.Abs(spatial.WrapAngle(first.Self.Heading()-0.3-math.Pi)) < 1e-9:
			mirrored++
		case first.Self.Pos.Sub(env.PoseWB.Pos).Len() > 1e-12:
			t.Fatalf("at %v", first.Self.Pos)
		}
	}
	if got := float64(mirrored) / n; !scalar.EqualWithinAbs(got, 0.5, 5*math.Sqrt(0.25/n)) {
		t.Errorf("mirrored in %v of the runs, want half", got)
	}
}

func TestTableMustBeAGrid(t *testing.T) {
	for name, c := range map[string][]VisionError{
		"Errors[1].Distance": {{Distance: 2}, {Distance: 1}},
		"Errors[2].Distance": {{Distance: 1}, {Distance: 2}, {Distance: 1.5, Bearing: 1},
			{Distance: 2, Bearing: 1}},
		"Errors[2].Bearing": {{Distance: 1, Bearing: 1}, {Distance: 2, Bearing: 1}, {Distance: 1},
			{Distance: 2}},
		"Errors":                   {{Distance: 1}, {Distance: 2}, {Distance: 1, Bearing: 1}},
		"Errors[0].RangeQuantiles": {{Distance: 1, RangeQuantiles: Quantiles{0, 1}}},
		"Errors[1].AngleQuantiles": {{Distance: 1}, {Distance: 2, AngleQuantiles: Quantiles{0, 2, 1}}},
	} {
		cfg := VisionConfig{ErrorModel: ErrorModel{Errors: c}}
		var keys []string
		cfg.Validate(func(key string, _ any, _ string) { keys = append(keys, key) })
		if len(keys) == 0 || keys[0] != name {
			t.Errorf("%v: %v, want %s", c, keys, name)
		}
		cfg = VisionConfig{Obstacles: &ErrorModel{Errors: c}}
		keys = keys[:0]
		cfg.Validate(func(key string, _ any, _ string) { keys = append(keys, key) })
		if len(keys) == 0 || keys[0] != "Obstacles."+name {
			t.Errorf("of obstacles: %v: %v, want %s", c, keys, name)
		}
	}
}

func perfect() VisionConfig { return VisionConfig{MaxRange: 100} }

// see processes one frame of a camera.
func see(cfg *VisionConfig, view *Viewpoint, ranging RangeSigma, env *Environment, noise random.Source,
	into *ObjectList) {
	NewVision(cfg, ranging, 30).Perceive(view, env, 0, noise, into)
}

func TestWithoutNoiseObjectsAreTruthFilteredByVisibility(t *testing.T) {
	view := lookingAlongX(0.6)
	robot := NewTarget(RobotKind, "magenta1", "magenta", Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8}, nil)
	robot.Move(spatial.Planar(5, 1, 1), mgl64.Vec3{1, 2, 0})
	env := Environment{PoseWB: spatial.Planar(-0.1, 0, 0), Targets: []Target{
		ball(3, 0.2, 0.11), pillar("near", 2, -1, 0.2), pillar("hidden", 4, -2, 0.1), pillar("behind", -2, 0, 0.2),
		robot,
	}}
	var truth, seen ObjectList
	TrueObjects(&env, false, &truth)
	cfg := perfect()
	see(&cfg, &view, nil, &env, random.New(1, "r", "s", 0), &seen)
	want := map[string]bool{"ball": true, "near": true, "magenta1": true}
	if len(truth.Detections) != len(env.Targets) || len(seen.Detections) != len(want) {
		t.Fatalf("truth has %d objects, objects %d; want %d and %d", len(truth.Detections), len(seen.Detections),
			len(env.Targets), len(want))
	}
	for _, d := range seen.Detections {
		if !want[d.Name] {
			t.Errorf("%s is seen", d.Name)
		}
		for _, tr := range truth.Detections {
			if tr.Name == d.Name && (!(tr.PosB.Sub(d.PosB).Len() <= 1e-9) || !(tr.VelB.Sub(d.VelB).Len() <= 1e-9)) {
				t.Errorf("%s: objects %v, %v; truth %v, %v", d.Name, d.PosB, d.VelB, tr.PosB, tr.VelB)
			}
		}
	}
}

// To first order, the error of a range found from a foot's pixel is σ·(h² + d²)/(f·h) for a level camera at height h.
func TestPixelNoiseBecomesRangeError(t *testing.T) {
	const n = 20_000
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.PixelNoise = 0.5
	f := 320 / math.Tan(math.Pi/6)
	for _, x := range []float64{2, 4} {
		env := Environment{PoseWB: spatial.Identity(), Targets: []Target{pillar("p", x, 0, 0.2)}}
		var errs []float64
		perceive(&cfg, &view, nil, &env, 3, n, func(list *ObjectList) {
			errs = append(errs, list.Detections[0].PosB[0]-x)
		})
		h := 0.6
		want := cfg.PixelNoise * x * x / (f * h) // dx/dv of x = f·h/v
		got := stat.StdDev(errs, nil)
		// Second-order terms of x = f·h/v add (σ·x/(f·h))² relative, below 0.5 % here; the rest is sampling, 5σ.
		if tol := want * (5/math.Sqrt(2*n) + 0.005); !scalar.EqualWithinAbs(got, want, tol) {
			t.Errorf("at %v m: σ = %v, want %v ± %v", x, got, want, tol)
		}
	}
}

func TestRangingReplacesTheFloorPlane(t *testing.T) {
	view := lookingAlongX(0.6)
	cfg := perfect()
	env := Environment{PoseWB: spatial.Identity(), Targets: []Target{ball(3, 0.2, 1.1)}}
	var flat, ranged ObjectList
	noise := random.New(1, "r", "s", 0)
	see(&cfg, &view, nil, &env, noise, &flat)
	see(&cfg, &view, func(float64) float64 { return 0 }, &env, noise, &ranged)
	if len(ranged.Detections) != 1 || !(ranged.Detections[0].PosB.Sub(mgl64.Vec3{3, 0.2, 1.1}).Len() <= 1e-9) {
		t.Errorf("with a measured range: %+v", ranged.Detections)
	}
	if len(flat.Detections) != 0 {
		t.Errorf("a ball above the horizon was located on the floor: %+v", flat.Detections)
	}
}

func TestMissAndFalseRates(t *testing.T) {
	const n = 20_000
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.MissRate, cfg.FalseRate = 0.1, 0.2
	env := Environment{PoseWB: spatial.Identity(), Targets: []Target{ball(3, 0, 0.11)}}
	hits, phantoms := 0, 0
	perceive(&cfg, &view, nil, &env, 3, n, func(list *ObjectList) {
		for _, d := range list.Detections {
			if d.Name == "" {
				phantoms++
			} else {
				hits++
			}
		}
	})
	if got, sigma := float64(hits)/n, math.Sqrt(0.1*0.9/n); !scalar.EqualWithinAbs(got, 0.9, 5*sigma) {
		t.Errorf("hit rate %v, want 0.9", got)
	}
	// Only false positives below the horizon and in range are on the floor. At 0.6 m and a range of 100 m that is the
	// lower half of the image except for f·h/100 = 3.3 rows.
	p := 0.2 * (240 - 320/math.Tan(math.Pi/6)*0.6/100) / 480
	if got, sigma := float64(phantoms)/n, math.Sqrt(p*(1-p)/n); !scalar.EqualWithinAbs(got, p, 5*sigma+0.001) {
		t.Errorf("false rate %v, want %v", got, p)
	}
}

func TestAddingAnObjectLeavesTheOthersNoiseAlone(t *testing.T) {
	view := lookingAlongX(0.6)
	cfg := DefaultVision()
	cfg.MissRate = 0
	noise := random.New(9, "cyan1", "front", 4)
	var one, two ObjectList
	a := Environment{PoseWB: spatial.Identity(), Targets: []Target{ball(3, 0, 0.11)}}
	b := Environment{PoseWB: spatial.Identity(), Targets: []Target{pillar("p", 2, 1, 0.2), ball(3, 0, 0.11)}}
	see(&cfg, &view, nil, &a, noise, &one)
	see(&cfg, &view, nil, &b, noise, &two)
	if len(two.Detections) != 2 || one.Detections[0].PosB != two.Detections[1].PosB {
		t.Errorf("the ball moved: %+v, %+v", one.Detections, two.Detections)
	}
}

func TestLocateSelf(t *testing.T) {
	const n = 20_000
	cfg := DefaultVision()
	cfg.SelfRange = 0
	view := lookingAlongX(0.6)
	env := Environment{PoseWB: spatial.Planar(1, -2, 3)}
	var list ObjectList
	var dist float64
	for frame := range uint64(n) {
		NewVision(&cfg, nil, 30).Localise(&view, &env, 0, random.New(3, "r", "s", frame), &list)
		dist += list.Self.Pos.Sub(env.PoseWB.Pos).Len()
	}
	// The mean of a Rayleigh distribution is σ·√(π/2).
	want := cfg.SelfPosNoise * math.Sqrt(math.Pi/2)
	must.Near(t, "mean localisation error", dist/n, want, 5*want*0.523/math.Sqrt(n))
}

// Quantiles reproduce their distribution, for errors along and across the line of sight, by the Kolmogorov–Smirnov
// distance.
func TestErrorsHaveTheirQuantiles(t *testing.T) {
	const n, knots = 20_000, 25
	// A tenth is far off: inverse of the cumulative distribution by bisection.
	cdf := func(x float64) float64 {
		return 0.9*distuv.Normal{Mu: 0.02, Sigma: 0.03}.CDF(x) + 0.1*distuv.Normal{Mu: -0.1, Sigma: 0.1}.CDF(x)
	}
	inverse := func(p float64) float64 {
		lo, hi := -2.0, 2.0
		for range 60 {
			if middle := (lo + hi) / 2; cdf(middle) < p {
				lo = middle
			} else {
				hi = middle
			}
		}
		return lo
	}
	var q Quantiles
	for i := range knots {
		q = append(q, inverse(distuv.UnitNormal.CDF(-3+6*float64(i)/(knots-1))))
	}
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.Errors = []VisionError{{Distance: 1, RangeQuantiles: q, AngleQuantiles: q}}
	env := Environment{PoseWB: spatial.Identity(), Targets: []Target{ball(3, 0, 0.11)}}
	var along, angle []float64
	perceive(&cfg, &view, nil, &env, 3, n, func(list *ObjectList) {
		p := list.Detections[0].PosB
		along, angle = append(along, math.Hypot(p[0], p[1])-3), append(angle, math.Atan2(p[1], p[0]))
	})
	vision, list := NewVision(&cfg, nil, 30), ObjectList{}
	if allocs := testing.AllocsPerRun(100, func() {
		vision.Perceive(&view, &env, 0, random.New(3, "r", "s", 1), &list)
	}); allocs != 0 {
		t.Errorf("a frame allocates %v times", allocs)
	}
	for what, all := range map[string][]float64{"distance": along, "bearing": angle} {
		slices.Sort(all)
		most := 0.0
		for i, x := range all {
			most = max(most, cdf(x)-float64(i)/n, float64(i+1)/n-cdf(x))
		}
		// 1.95/√n by chance in one of a thousand, and half a percent for straight lines between the quantiles.
		if !(most <= 1.95/math.Sqrt(n)+0.005) {
			t.Errorf("%s: a distance of %.4f from its distribution", what, most)
		}
	}
	for _, z := range []float64{-2.9, -1.3, 0, 0.4, 2.2} {
		if got := q.Score(q.At(z)); !(math.Abs(got-z) < 1e-9) {
			t.Errorf("the value of %v is that of %v", z, got)
		}
	}
	mean := 0.9*0.02 - 0.1*0.1
	want := math.Sqrt(0.9*(0.03*0.03+0.02*0.02) + 0.1*(0.1*0.1+0.1*0.1) - mean*mean)
	must.Near(t, "standard deviation", q.Sigma(), want, 0.02*want)
}

// Robots and obstacles are detected and located with their own model if there is one, and misses follow the table.
func TestObstaclesErrInTheirOwnWay(t *testing.T) {
	const n = 20_000
	view := lookingAlongX(0.6)
	cfg := perfect()
	cfg.Errors = []VisionError{{Distance: 1, Bias: 0.1, MissRate: 0.2}, {Distance: 5, Bias: 0.1, MissRate: 0.6}}
	cfg.Obstacles = &ErrorModel{Errors: []VisionError{{Distance: 1, Bias: -0.2}}, MissRate: 0.1, FalseRate: 0.3}
	env := Environment{PoseWB: spatial.Identity(), Targets: []Target{
		ball(3, 0, 0.11), NewTarget(ObstacleKind, "box", "", Shape{Kind: Box, SizeX: 0.4, SizeY: 0.4, Height: 0.6},
			nil),
	}}
	env.Targets[1].Move(spatial.Planar(4, 1.5, 0), [3]float64{})
	var balls, boxes, nothing float64
	perceive(&cfg, &view, nil, &env, 3, n, func(list *ObjectList) {
		for _, d := range list.Detections {
			off := math.Hypot(d.PosB[0], d.PosB[1])
			switch {
			case d.Name == "" && d.Kind == ObstacleKind:
				nothing++
			case d.Kind == BallKind:
				if balls++; !(math.Abs(off-3.1) < 1e-9) {
					t.Fatalf("the ball is located %v m away, want 3.1", off)
				}
			default:
				if boxes++; !(math.Abs(off-math.Hypot(4, 1.5)+0.2) < 1e-9) {
					t.Fatalf("the box is located %v m away", off)
				}
			}
		}
	})
	floor := 0.0 // share of the pixels that show floor in range
	w, h := view.Model.Size()
	for u := range w {
		for v := range h {
			if dir, ok := view.Model.Unproject(float64(u)+0.5, float64(v)+0.5); ok {
				if _, ok := view.intersectPlane(dir, 0); ok {
					floor += 1 / float64(w*h)
				}
			}
		}
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"balls", balls / n, 0.6}, {"boxes", boxes / n, 0.9}, {"false obstacles", nothing / n, 0.3 * floor}} {
		if tol := 5*math.Sqrt(c.want*(1-c.want)/n) + 0.005; !(math.Abs(c.got-c.want) <= tol) {
			t.Errorf("%s: %v a frame, want %v ± %v", c.what, c.got, c.want, tol)
		}
	}
}

// The covariance equals that of a sample of located points: for a plain camera, one that measures distances, and with a
// table of errors.
func TestLocationCovariance(t *testing.T) {
	const n = 20_000
	for _, c := range []struct {
		name    string
		pixels  float64
		ranging RangeSigma
		errors  []VisionError
	}{
		{"pixels", 0.5, nil, nil},
		{"a measured range", 0.5, func(z float64) float64 { return 0.01 * z }, nil},
		{"a table", 0, nil, []VisionError{{Distance: 1, Range: 0.05, Angle: 0.02, Bias: 0.1}}},
		{"a table of quantiles", 0, nil, []VisionError{{Distance: 1, RangeQuantiles: Quantiles{-0.5, -0.1, -0.04, 0,
			0.03, 0.08, 0.2}, AngleQuantiles: Quantiles{-0.04, 0.01, 0.06}}}},
		{"a table and pixels", 0.5, nil, []VisionError{{Distance: 1, Range: 0.05, Angle: 0.02}}},
	} {
		view := lookingAlongX(0.6)
		cfg := perfect()
		cfg.PixelNoise, cfg.Errors = c.pixels, c.errors
		env := Environment{PoseWB: spatial.Identity(), Targets: []Target{ball(2, 0.7, 0.11)}}
		var places []mgl64.Vec3
		var mean mgl64.Vec3
		perceive(&cfg, &view, c.ranging, &env, 5, n, func(list *ObjectList) {
			places = append(places, list.Detections[0].PosB)
			mean = mean.Add(list.Detections[0].PosB.Mul(1.0 / n))
		})
		var sample mgl64.Mat3
		for _, p := range places {
			d := p.Sub(mean)
			sample = sample.Add(d.OuterProd3(d).Mul(1.0 / n))
		}
		got := cfg.LocationCovariance(BallKind, view.Model, view.PoseWC, c.ranging, mean)
		for i := range 3 {
			for j := range 3 {
				// Standard deviation of the estimate, and second-order terms, below 1 % here.
				tol := 5*math.Sqrt((got.At(i, i)*got.At(j, j)+got.At(i, j)*got.At(i, j))/n) +
					0.01*math.Sqrt(got.At(i, i)*got.At(j, j)) + 1e-12
				if !(math.Abs(got.At(i, j)-sample.At(i, j)) <= tol) {
					t.Errorf("%s: covariance [%d][%d] = %v, sampled %v ± %v", c.name, i, j, got.At(i, j),
						sample.At(i, j), tol)
				}
			}
		}
		if !(got.At(0, 0) > 1e-6) || !(got.At(1, 1) > 1e-7) {
			t.Errorf("%s: variances %v and %v", c.name, got.At(0, 0), got.At(1, 1))
		}
	}
}

// A row of errors holds for objects of its kind alone. Kinds without a row err like obstacles.
func TestKindsErrInTheirOwnWay(t *testing.T) {
	view := lookingAlongX(0.6)
	shape := Shape{Kind: Box, SizeX: 0.4, SizeY: 0.4, Height: 0.8}
	target := func(kind Kind, name string, x, y float64) Target {
		a := NewTarget(kind, name, "", shape, nil)
		a.Move(spatial.Planar(x, y, 0), mgl64.Vec3{})
		return a
	}
	env := Environment{PoseWB: spatial.Identity(), Targets: []Target{ball(3, 0, 0.11), target("door", "a", 3, 1),
		target("shelf", "b", 3, -1), target(ObstacleKind, "c", 5, 0.6)}}
	cfg := perfect()
	cfg.Kinds = []KindErrors{{"door", ErrorModel{MissRate: 0.25, SizeNoise: 0.1, FalseRate: 0.5,
		Errors: []VisionError{{Range: 0.2}}}}}
	cfg.Obstacles = &ErrorModel{Errors: []VisionError{{Range: 0.05}}}
	const n = 4000
	count, invented := map[string]int{}, map[Kind]int{}
	var distance, height, others []float64
	perceive(&cfg, &view, nil, &env, 11, n, func(list *ObjectList) {
		for _, d := range list.Detections {
			count[d.Name]++
			switch d.Name {
			case "a":
				distance, height = append(distance, d.PosB.Vec2().Len()-math.Hypot(3, 1)), append(height, d.Size[2])
			case "b":
				others = append(others, d.PosB.Vec2().Len()-math.Hypot(3, 1))
			case "":
				invented[d.Kind]++
			}
			if d.Name != "" && d.Name != "a" && d.Name != "ball" && d.Size != (mgl64.Vec3{0.4, 0.4, 0.8}) {
				t.Fatalf("%s: size %v, want that of the shape", d.Name, d.Size)
			}
		}
	})
	if count["ball"] != n || count["b"] != n || count["c"] != n {
		t.Errorf("got %v, want all others in each of %d frames", count, n)
	}
	if share := float64(count["a"]) / n; !scalar.EqualWithinAbs(share, 0.75, 5*math.Sqrt(0.25*0.75/n)) {
		t.Errorf("got doors in a share of %v of the frames, want 0.75", share)
	}
	checkNormal(t, "distance of doors", distance, 0, 0.2)
	checkNormal(t, "height of doors", height, 0.8, 0.08)
	checkNormal(t, "distance of shelves", others, 0, 0.05)
	if len(invented) != 1 || invented["door"] == 0 {
		t.Errorf("got false positives %v, want doors alone", invented)
	}
	cfg.Kinds = append(cfg.Kinds, cfg.Kinds[0])
	var keys []string
	cfg.Validate(func(key string, _ any, _ string) { keys = append(keys, key) })
	if !slices.Equal(keys, []string{"Kinds[1].Kind"}) {
		t.Errorf("two rows of a kind: got errors at %v, want Kinds[1].Kind", keys)
	}
}

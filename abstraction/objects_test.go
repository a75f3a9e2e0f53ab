package abstraction

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

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
		var list ObjectList
		var sum, sum2 float64
		for frame := range uint64(n) {
			see(&cfg, &view, nil, &env, random.New(3, "r", "s", frame), &list)
			e := list.Detections[0].PosB[0] - x
			sum, sum2 = sum+e, sum2+e*e
		}
		h := 0.6
		want := cfg.PixelNoise * x * x / (f * h) // dx/dv of x = f·h/v
		got := math.Sqrt(sum2/n - sum*sum/n/n)
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
	var list ObjectList
	hits, phantoms := 0, 0
	for frame := range uint64(n) {
		see(&cfg, &view, nil, &env, random.New(3, "r", "s", frame), &list)
		for _, d := range list.Detections {
			if d.Name == "" {
				phantoms++
			} else {
				hits++
			}
		}
	}
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
	if got := dist / n; !scalar.EqualWithinAbs(got, want, 5*want*0.523/math.Sqrt(n)) {
		t.Errorf("mean localisation error %v, want %v", got, want)
	}
}

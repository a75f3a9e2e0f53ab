package abstraction

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// match2016 is the match of MSL2016Errors as it was summarised: in intervals of distance, pairs of an opponent and an
// obstacle that are at most 1 m apart, means and standard deviations in m, and the share of opponents without a pair.
var match2016 = []struct{ from, to, pairs, alongMean, along, acrossMean, across, missed float64 }{
	{0, 1, 667, 0.082, 0.186, 0.013, 0.211, 0.029},
	{1, 2, 2035, 0.012, 0.162, 0.017, 0.180, 0.079},
	{2, 3, 780, -0.023, 0.183, 0.020, 0.148, 0.259},
	{3, 4.5, 1106, -0.061, 0.157, -0.021, 0.141, 0.217},
	{4.5, 7, 1622, 0.038, 0.171, -0.013, 0.158, 0.296},
	{7, 12, 350, 0.220, 0.185, 0.008, 0.092, 0.766},
}

// The quantiles of all pairs of that match at −3 to 3 standard normal scores, in m, and the share of obstacles without
// an opponent within 1 m.
var (
	alongOfMatch  = []float64{-0.742, -0.309, -0.137, 0.008, 0.188, 0.412, 0.696}
	acrossOfMatch = []float64{-0.821, -0.340, -0.136, 0.007, 0.139, 0.337, 0.712}
	falseOfMatch  = 0.0615
)

// fusedVision has the profile for obstacles, and nothing else errs.
func fusedVision() VisionConfig {
	cfg := VisionConfig{MaxRange: 12, Obstacles: new(ErrorModel)}
	cfg.Obstacles.Prepare(func(key string) string { return map[string]string{"profile": MSL2016}[key] })
	return cfg
}

// TestWorldModelErrsAsInAMatch measures a simulated world model as the log of the match was measured. Frames are far
// apart, so that their errors are independent.
func TestWorldModelErrsAsInAMatch(t *testing.T) {
	const frames, opponents, apart = 60_000, 3, 1000
	r := rand.New(rand.NewPCG(1, 2))
	cfg, view := fusedVision(), lookingAlongX(0.6)
	vision := NewVision(&cfg, nil, 8)
	env := Environment{PoseWB: spatial.Identity()}
	for i := range opponents {
		env.Targets = append(env.Targets, NewTarget(RobotKind, fmt.Sprint("magenta", i), "magenta",
			Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8}, nil))
	}
	var shares []float64 // of the opponents in each interval
	for _, m := range match2016 {
		shares = append(shares, m.pairs/(1-m.missed))
	}
	interval := distuv.NewCategorical(shares, r)
	type bin struct {
		along, across  []float64
		missed, things float64
	}
	bins := make([]bin, len(match2016))
	var list ObjectList
	alone, reported := 0.0, 0.0
	for k := range uint64(frames) {
		env.PoseWB = spatial.Planar(r.Float64(), r.Float64(), 6*r.Float64())
		places := make([]mgl64.Vec3, opponents)
		in := make([]int, opponents)
		for i := range places {
			for again := true; again; {
				in[i] = int(interval.Rand())
				m := match2016[in[i]]
				bearing, distance := 2*math.Pi*r.Float64(), m.from+(m.to-m.from)*r.Float64()
				places[i] = env.PoseWB.Pos.Add(mgl64.Vec3{distance * math.Cos(bearing), distance * math.Sin(bearing)})
				again = distance < 0.5 || slices.ContainsFunc(places[:i], func(p mgl64.Vec3) bool {
					return p.Sub(places[i]).Len() < 0.5 // no closer than two robots that touch
				})
			}
			env.Targets[i].Move(spatial.Planar(places[i][0], places[i][1], 0), mgl64.Vec3{})
		}
		vision.Perceive(&view, &env, 0, random.New(5, "cyan1", "world_model", k*apart), &list)
		for i, p := range places {
			b := &bins[in[i]]
			b.things++
			best, off := 1.0, mgl64.Vec3{}
			for j := range list.Detections {
				if d := env.PoseWB.Apply(list.Detections[j].PosB).Sub(p); d.Len() <= best {
					best, off = d.Len(), d
				}
			}
			if off == (mgl64.Vec3{}) {
				b.missed++
				continue
			}
			ahead := p.Sub(env.PoseWB.Pos).Normalize()
			b.along = append(b.along, ahead.Dot(off))
			b.across = append(b.across, ahead[0]*off[1]-ahead[1]*off[0])
		}
		for j := range list.Detections {
			reported++
			if at := env.PoseWB.Apply(list.Detections[j].PosB); !slices.ContainsFunc(places,
				func(p mgl64.Vec3) bool { return p.Sub(at).Len() <= 1 }) {
				alone++
			}
		}
	}
	check := func(what string, got, want float64) {
		t.Helper()
		t.Logf("%s: %.3f, in the match %.3f", what, got, want)
		if !(math.Abs(got-want) <= 0.15*math.Abs(want)) {
			t.Errorf("%s: %.4f, want %.4f within 15 %%", what, got, want)
		}
	}
	var along, across []float64
	for i, m := range match2016 {
		b, at := &bins[i], fmt.Sprintf("%v to %v m: ", m.from, m.to)
		check(at+"σ along", stat.StdDev(b.along, nil), m.along)
		check(at+"σ across", stat.StdDev(b.across, nil), m.across)
		check(at+"missed", b.missed/b.things, m.missed)
		for k, mean := range [][2]float64{{stat.Mean(b.along, nil), m.alongMean},
			{stat.Mean(b.across, nil), m.acrossMean}} {
			if !(math.Abs(mean[0]-mean[1]) <= 0.02) {
				t.Errorf("%smean of axis %d: %.3f m, want %.3f m within 2 cm", at, k, mean[0], mean[1])
			}
		}
		along, across = append(along, b.along...), append(across, b.across...)
	}
	check("false", alone/reported, falseOfMatch)
	slices.Sort(along)
	slices.Sort(across)
	for i := range alongOfMatch {
		z := float64(i) - 3
		rank := distuv.UnitNormal.CDF(z)
		a, b := stat.Quantile(rank, stat.Empirical, along, nil), stat.Quantile(rank, stat.Empirical, across, nil)
		if z == 0 { // a median of some millimetres is no scale
			if !(math.Abs(a-alongOfMatch[i]) <= 0.02 && math.Abs(b-acrossOfMatch[i]) <= 0.02) {
				t.Errorf("medians: %.3f and %.3f m", a, b)
			}
			continue
		}
		check(fmt.Sprintf("along at %+.0fσ", z), a, alongOfMatch[i])
		check(fmt.Sprintf("across at %+.0fσ", z), b, acrossOfMatch[i])
	}
}

// TestWorldModelLasts checks that errors and misses have the correlation of the time constant from one frame to the
// next, and that a frame does not depend on which frames were computed before it.
func TestWorldModelLasts(t *testing.T) {
	const rate, n = 8, 20_000
	cfg, view := fusedVision(), lookingAlongX(0.6)
	behind := pillar("hidden", -6, 0, 0.25)
	env := Environment{PoseWB: spatial.Identity(), Targets: []Target{behind}}
	vision := NewVision(&cfg, nil, rate)
	var errs []float64
	var list, alone ObjectList
	missed, changes := 0.0, 0.0
	for k := range uint64(n) {
		noise := random.New(5, "cyan1", "world_model", k)
		vision.Perceive(&view, &env, time.Duration(k)*time.Second/rate, noise, &list)
		if k%1000 == 500 {
			see8 := NewVision(&cfg, nil, rate)
			see8.Perceive(&view, &env, time.Duration(k)*time.Second/rate, noise, &alone)
			if !slices.Equal(alone.Detections, list.Detections) {
				t.Fatalf("frame %d alone has %v, after others %v", k, alone.Detections, list.Detections)
			}
		}
		x := math.NaN() // while the obstacle is missed
		if len(list.Detections) > 0 {
			x = list.Detections[0].PosB[1]
		} else {
			missed++
		}
		if k > 0 && math.IsNaN(x) != math.IsNaN(errs[k-1]) {
			changes++
		}
		errs = append(errs, x)
	}
	var before, after []float64
	for k, x := range errs[:n-1] {
		if next := errs[k+1]; !math.IsNaN(x) && !math.IsNaN(next) {
			before, after = append(before, x), append(after, next)
		}
	}
	// Quantiles bend the process, which costs a little correlation.
	rho := math.Exp(-1.0 / rate)
	must.Near(t, "correlation of successive errors", stat.Correlation(before, after, nil), rho, 0.05)
	// A correlation of rho lets a normal number cross a threshold less often than independent numbers do.
	share := missed / n
	if most := 2 * share * (1 - share) / 2; !(share > 0.2 && changes/n <= most) {
		t.Errorf("%.3f of the frames missed, %.3f changes a frame, want at most half as many as without correlation, "+
			"%.3f", share, changes/n, most)
	}
	if allocs := testing.AllocsPerRun(100, func() {
		vision.Perceive(&view, &env, 0, random.New(3, "r", "s", 1), &list)
	}); allocs != 0 {
		t.Errorf("a frame allocates %v times", allocs)
	}
}

// The published covariance is that of the table: errors of pixels are not part of a world model.
func TestWorldModelCovariance(t *testing.T) {
	cfg, view := fusedVision(), lookingAlongX(0.6)
	cfg.PixelNoise = 5
	got := cfg.LocationCovariance(RobotKind, view.Model, view.PoseWC, nil, mgl64.Vec3{0, 3.75, 0}) // to the left
	for axis, sigma := range []float64{0.141, 0.157} {
		if !(math.Abs(math.Sqrt(got.At(axis, axis))-sigma) <= 0.02*sigma) {
			t.Errorf("axis %d: σ = %.4f m, want %.4f m", axis, math.Sqrt(got.At(axis, axis)), sigma)
		}
	}
}

func TestProfilesAndSharesAreValid(t *testing.T) {
	cfg := fusedVision()
	cfg.Obstacles.Profile = MSL2016
	rules := map[string]string{}
	violate := func(field string, _ any, rule string) { rules[field] = rule }
	if cfg.Validate(violate); len(rules) > 0 {
		t.Errorf("the profile violates %v", rules)
	}
	cfg.Obstacles.Profile, cfg.FalseShare = "msl-2017", 0.1
	cfg.Validate(violate)
	if len(rules) != 2 || rules["Obstacles.Profile"] == "" || rules["FalseShare"] == "" {
		t.Errorf("an unknown profile and false objects without a world model violate %v", rules)
	}
}

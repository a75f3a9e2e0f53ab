package abstraction

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

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
	vision := NewVision(&cfg, nil, 30)
	var list ObjectList
	var along, angle []float64
	for frame := range uint64(n) {
		vision.Perceive(&view, &env, 0, random.New(3, "r", "s", frame), &list)
		p := list.Detections[0].PosB
		along, angle = append(along, math.Hypot(p[0], p[1])-3), append(angle, math.Atan2(p[1], p[0]))
	}
	if allocs := testing.AllocsPerRun(100, func() {
		vision.Perceive(&view, &env, 0, random.New(3, "r", "s", 1),
			&list)
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
	if want := math.Sqrt(0.9*(0.03*0.03+0.02*0.02) + 0.1*(0.1*0.1+0.1*0.1) -
		mean*mean); !(math.Abs(q.Sigma()-want) <= 0.02*want) {
		t.Errorf("standard deviation %v, want %v", q.Sigma(), want)
	}
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
	vision := NewVision(&cfg, nil, 30)
	var list ObjectList
	var balls, boxes, nothing float64
	for frame := range uint64(n) {
		vision.Perceive(&view, &env, 0, random.New(3, "r", "s", frame), &list)
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
	}
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

package reproduce

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/timesync"
)

// forecastRuns are the measured runs. The simulators of the paper's time could only run as fast as possible (speed
// max), about as fast as real time. Here 10 ms of sim time are far shorter than 10 ms of wall time at speed max, so
// that intervals of equal wall time are measured, too.
var forecastRuns = []struct {
	speed          timesync.Speed
	images, byWall bool
}{{speed: timesync.RealTime}, {speed: timesync.Factor(0.5)}, {speed: timesync.Steady}, {speed: timesync.Max},
	{speed: timesync.Max, byWall: true}, {speed: timesync.RealTime, images: true}, {speed: timesync.Max, images: true},
	{speed: timesync.Max, images: true, byWall: true}}

// forecastRanges are the ranges of intervals in the paper.
var forecastRanges = []struct {
	name     string
	from, to time.Duration
	most     float64 // %
}{{"10 to 100 ms", 10 * time.Millisecond, 100 * time.Millisecond, 2}, {"150 to 500 ms", 150 * time.Millisecond,
	500 * time.Millisecond, 4}}

func runForecast(ctx context.Context, t *Trial) error {
	span := 12 * time.Second
	switch {
	case t.brief:
		span = time.Second
	case t.Quick:
		span = 3 * time.Second
	}
	all := machineUsage()
	for i, run := range forecastRuns {
		c := intervals.Config{Speed: run.speed, For: span, ByWall: run.byWall,
			Start: func(opts omnipitch.Options) (*omnipitch.Sim, func(int, bool), error) {
				return t.collide(opts, run.images)
			},
			Began: func(r *intervals.Run, wall time.Duration) {
				share := math.Min(1, (wall-r.Begins[0]).Seconds()/span.Seconds())
				t.Progress((float64(i) + share) / float64(len(forecastRuns)))
			}}
		before := machineUsage()
		r, err := c.Measure(ctx)
		if err != nil {
			return err
		}
		f := forecasts{r, fmt.Sprintf("speed %v", run.speed), fmt.Sprintf("%v", run.speed), othersSince(before),
			run.images}
		if run.images {
			f.name, f.file = f.name+", with images", f.file+"-images"
		}
		if run.byWall {
			f.name, f.file = f.name+", by wall time", f.file+"-by-wall"
		}
		t.Add(Aside(f.name+": real-time factor", r.Report.Factor(), ""))
		for _, within := range forecastRanges {
			t.addForecast(&f, within.name, within.from, within.to, within.most)
		}
		if run.speed == timesync.Max && !run.byWall {
			t.Plot(f.windows())
		}
		t.Plot(f.errors())
	}
	t.addOthers(all)
	return nil
}

// forecasts are the measurements of one run.
type forecasts struct {
	*intervals.Run
	name, file string
	others     float64 // share of the processors that other programs used, 0 to 1
	images     bool
}

// addForecast judges the predictions for a range of intervals. It adds a finding for the paper's method, with the
// number of steps that predicts best, and one for our method.
func (t *Trial) addForecast(r *forecasts, name string, from, to time.Duration, most float64) {
	best, last := math.NaN(), 0
	for i, m := range intervals.Methods {
		worst := 0.0
		for k, d := range r.Spans {
			if d >= from-r.Step && d <= to+r.Step/2 {
				worst = math.Max(worst, r.Mean(i, k)) // if one mean is NaN, the result is NaN
			}
		}
		switch {
		case i == 0:
			t.Add(r.explain(AtMost(fmt.Sprintf("%s, %s: our forecast", r.name, name), worst, most, "%")))
		case m.Last > 1 && !(worst >= best):
			best, last = worst, m.Last
		}
	}
	t.Add(r.explain(Trend(fmt.Sprintf("%s, %s: mean of the last %d speeds, the best", r.name, name, last), best, "%",
		fmt.Sprintf("< %g %%", most), "up to twice as much", best <= 2*most)))
}

// explain returns the finding. If its verdict is Differs, the result contains the reason why the prediction is worse
// than the paper's.
func (r *forecasts) explain(f Finding) Finding {
	if f.Verdict != Differs {
		return f
	}
	why := "steps take unequal times where robots touch, and a step is short here"
	if r.images {
		why = "one step has an image to wait for, the next has none"
	}
	if more := disturbed(r.others); more != "" {
		why += "; " + more
	}
	return f.because("%s", why)
}

// collide starts the trial's world with robots that run into each other. If images is true, all sensors have listeners.
func (t *Trial) collide(opts omnipitch.Options, images bool) (*omnipitch.Sim, func(int, bool), error) {
	w, err := t.Load(0)
	if err != nil {
		return nil, nil, err
	}
	opts.RenderEarly = images // so that it is not measured
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		return nil, nil, err
	}
	if images {
		err = listenToAll(sim)
	}
	return sim, intervals.Collide(sim), err
}

// forecastShown is the number of plotted steps.
const forecastShown = 400

// windows returns a plot of the instantaneous speed and its moving means after the warm-up, like the paper's figure 4.
func (r *forecasts) windows() experiment.Plot {
	first := sort.Search(len(r.Begins), func(i int) bool { return r.Begins[i]-r.Begins[0] >= r.Warmup })
	p := experiment.Plot{Name: "windows-" + r.file, Title: "Instantaneous speed, and its means, at " + r.name,
		XLabel: "wall time, s", YLabel: "real-time factor", LogY: true}
	for _, n := range []int{1, 5, 10, 20, 50} {
		curve := experiment.Curve{Name: fmt.Sprintf("mean of %d", n)}
		if n == 1 {
			curve.Name = "instantaneous"
		}
		for i := max(n, first+1); i < min(len(r.Begins), first+forecastShown); i++ {
			sum := 0.0
			for k := i - n; k < i; k++ {
				sum += r.Step.Seconds() / math.Max((r.Begins[k+1]-r.Begins[k]).Seconds(), 1e-9)
			}
			curve.Add((r.Begins[i] - r.Begins[first]).Seconds(), sum/float64(n))
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}

// errors returns a plot of the mean errors of all methods over the intervals.
func (r *forecasts) errors() experiment.Plot {
	p := r.Plot(func(method int) bool { return method == 0 || intervals.Methods[method].Last > 1 })
	p.Name, p.Title = "errors-"+r.file, "Mean error of predictions at "+r.name
	return p
}

package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/timesync"
)

// into adds the results to a report.
func (t *timing) into(r *Report) {
	prefix := fmt.Sprintf("%s_%v_", t.load, t.Speed)
	r.add(prefix+"real_time_factor", t.Report.Factor(), "x", len(t.Begins))
	if t.Report.Lateness.Steps > 0 {
		r.add(prefix+"start_after_due", t.Report.Lateness.Median.Seconds()*1e6, "us", int(t.Report.Lateness.Steps))
		r.add(prefix+"start_after_due_p95", t.Report.Lateness.P95.Seconds()*1e6, "us", int(t.Report.Lateness.Steps))
	}
	for k, d := range t.Spans {
		n := len(t.Errors[0][k])
		if n == 0 {
			continue // the run was too short
		}
		at := prefix + intervals.Millis(d) + "ms_"
		for i := range intervals.Methods {
			r.add(at+intervals.Methods[i].ID()+"_error", t.Mean(i, k), "%", n)
		}
		_, best := t.Best(k)
		r.addRatio(at+"error", "the best of the others", t.Mean(0, k)/best, n)
		r.addRatio(at+"error_of_reported", fmt.Sprintf("%g %%, as Beck et al. 2008 report", intervals.Reported(d)),
			t.Mean(0, k)/intervals.Reported(d), n)
	}
	if t.recovered != nil {
		t.recovered.into(r, prefix)
	}
}

// csvHeader is the header of the CSV output.
var csvHeader = []string{"load", "speed", "interval_ms", "method", "mean_error_percent", "predictions"}

// rows writes the errors of one run as CSV.
func (t *timing) rows(w *csv.Writer) {
	for k, d := range t.Spans {
		for i := range intervals.Methods {
			if n := len(t.Errors[i][k]); n > 0 {
				w.Write([]string{t.load, t.Speed.String(), intervals.Millis(d), intervals.Methods[i].Does,
					strconv.FormatFloat(t.Mean(i, k), 'g', 6, 64), strconv.Itoa(n)})
			}
		}
	}
}

// print prints the table of errors of one run, and the verdict.
func (t *timing) print(out io.Writer) {
	fmt.Fprintf(out, "\n%s at %v: real-time factor %.3g", t.load, t.Speed, t.Report.Factor())
	if l := t.Report.Lateness; l.Steps > 0 {
		fmt.Fprintf(out, ", steps begin %.1f µs after they are due, median; 95 %% within %.1f µs",
			1e6*l.Median.Seconds(), 1e6*l.P95.Seconds())
	}
	fmt.Fprintln(out)
	if t.recovered != nil {
		fmt.Fprintln(out, t.recovered)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "mean error, %\t")
	for _, d := range t.Spans {
		fmt.Fprintf(tw, "%v\t", d)
	}
	fmt.Fprintln(tw)
	for i := range intervals.Methods {
		fmt.Fprintf(tw, "%s\t", intervals.Methods[i].Does)
		for k := range t.Spans {
			fmt.Fprintf(tw, "%.3g\t", t.Mean(i, k))
		}
		fmt.Fprintln(tw)
	}
	fmt.Fprint(tw, "Beck et al. 2008, their simulator\t")
	for _, d := range t.Spans {
		fmt.Fprintf(tw, "< %g\t", intervals.Reported(d))
	}
	fmt.Fprintln(tw)
	tw.Flush()
	fmt.Fprintln(out, judge(t))
}

// plots plots speed over time and errors over intervals.
func (t *timing) plots() []experiment.Plot {
	name := fmt.Sprintf("timesync-%s-%v", t.load, t.Speed)
	speed := experiment.Plot{
		Name: name, Title: fmt.Sprintf("speed, load %s, --speed %v", t.load, t.Speed),
		XLabel: "wall time, s", YLabel: "real-time factor", LogY: t.Speed == timesync.Max, Rows: true,
	}
	for _, n := range []int{1, 20, 200} {
		speed.Curves = append(speed.Curves, t.speedOver(n))
	}
	errors := t.Plot(func(int) bool { return true })
	errors.Name, errors.Title = name+"-errors", fmt.Sprintf("mean error, load %s, --speed %v", t.load, t.Speed)
	return []experiment.Plot{speed, errors}
}

// shown is the wall time after the warm-up that the speed plots show.
const shown = time.Second

// speedOver returns a curve of the real-time factor over n consecutive steps, sampled ten times in n steps. X is the
// wall time at which the last of the n steps begins.
func (t *timing) speedOver(n int) experiment.Curve {
	curve := experiment.Curve{Name: fmt.Sprintf("mean of %d steps", n), Steps: true}
	if n == 1 {
		curve.Name = "each step"
	}
	for i := n; i < len(t.Begins); i += max(1, n/10) {
		from := t.Begins[i-1] - t.Begins[0] - t.Warmup
		if from < 0 || from > shown {
			continue
		}
		curve.X = append(curve.X, from.Seconds())
		curve.Y = append(curve.Y, float64(n)*t.Step.Seconds()/(t.Begins[i]-t.Begins[i-n]).Seconds())
	}
	return curve
}

// verdict summarizes the errors of a run in words.
type verdict struct {
	speed string
	// spans for which our error is less than, about equal to, or greater than the error of the best other method
	better, alike, worse []time.Duration
	most, least          float64 // range of the ratio of the best other method's error to ours
	// spans for which our error is less than Beck et al. 2008 report, spans for which it is not, and all spans for
	// which the run was long enough
	within, beyond, judged []time.Duration
}

// alike is the relative difference up to which errors count as equal. 5 % is a guess: the errors of two runs of one
// load differ by about as much.
const alike = 0.05

func judge(t *timing) *verdict {
	v := &verdict{speed: t.Speed.String()}
	for k, d := range t.Spans {
		if len(t.Errors[0][k]) == 0 {
			continue
		}
		own := t.Mean(0, k)
		_, best := t.Best(k)
		times := best / own
		if own == best { // also if both are 0
			times = 1
		}
		if len(v.judged) == 0 {
			v.most, v.least = times, times
		}
		v.judged = append(v.judged, d)
		v.most, v.least = max(v.most, times), min(v.least, times)
		switch {
		case times > 1+alike:
			v.better = append(v.better, d)
		case times < 1-alike:
			v.worse = append(v.worse, d)
		default:
			v.alike = append(v.alike, d)
		}
		if own < intervals.Reported(d) {
			v.within = append(v.within, d)
		} else {
			v.beyond = append(v.beyond, d)
		}
	}
	return v
}

func (v *verdict) String() string {
	if len(v.judged) == 0 {
		return "verdict: none, the run was too short"
	}
	var parts []string
	add := func(what string, spans []time.Duration) {
		if len(spans) > 0 {
			parts = append(parts, what+" over "+v.ranges(spans))
		}
	}
	add("better than every other method", v.better)
	add("like the best other method", v.alike)
	add("worse than the best other method", v.worse)
	text := "verdict: omnipitch's forecasts are " + strings.Join(parts, ", ")
	text += fmt.Sprintf("; the best other method is off by %.3g to %.3g times as much.\n", v.least, v.most)
	switch {
	case len(v.beyond) == 0:
		text += "Within the 2 % (to 100 ms) and 4 % (to 500 ms) of Beck et al. 2008 over " + v.ranges(v.within) + "."
	case len(v.within) == 0:
		text += "Not within the 2 % (to 100 ms) and 4 % (to 500 ms) of Beck et al. 2008 over any interval."
	default:
		text += "Within the 2 % (to 100 ms) and 4 % (to 500 ms) of Beck et al. 2008 over " + v.ranges(v.within) +
			", and not over " + v.ranges(v.beyond) + "."
	}
	return text
}

// ranges returns spans as text. Spans that follow each other in v.judged become a range such as "10 to 100 ms".
func (v *verdict) ranges(spans []time.Duration) string {
	var texts []string
	for i := 0; i < len(spans); {
		end, at := i, slices.Index(v.judged, spans[i])
		for end+1 < len(spans) && at+end+1-i < len(v.judged) && v.judged[at+end+1-i] == spans[end+1] {
			end++
		}
		text := intervals.Millis(spans[i])
		if end > i {
			text += " to " + intervals.Millis(spans[end])
		}
		texts = append(texts, text)
		i = end + 1
	}
	return strings.Join(texts, ", ") + " ms"
}

// verdicts are the verdicts of all runs.
type verdicts []*verdict

func (all *verdicts) add(t *timing) { *all = append(*all, judge(t)) }

// print prints, for each speed, how many forecasts are better than, equal to and worse than the best other method, and
// how many have errors no larger than Beck et al. 2008 report.
func (all verdicts) print(out io.Writer) {
	fmt.Fprintln(out, "\nVerdict, by speed: over how many intervals of all runs omnipitch's forecasts are …")
	var speeds []string
	for _, v := range all {
		if !slices.Contains(speeds, v.speed) {
			speeds = append(speeds, v.speed)
		}
	}
	for _, speed := range speeds {
		var better, same, worse, within, judged int
		for _, v := range all {
			if v.speed == speed {
				better, same, worse = better+len(v.better), same+len(v.alike), worse+len(v.worse)
				within, judged = within+len(v.within), judged+len(v.judged)
			}
		}
		fmt.Fprintf(out, "%s: %d of %d better than every other method, %d like the best, %d worse; %d of %d within "+
			"what Beck et al. 2008 report\n",
			speed, better, judged, same, worse, within, judged)
	}
}

// recovery measures how a run recovers after it was stopped: its real-time factor, and a robot's timer.
type recovery struct {
	t       *intervals.Run
	client  *timesync.Client
	ticker  *timesync.Timer
	last    time.Duration // sim time of the timer's last tick
	stopped time.Duration // wall time at which the run continued; 0 before that
	wrong   time.Duration // wall time after stopped until the real-time factor was right again
	right   bool
	twice   int
	nominal float64      // wall time that the steps so far should have taken, s
	marks   [][2]float64 // pairs of wall time (s) and nominal in the last 100 ms
}

const recoveryPeriod = 20 * time.Millisecond

// stepBegan is called at the start of each step.
func (r *recovery) stepBegan(wall time.Duration) {
	r.client.Tick(r.t.Sim.Truth().Time)
	select {
	case at := <-r.ticker.C:
		if r.last > 0 && at-r.last < recoveryPeriod {
			r.twice++
		}
		r.last = at
	default:
	}
	n := len(r.t.Begins)
	if n > 1 && wall-r.t.Begins[n-2] > timeStopped/2 {
		r.stopped = wall
	}
	r.checkPace(wall)
}

// checkPace measures how long after the stop two values are wrong: the pace of the last 100 ms, and the real-time
// factor that the simulation reports. At speed steady the target changes with every step. Then only the pace counts,
// which is compared with the targets of the steps.
func (r *recovery) checkPace(wall time.Duration) {
	aim := r.t.Target
	if aim == 0 {
		return
	}
	if r.stopped == wall {
		r.marks = r.marks[:0]
	}
	r.nominal += r.t.Step.Seconds() / aim
	r.marks = append(r.marks, [2]float64{wall.Seconds(), r.nominal})
	for len(r.marks) > 2 && wall.Seconds()-r.marks[1][0] >= 0.1 {
		r.marks = r.marks[1:]
	}
	if r.stopped == 0 || r.right {
		return
	}
	r.wrong = wall - r.stopped
	first := r.marks[0]
	whole := wall.Seconds()-first[0] >= 0.095
	r.right = whole && math.Abs((r.nominal-first[1])/(wall.Seconds()-first[0])-1) < 0.01
	if r.t.Speed != timesync.Steady {
		r.right = r.right && math.Abs(r.t.Sim.Clock().Factor().Measured/aim-1) < 0.01
	}
}

func (r *recovery) into(report *Report, prefix string) {
	report.add(prefix+"factor_wrong_for", r.wrong.Seconds()*1e3, "ms", 1)
	report.add(prefix+"timers_twice_or_back", float64(r.twice), "times", 1)
}

func (r *recovery) String() string {
	if r.stopped == 0 {
		return "the run was not stopped"
	}
	return fmt.Sprintf("after the stop the factor was right to 1 %% over 100 ms after %v; %d timers fired twice or "+
		"backwards", r.wrong, r.twice)
}

package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"
)

// reported is the mean error, in per cent of the interval, that Beck, Ferrein and Lakemeyer (2008, section 5.1) report as not reached: 2 for 10 to
// 100 ms, 4 for 150 to 500 ms.
func reported(span time.Duration) float64 {
	if span <= 100*time.Millisecond {
		return 2
	}
	return 4
}

// mean returns the mean error of a method over a span, NaN where the run was too short for it.
func (t *timing) mean(method, span int) float64 { return stat.Mean(t.errors[method][span], nil) }

// best returns the other method of the least mean error over a span.
func (t *timing) best(span int) (method int, mean float64) {
	for i := 1; i < len(methods); i++ {
		if e := t.mean(i, span); method == 0 || e < mean {
			method, mean = i, e
		}
	}
	return method, mean
}

// millis writes a span in ms, without its unit.
func millis(span time.Duration) string { return strconv.FormatFloat(span.Seconds()*1e3, 'g', 6, 64) }

// into adds the results to a report.
func (t *timing) into(r *Report) {
	prefix := fmt.Sprintf("%s_%v_", t.load, t.speed)
	r.add(prefix+"real_time_factor", t.report.Factor(), "x", len(t.begins))
	if t.report.Lateness.Steps > 0 {
		r.add(prefix+"start_after_due", t.report.Lateness.Median.Seconds()*1e6, "us", int(t.report.Lateness.Steps))
		r.add(prefix+"start_after_due_p95", t.report.Lateness.P95.Seconds()*1e6, "us", int(t.report.Lateness.Steps))
	}
	for k, d := range t.spans {
		n := len(t.errors[0][k])
		if n == 0 {
			continue // the run was too short
		}
		at := prefix + millis(d) + "ms_"
		for i := range methods {
			r.add(at+methods[i].id()+"_error", t.mean(i, k), "%", n)
		}
		_, best := t.best(k)
		r.addRatio(at+"error", "the best of the others", t.mean(0, k)/best, n)
		r.addRatio(at+"error_of_reported", fmt.Sprintf("%g %%, as Beck et al. 2008 report", reported(d)), t.mean(0, k)/reported(d), n)
	}
	if t.recovered != nil {
		t.recovered.into(r, prefix)
	}
}

// csvHeader names what rows writes.
var csvHeader = []string{"load", "speed", "interval_ms", "method", "mean_error_percent", "predictions"}

// rows writes the errors of one run as CSV.
func (t *timing) rows(w *csv.Writer) {
	for k, d := range t.spans {
		for i := range methods {
			if n := len(t.errors[i][k]); n > 0 {
				w.Write([]string{t.load, t.speed.String(), millis(d), methods[i].does, strconv.FormatFloat(t.mean(i, k), 'g', 6, 64), strconv.Itoa(n)})
			}
		}
	}
}

// print prints the table of errors of one run, and what they say.
func (t *timing) print(out io.Writer) {
	fmt.Fprintf(out, "\n%s at %v: real-time factor %.3g", t.load, t.speed, t.report.Factor())
	if l := t.report.Lateness; l.Steps > 0 {
		fmt.Fprintf(out, ", steps begin %.1f µs after they are due, median; 95 %% within %.1f µs", 1e6*l.Median.Seconds(), 1e6*l.P95.Seconds())
	}
	fmt.Fprintln(out)
	if t.recovered != nil {
		fmt.Fprintln(out, t.recovered)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "mean error, %\t")
	for _, d := range t.spans {
		fmt.Fprintf(tw, "%v\t", d)
	}
	fmt.Fprintln(tw)
	for i := range methods {
		fmt.Fprintf(tw, "%s\t", methods[i].does)
		for k := range t.spans {
			fmt.Fprintf(tw, "%.3g\t", t.mean(i, k))
		}
		fmt.Fprintln(tw)
	}
	fmt.Fprint(tw, "Beck et al. 2008, their simulator\t")
	for _, d := range t.spans {
		fmt.Fprintf(tw, "< %g\t", reported(d))
	}
	fmt.Fprintln(tw)
	tw.Flush()
	fmt.Fprintln(out, judge(t))
}

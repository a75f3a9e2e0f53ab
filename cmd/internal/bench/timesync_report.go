package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
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

package assess

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Fit is a vision model for level objects (abstraction.VisionConfig) with the errors of an assessed vision.
type Fit struct {
	Robot, Sensor string
	ModelFit                // model for the ball, or for obstacles if no balls were assessed
	Obstacles     *ModelFit // model for obstacles if balls were assessed, too; else nil
	MaxRange      float64   // m
	Delay         time.Duration

	SelfKnown            bool
	SelfPos, SelfHeading float64 // root mean square errors, m and rad
	selfReports          int
}

// ModelFit is the error model for things of one kind.
type ModelFit struct {
	Of      Kind
	Reports int // number of reports that the model is based on
	abstraction.ErrorModel
	misses, of int
}

// leastReports is the least number of reports in a bin of a table. 30 is a guess: a standard deviation estimated from
// 30 samples has an error of one seventh.
const leastReports = 30

// Fit returns an error model fitted to the samples. It returns an error if there are too few samples.
func (r *Result) Fit() (*Fit, error) {
	camera := r.camera.Config()
	if camera.Ranging != nil {
		return nil, fmt.Errorf("sensor = %q: measures depth, and its own errors would be added to those of a table: "+
			"only "+
			"cameras without depth can be fitted", camera.Name)
	}
	f := &Fit{Robot: r.Config.Robot, Sensor: r.Config.Sensor}
	for _, k := range []Kind{Ball, Obstacles} {
		all := r.samplesOf(k)
		if len(all) == 0 {
			continue
		}
		m := ModelFit{Of: k}
		bins := binsOf(all)
		m.fitErrors(bins, entry, []float64{third / 2, 3 * third / 2, 5 * third / 2}, []float64{0})
		if len(m.Errors) == 0 {
			continue
		}
		m.fitDetection(bins)
		m.fitCorrelation(all, 1/camera.Rate)
		reach := farthest(all, r.Config.Range)
		m.fitFalse(r, all, reach)
		if len(f.Errors) == 0 {
			f.ModelFit = m
			f.fitDelay(all, camera)
		} else {
			f.Obstacles = &m
		}
		at := r.camera.PoseBC().Pos // the level's origin
		f.MaxRange = max(f.MaxRange, math.Hypot(reach, at[2])+math.Hypot(at[0], at[1]))
	}
	if len(f.Errors) == 0 {
		return nil, fmt.Errorf("a fit needs %d reports of the ball or of obstacles in a metre of distance: the run "+
			"is too short, or the vision reports neither", leastReports)
	}
	f.fitSelf(r.samplesOf(Self))
	return f, nil
}

// samplesOf returns the samples of a kind on the first topic that has any.
func (r *Result) samplesOf(k Kind) (all []*Sample) {
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Kind == k && (len(all) == 0 || s.Topic == all[0].Topic) {
			all = append(all, s)
		}
	}
	return all
}

// fitDelay estimates the time that the vision needs for processing, from the arrival of an image until its report.
func (f *Fit) fitDelay(all []*Sample, camera *sensors.Config) {
	var delays []float64
	for _, s := range all {
		if s.Delay >= 0 {
			delays = append(delays, s.Delay.Seconds())
		}
	}
	if d := spreadOf(delays); d.N > 0 {
		f.Delay = max(0, time.Duration(math.Round(1e3*float64(d.Median)))*time.Millisecond-camera.Latency)
	}
}

// fitSelf estimates the errors of the robot's own pose.
func (f *Fit) fitSelf(all []*Sample) {
	var squares, turns float64
	n, known := 0, 0
	for _, s := range all {
		if s.Outcome != Hit {
			continue
		}
		n++
		squares += s.Off() * s.Off()
		if !math.IsNaN(s.HeadingError) {
			turns, known = turns+s.HeadingError*s.HeadingError, known+1
		}
	}
	if n < leastReports {
		return
	}
	f.SelfKnown, f.selfReports, f.SelfPos = true, n, math.Sqrt(squares/float64(2*n)) // in x and y each
	if known > 0 {
		f.SelfHeading = math.Sqrt(turns / float64(known))
	}
}

// WriteTOML writes the model as a file for worlds to include.
func (f *Fit) WriteTOML(w io.Writer) error {
	out := &lines{w: w}
	out.line("# Errors of the assessed vision of %s, for level objects of %s: use it with include = [\"FILE\"] in a "+
		"world.",
		f.Robot, f.Sensor)
	out.line("# Own pose from %d reports.", f.selfReports)
	out.line("[[robot]]\nname = %q\n\n[[robot.sensor]]\nname = %q\n\n[robot.sensor.vision]", f.Robot, f.Sensor)
	out.vision(f, "robot.sensor.vision")
	return out.err
}

// vision writes the keys of the given table. The caller has written the table's header.
func (l *lines) vision(f *Fit, table string) {
	l.line("pixel_noise_px = 0 # all is in the table\nmax_range_m = %.4g\ndelay_ms = %.1f", f.MaxRange,
		1e3*f.Delay.Seconds())
	if f.SelfKnown {
		l.line("self_position_noise_m = %.5f\nself_heading_noise_deg = %.4f\nself_lines_range_m = 0 # whatever lines "+
			"are seen", f.SelfPos, degrees*f.SelfHeading)
	}
	l.model(&f.ModelFit)
	if f.Obstacles != nil {
		l.line("\n[%s.obstacles]", table)
		l.model(f.Obstacles)
	}
}

func (l *lines) model(m *ModelFit) {
	l.line("# errors of %d reports of %s, detection of %d things of which %d were missed", m.Reports, m.Of.words(),
		m.of, m.misses)
	l.line("correlation_ms = %.1f\nmiss_rate = %.4f\nfalse_rate = %.5f", 1e3*m.Correlation.Seconds(), m.MissRate,
		m.FalseRate)
	if m.Fused {
		l.line("fused = true\nfalse_share = %.4f", m.FalseShare)
	} else {
		l.line("min_visible = %.2f\nfull_visible = %.2f\nlight_stops = %.3g", m.MinVisible, m.FullVisible, m.LightStops)
	}
	l.line("error = [")
	for i := range m.Errors {
		e := &m.Errors[i]
		text := fmt.Sprintf("distance_m = %.3f, bearing_deg = %.4g, miss_rate = %.4f", e.Distance, degrees*e.Bearing,
			e.MissRate)
		if len(e.RangeQuantiles) > 0 {
			text += ", range_quantiles_m = [" + numbers(e.RangeQuantiles, 1) + "]"
		} else {
			text += fmt.Sprintf(", bias_m = %.5f, range_m = %.5f", e.Bias, e.Range)
		}
		if len(e.AcrossQuantiles) > 0 {
			text += ", across_quantiles_m = [" + numbers(e.AcrossQuantiles, 1) + "]"
		} else if len(e.AngleQuantiles) > 0 {
			text += ", angle_quantiles_deg = [" + numbers(e.AngleQuantiles, degrees) + "]"
		} else {
			text += fmt.Sprintf(", angle_deg = %.4f", degrees*e.Angle)
		}
		l.line("  { %s },", text)
	}
	l.line("]")
}

// numbers formats values in a unit, separated by commas.
func numbers(all []float64, unit float64) string {
	var text []string
	for _, x := range all {
		text = append(text, fmt.Sprintf("%.4f", unit*x))
	}
	return strings.Join(text, ", ")
}

// lines writes lines, and keeps the first error.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) line(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

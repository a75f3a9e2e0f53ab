package assess

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Fit is the vision of level objects (abstraction.VisionConfig) whose errors are those of an assessed one.
type Fit struct {
	Robot, Sensor string
	Of            Kind // whose errors these are: of balls, if there were enough, else of obstacles
	Reports       int  // that they come from
	Errors        []abstraction.VisionError
	Correlation   time.Duration // of errors from frame to frame; 0: none was found

	MissRate, MinVisible, FullVisible float64
	MaxRange                          float64 // m
	FalseRate                         float64 // balls for each frame
	Delay                             time.Duration

	SelfKnown               bool
	SelfPos, SelfHeading    float64 // standard deviations with the mean in them, m and rad
	selfReports, misses, of int
}

// Limits of a fit. Guesses: a standard deviation of 30 samples is known to a seventh, and its place in a table to half a metre.
const (
	leastReports = 30  // in a bin
	fitStep      = 1.0 // m, of bins of distance
	rangeStep    = 0.5 // m, of where things are not found any more
	shareSteps   = 100 // of visible shares
)

// Fit returns the error model that fits what was found. It fails where too little was.
func (r *Result) Fit() (*Fit, error) {
	camera := r.camera.Config()
	if camera.Ranging != nil {
		return nil, fmt.Errorf("sensor = %q: measures depth, whose own errors a table would come on top of: only cameras without depth can be fitted", camera.Name)
	}
	f := &Fit{Robot: r.Config.Robot, Sensor: r.Config.Sensor, MaxRange: r.Config.Range}
	for _, k := range []Kind{Ball, Obstacles} {
		if all := r.of(k); len(f.Errors) == 0 && len(all) > 0 {
			f.Of = k
			f.MaxRange = farthest(all, r.Config.Range)
			f.fitErrors(all)
			f.fitDetection(all)
			f.fitCorrelation(all, r.framePeriod(camera))
			f.fitDelay(all, camera)
			if k == Ball {
				f.fitFalse(r, all)
			}
		}
	}
	if len(f.Errors) == 0 {
		return nil, fmt.Errorf("a fit needs %d reports of the ball or of obstacles in a metre of distance: the run is too short, or the vision reports neither", leastReports)
	}
	f.fitSelf(r.of(Self))
	return f, nil
}

// of returns the samples of a kind on the first topic that has it.
func (r *Result) of(k Kind) (all []*Sample) {
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Kind == k && (len(all) == 0 || s.Topic == all[0].Topic) {
			all = append(all, s)
		}
	}
	return all
}

func (r *Result) framePeriod(camera *sensors.Config) float64 { return 1 / camera.Rate }

// farthest returns from where on at least half of what is visible is missed.
func farthest(all []*Sample, most float64) float64 {
	hits, misses := map[int]int{}, map[int]int{}
	last := 0
	for _, s := range all {
		if !s.Counts {
			continue
		}
		i := int(s.Distance / rangeStep)
		last = max(last, i)
		if s.Outcome == Hit {
			hits[i]++
		} else {
			misses[i]++
		}
	}
	for ; last >= 0; last-- {
		if n := hits[last] + misses[last]; n >= leastReports/3 && 2*hits[last] >= n {
			break
		}
	}
	return min(most, float64(last+1)*rangeStep)
}

// fitErrors makes the table: with three bearings, if all of its places have enough reports, else with one.
func (f *Fit) fitErrors(all []*Sample) {
	byBin := map[int][]*Sample{}
	for _, s := range all {
		if s.Outcome == Hit && s.Visible > 0 && s.Distance > 0 {
			byBin[int(s.Distance/fitStep)] = append(byBin[int(s.Distance/fitStep)], s)
		}
	}
	var bins [][]*Sample // by distance
	for i := range int(100/fitStep) + 1 {
		if len(byBin[i]) >= leastReports {
			bins = append(bins, byBin[i])
			f.Reports += len(byBin[i])
		}
	}
	const third = math.Pi / 3
	for _, bearings := range [][]float64{{third / 2, 3 * third / 2, 5 * third / 2}, {0}} {
		f.Errors = f.Errors[:0]
		enough := true
		for _, bearing := range bearings {
			for _, bin := range bins {
				in := bin
				if len(bearings) > 1 {
					in = slices.DeleteFunc(slices.Clone(bin), func(s *Sample) bool { return math.Abs(math.Abs(s.Bearing)-bearing) > third/2 })
				}
				enough = enough && len(in) >= leastReports
				f.Errors = append(f.Errors, entry(in, meanDistance(bin), bearing))
			}
		}
		if enough {
			return
		}
	}
}

func meanDistance(all []*Sample) float64 {
	sum := 0.0
	for _, s := range all {
		sum += s.Distance
	}
	return sum / float64(len(all))
}

// entry is that of a table for some reports.
func entry(all []*Sample, distance, bearing float64) abstraction.VisionError {
	var along, angle []float64
	for _, s := range all {
		along, angle = append(along, s.RangeError()), append(angle, s.BearingError())
	}
	a, b := spreadOf(along), spreadOf(angle)
	e := abstraction.VisionError{Distance: distance, Bearing: bearing, Bias: float64(a.Mean), Range: float64(a.Sigma), Angle: float64(b.Sigma)}
	return e
}

// fitDetection finds the visible shares between which detections become likely, and how many are missed of what is visible: those of the largest likelihood.
func (f *Fit) fitDetection(all []*Sample) {
	var hits, misses [shareSteps + 1]float64
	for _, s := range all {
		if s.Visible > 0 && s.Distance <= f.MaxRange && s.Outcome != False {
			if i := int(s.Visible * shareSteps); s.Outcome == Hit {
				hits[i]++
			} else {
				misses[i]++
				f.misses++
			}
			f.of++
		}
	}
	const step = 0.05
	best := math.Inf(-1)
	for i := range 20 {
		for k := i; k <= 20; k++ {
			lo, hi := float64(i)*step, float64(k)*step
			rises := func(n int) float64 {
				v := (float64(n) + 0.5) / shareSteps
				if v < lo {
					return 0
				}
				if v >= hi {
					return 1
				}
				return (v - lo) / (hi - lo)
			}
			likelihood := func(found float64) (sum float64) {
				const never = 1e-6 // what is found all the same, as by a track
				for n := range hits {
					p := max(never, min(found*rises(n), 1-never))
					sum += hits[n]*math.Log(p) + misses[n]*math.Log(1-p)
				}
				return sum
			}
			a, b := 0.0, 1.0 // between which the largest is: it has one
			for range 50 {
				third := (b - a) / 3
				if likelihood(a+third) < likelihood(b-third) {
					a += third
				} else {
					b -= third
				}
			}
			if l := likelihood((a + b) / 2); l > best+1e-9 {
				best, f.MinVisible, f.FullVisible, f.MissRate = l, lo, hi, 1-(a+b)/2
			}
		}
	}
}

// at returns the table's bias and standard deviations at a distance, those of the nearest entry.
func (f *Fit) at(s *Sample) abstraction.VisionError {
	off := func(e abstraction.VisionError) float64 {
		return math.Abs(e.Distance-s.Distance) + math.Abs(e.Bearing-math.Abs(s.Bearing))
	}
	return slices.MinFunc(f.Errors, func(a, b abstraction.VisionError) int { return cmp.Compare(off(a), off(b)) })
}

// fitCorrelation finds the time constant of errors from frame to frame, if they are correlated.
func (f *Fit) fitCorrelation(all []*Sample, period float64) {
	before := map[string]*Sample{}
	sum, n := 0.0, 0
	for _, s := range all {
		if s.Outcome != Hit || s.Visible <= 0 || len(f.Errors) == 0 {
			continue
		}
		b := before[s.Name]
		before[s.Name] = s
		if b == nil {
			continue
		}
		if dt := (s.Stamp - b.Stamp).Seconds(); dt < 0.5*period || dt > 1.5*period {
			continue
		}
		x, y := f.at(b), f.at(s)
		if x.Range > 0 && y.Range > 0 {
			sum, n = sum+(b.RangeError()-x.Bias)/x.Range*(s.RangeError()-y.Bias)/y.Range, n+1
		}
		if x.Angle > 0 && y.Angle > 0 {
			sum, n = sum+b.BearingError()/x.Angle*s.BearingError()/y.Angle, n+1
		}
	}
	if n == 0 {
		return
	}
	rho := sum / float64(n)
	if rho > 5/math.Sqrt(float64(n)) { // else it may be chance
		f.Correlation = time.Duration(-period / math.Log(min(rho, 0.999)) * float64(time.Second))
	}
}

// fitDelay finds how long the vision takes after it has got an image.
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

// fitFalse finds how often there is a ball that is none.
func (f *Fit) fitFalse(r *Result, all []*Sample) {
	frames, n := r.Topics[all[0].Topic].counted, 0
	for _, s := range all {
		if s.Outcome == False {
			n++
		}
	}
	if share := floorShare(r.camera, f.MaxRange); frames > 0 && share > 0 {
		f.FalseRate = min(1, float64(n)/float64(frames)/share)
	}
}

// floorShare is the share of a camera's pixels that show the floor up to a distance, m: at others the model has no false detection.
func floorShare(camera *sensors.Camera, reach float64) float64 {
	const grid = 100 // pixels along each side that are tried
	model, pose := camera.Model(), camera.PoseBC()
	w, h := model.Size()
	n := 0
	for i := range grid {
		for k := range grid {
			dirC, ok := model.Unproject((float64(i)+0.5)*float64(w)/grid, (float64(k)+0.5)*float64(h)/grid)
			if !ok {
				continue
			}
			if dir := pose.Rotate(dirC); dir[2] < 0 && pose.Pos[2]/-dir[2] <= reach {
				n++
			}
		}
	}
	return float64(n) / (grid * grid)
}

// fitSelf finds how far off the robot's own place is.
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

// WriteTOML writes the model as a file that a world includes.
func (f *Fit) WriteTOML(w io.Writer) error {
	out := &lines{w: w}
	out.line("# How the assessed vision of %s errs, for level objects of %s: include = [\"FILE\"] in a world has it.", f.Robot, f.Sensor)
	out.line("# Errors of %d reports of %s, detection of %d things of which %d were missed, own place of %d reports.", f.Reports, f.Of.words(), f.of, f.misses, f.selfReports)
	out.line("[[robot]]\nname = %q\n\n[[robot.sensor]]\nname = %q\n\n[robot.sensor.vision]", f.Robot, f.Sensor)
	out.line("pixel_noise_px = 0 # all is in the table")
	out.line("error = [")
	for _, e := range f.Errors {
		out.line("  { distance_m = %.3f, bearing_deg = %.4g, bias_m = %.5f, range_m = %.5f, angle_deg = %.4f },", e.Distance, degrees*e.Bearing, e.Bias, e.Range, degrees*e.Angle)
	}
	out.line("]")
	out.line("correlation_ms = %.1f\nmax_range_m = %.4g\nmin_visible = %.2f\nfull_visible = %.2f\nmiss_rate = %.4f\nfalse_rate = %.5f\ndelay_ms = %.1f",
		1e3*f.Correlation.Seconds(), f.MaxRange, f.MinVisible, f.FullVisible, f.MissRate, f.FalseRate, 1e3*f.Delay.Seconds())
	if f.SelfKnown {
		out.line("self_position_noise_m = %.5f\nself_heading_noise_deg = %.4f\nself_lines_range_m = 0 # whatever lines are seen", f.SelfPos, degrees*f.SelfHeading)
	}
	return out.err
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

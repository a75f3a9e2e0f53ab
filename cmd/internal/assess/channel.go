package assess

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Channel summarizes a topic's reports of one kind.
type Channel struct {
	Topic string `json:"topic"`
	Kind  Kind   `json:"kind"`
	Group        // of all samples
	Axes  []Axis `json:"over"`
}

// Group summarizes samples. Lengths are in metres, angles in radians.
type Group struct {
	Position Spread `json:"position_m"` // horizontal error of correct reports
	// Along is the component of the error in the direction of the thing, as seen from the robot. For the robot itself,
	// the direction is its own heading.
	Along   Spread `json:"along_m"`
	Across  Spread `json:"across_m"`    // component at right angles to Along, positive to the left
	Bearing Spread `json:"bearing_rad"` // error of a thing's bearing, or of the robot's own heading

	Expected int    `json:"expected"` // things to be reported, or frames in which the robot's pose is to be reported
	Missed   int    `json:"missed"`   // number of Expected that were not reported
	MissRate Figure `json:"miss_rate"`
	False    int    `json:"false"` // reports of things that do not exist
	Swapped  int    `json:"swapped"`
	Named    int    `json:"named"` // reports that identify the thing

	// FalseRate is the number of false reports per frame. In a bin of the distance axis, it is the number of false
	// reports in that bin per frame.
	FalseRate Figure `json:"false_per_frame"`
}

// Axis is a quantity with a Group of samples for each bin.
type Axis struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Bins []Bin  `json:"bins"` // bins with samples, ascending
}

// Bin is an interval of an axis.
type Bin struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Group
}

// Label formats the interval.
func (b *Bin) Label() string { return fmt.Sprintf("%.4g to %.4g", b.From, b.To) }

// axis is a quantity of samples, with bins of equal width in the axis's unit.
type axis struct {
	name, unit string
	width      float64
	value      func(s *Sample) float64
	things     bool // the axis applies to things, not to the robot itself
	all        bool // count also things less visible than Config.Visible
}

const degrees = 180 / math.Pi

var axes = []axis{
	{"distance", "m", 1, func(s *Sample) float64 { return s.Distance }, true, false},
	{"bearing", "°", 30, func(s *Sample) float64 { return s.Bearing * degrees }, true, false},
	// 99.999 puts fully visible things into the last bin
	{"visible share", "%", 10, func(s *Sample) float64 { return math.Min(100*s.Visible, 99.999) }, true, true},
	{"speed of the thing", "m/s", 1, func(s *Sample) float64 { return s.TargetSpeed }, true, false},
	{"speed of the robot", "m/s", 0.5, func(s *Sample) float64 { return s.Speed }, false, false},
	{"turning of the robot", "°/s", 45, func(s *Sample) float64 { return s.Turn * degrees }, false, false},
	{"light", "stops", 0.5, func(s *Sample) float64 { return s.Light }, false, false},
}

// mostBins is the largest number of bins of an axis. A limit is needed because reports may contain any value.
const mostBins = 40

// summarise summarizes a topic's reports of one kind.
func summarise(r *Result, topic int, k Kind) Channel {
	c := Channel{Topic: r.Config.Topics[topic].Name, Kind: k}
	tally := &r.Topics[topic]
	var all []*Sample
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Topic == topic && s.Kind == k {
			all = append(all, s)
		}
	}
	c.Group = groupOf(k, all, counts)
	c.FalseRate = unknown
	if k != Self && tally.counted > 0 {
		c.FalseRate = Figure(float64(c.False) / float64(tally.counted))
	}
	if k == Self {
		c.Expected, c.Missed, c.MissRate = tally.expected, tally.Unknown, ratio(tally.Unknown, tally.expected)
	}
	for i := range axes {
		if x := &axes[i]; !x.things || k != Self {
			c.Axes = append(c.Axes, x.binned(k, all, tally.counted, r.Config.Range))
		}
	}
	return c
}

// binned returns the axis with a bin for each interval that contains samples of the kind k.
func (x *axis) binned(k Kind, all []*Sample, frames int, reach float64) Axis {
	counts := counts
	if x.all {
		counts = func(s *Sample) bool { return s.Outcome != False && s.Visible > 0 && s.Distance <= reach }
	}
	bins := map[int][]*Sample{}
	least, most := math.MaxInt, math.MinInt
	for _, s := range all {
		v := x.value(s)
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e6 {
			continue
		}
		i := int(math.Floor(v/x.width + 1e-9))
		bins[i] = append(bins[i], s)
		least, most = min(least, i), max(most, i)
	}
	out := Axis{Name: x.name, Unit: x.unit, Bins: []Bin{}}
	for i := least; i <= most && len(out.Bins) < mostBins; i++ {
		in := bins[i]
		if len(in) == 0 {
			continue
		}
		b := Bin{From: float64(i) * x.width, To: float64(i+1) * x.width, Group: groupOf(k, in, counts)}
		b.FalseRate = unknown
		if k != Self && frames > 0 && x.name == "distance" {
			b.FalseRate = Figure(float64(b.False) / float64(frames))
		}
		out.Bins = append(out.Bins, b)
	}
	return out
}

// counts reports whether a sample counts for the miss rate.
func counts(s *Sample) bool { return s.Counts }

// groupOf summarizes samples of a kind.
func groupOf(k Kind, all []*Sample, counts func(*Sample) bool) Group {
	var g Group
	var off, along, across, bearing []float64
	for _, s := range all {
		if counts(s) {
			g.Expected++
		}
		switch s.Outcome {
		case Miss:
			if counts(s) {
				g.Missed++
			}
			continue
		case False:
			g.False++
			continue
		}
		if s.ID != "" {
			g.Named++
		}
		if s.Swapped {
			g.Swapped++
		}
		off, across = append(off, s.Off()), append(across, s.Across())
		if k == Self {
			along, bearing = append(along, s.Along()), append(bearing, s.HeadingError)
		} else {
			along, bearing = append(along, s.RangeError()), append(bearing, s.BearingError())
		}
	}
	g.Position, g.Along, g.Across, g.Bearing = spreadOf(off), spreadOf(along), spreadOf(across), spreadOf(bearing)
	g.MissRate, g.FalseRate = ratio(g.Missed, g.Expected), unknown
	return g
}

// Figure is a number that may be unknown: NaN, null in JSON.
type Figure float64

// MarshalJSON implements json.Marshaler.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// Known reports whether the figure is known, that is, a finite number.
func (f Figure) Known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

var unknown = Figure(math.NaN())

// Spread describes a distribution of values. Without values, everything but N is unknown.
type Spread struct {
	N     int    `json:"n"`
	Mean  Figure `json:"mean"`
	Sigma Figure `json:"sigma"` // standard deviation; unknown with fewer than two values
	// Of the absolute values:
	Median Figure `json:"median"`
	P95    Figure `json:"p95"`
	Max    Figure `json:"max"`
}

// spreadOf summarizes values, ignoring NaN and infinity.
func spreadOf(values []float64) Spread {
	s := Spread{Mean: unknown, Sigma: unknown, Median: unknown, P95: unknown, Max: unknown}
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if s.N = len(known); s.N == 0 {
		return s
	}
	mean, sigma := stat.MeanStdDev(known, nil) // sigma is NaN, that is unknown, for a single value
	s.Mean, s.Sigma = Figure(mean), Figure(sigma)
	sizes := known
	for i, x := range known {
		sizes[i] = math.Abs(x)
	}
	slices.Sort(sizes)
	s.Median, s.P95, s.Max = Figure(quantile(sizes, 0.5)), Figure(quantile(sizes, 0.95)), Figure(sizes[s.N-1])
	return s
}

// quantile returns a linearly interpolated quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// ratio returns n divided by total. It returns the unknown Figure if total is 0.
func ratio(n, total int) Figure {
	if total == 0 {
		return unknown
	}
	return Figure(float64(n) / float64(total))
}

package assess

import (
	"fmt"
	"math"
)

// Channel sums up what one topic says of one kind of thing.
type Channel struct {
	Topic string `json:"topic"`
	Kind  Kind   `json:"kind"`
	Group        // of all
	Axes  []Axis `json:"over"`
}

// Group sums up samples. Lengths are metres, angles radians.
type Group struct {
	Position Spread `json:"position_m"` // of reports that are about something: how far they are off over the floor
	// the error's part in the direction of a thing's distance, or of the robot's own heading
	Along   Spread `json:"along_m"`
	Across  Spread `json:"across_m"`    // to the left of that
	Bearing Spread `json:"bearing_rad"` // of a thing; of the robot itself its heading

	Expected int    `json:"expected"` // things that are to be reported, or frames in which the robot itself is
	Missed   int    `json:"missed"`   // of them
	MissRate Figure `json:"miss_rate"`
	False    int    `json:"false"` // reports of what is not there
	Swapped  int    `json:"swapped"`
	Named    int    `json:"named"` // reports that say which thing it is

	// FalseRate is reports of what is not there, for each frame; in a bin of distance of reports.
	FalseRate Figure `json:"false_per_frame"`
}

// Axis is a quantity with the samples of each of its bins.
type Axis struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Bins []Bin  `json:"bins"` // those with samples, rising
}

// Bin is a stretch of an axis.
type Bin struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Group
}

// Label says which stretch it is.
func (b *Bin) Label() string { return fmt.Sprintf("%.4g to %.4g", b.From, b.To) }

// axis is a quantity of samples, in bins of one width in the axis's unit.
type axis struct {
	name, unit string
	width      float64
	value      func(s *Sample) float64
	things     bool // it is of things alone
	all        bool // things of which less is visible than Config.Visible count too: the axis tells what that means
}

const degrees = 180 / math.Pi

var axes = []axis{
	{"distance", "m", 1, func(s *Sample) float64 { return s.Distance }, true, false},
	{"bearing", "°", 30, func(s *Sample) float64 { return s.Bearing * degrees }, true, false},
	// all of it is in the last bin
	{"visible share", "%", 10, func(s *Sample) float64 { return math.Min(100*s.Visible, 99.999) }, true, true},
	{"speed of the thing", "m/s", 1, func(s *Sample) float64 { return s.TargetSpeed }, true, false},
	{"speed of the robot", "m/s", 0.5, func(s *Sample) float64 { return s.Speed }, false, false},
	{"turning of the robot", "°/s", 45, func(s *Sample) float64 { return s.Turn * degrees }, false, false},
	{"light", "stops", 0.5, func(s *Sample) float64 { return s.Light }, false, false},
}

// mostBins bounds the bins of an axis: a report may say anything.
const mostBins = 40

// summarise sums up what a topic says of a kind of thing.
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
			c.Axes = append(c.Axes, x.of(k, all, tally.counted, r.Config.Range))
		}
	}
	return c
}

// of returns the bins that have samples.
func (x *axis) of(k Kind, all []*Sample, frames int, reach float64) Axis {
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

// counts tells whether a sample is one of those that a miss rate is of.
func counts(s *Sample) bool { return s.Counts }

// groupOf sums up samples of a kind.
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

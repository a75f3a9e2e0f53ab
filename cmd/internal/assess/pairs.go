package assess

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
)

// maxPairs is the largest number of rows of a file of pairs. It bounds the memory of a fit to about 200 MB.
const maxPairs = 500_000

// pairColumns are the columns of a file of pairs. The last one may be missing.
var pairColumns = []string{"time_s", "robot_x_m", "robot_y_m", "reported_x_m", "reported_y_m", "true_x_m", "true_y_m",
	"object"}

// ReadPairs reads what a team's world model reported and what was there, from comma-separated values. The first line
// names the columns: time_s, the position of the robot, the reported and the true position of an object, all in m in
// the frame of the field, and optionally object, a name of the true object. If the columns of a position are empty,
// nothing was reported, or nothing was there. Empty lines and lines that start with # are ignored. An error names the
// line.
func ReadPairs(in io.Reader) ([]Sample, error) {
	r := csv.NewReader(in)
	r.Comment, r.TrimLeadingSpace, r.ReuseRecord = '#', true, true
	needed := strings.Join(pairColumns[:7], ", ")
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("line 1: must name the columns %s: %w", needed, err)
	}
	columns := make([]int, len(pairColumns))
	for i, name := range pairColumns {
		columns[i] = slices.IndexFunc(header, func(s string) bool { return strings.TrimSpace(s) == name })
		if columns[i] < 0 && name != "object" {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d: there is no column %s: must name %s, and may name object", line, name, needed)
		}
	}
	var all []Sample
	names := map[string]string{} // keeps one copy of each name
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		if len(all) == maxPairs {
			return nil, fmt.Errorf("line %d: must have at most %d rows", line, maxPairs)
		}
		var v [7]float64
		for i := range v {
			text := strings.TrimSpace(record[columns[i]])
			if v[i] = math.NaN(); text == "" && i >= 3 {
				continue
			}
			most := 1000.0 // m
			if i == 0 {
				most = 1e8 // s
			}
			if v[i], err = strconv.ParseFloat(text, 64); err != nil || !(math.Abs(v[i]) <= most) {
				return nil, fmt.Errorf("line %d: %s = %.40q: must be a number from %g to %g", line, pairColumns[i], text,
					-most, most)
			}
		}
		for i := 3; i < 7; i += 2 {
			if math.IsNaN(v[i]) != math.IsNaN(v[i+1]) {
				return nil, fmt.Errorf("line %d: %s, %s: must both be a number, or both be empty", line, pairColumns[i],
					pairColumns[i+1])
			}
		}
		s := Sample{Kind: Obstacles, Outcome: Hit, Stamp: time.Duration(v[0] * float64(time.Second)), Delay: -1,
			Counts: true, Visible: 1, RobotX: v[1], RobotY: v[2],
			SaidX: v[3] - v[1], SaidY: v[4] - v[2], TrueX: v[5] - v[1], TrueY: v[6] - v[2]}
		s.Distance, s.Bearing = math.Hypot(s.TrueX, s.TrueY), math.Atan2(s.TrueY, s.TrueX)
		switch said, there := !math.IsNaN(v[3]), !math.IsNaN(v[5]); {
		case !said && !there:
			return nil, fmt.Errorf("line %d: must have a reported or a true position", line)
		case !said:
			s.Outcome = Miss
		case !there:
			s.Outcome = False
			s.Distance, s.Bearing = math.Hypot(s.SaidX, s.SaidY), math.Atan2(s.SaidY, s.SaidX)
		}
		if c := columns[7]; c >= 0 {
			name, known := names[record[c]]
			if !known {
				name = strings.Clone(record[c])
				names[name] = name
			}
			s.Name = name
		}
		all = append(all, s)
	}
}

// PairsFit is the error model of a team's world model, fitted to pairs.
type PairsFit struct {
	ModelFit
	MaxRange float64 // m
	Lasting  bool    // whether Correlation is measured; else it is that of the profile, which is a guess
	False    int     // number of reports of things that do not exist
	all      []*Sample
	bins     []*bin
}

// FitPairs returns the error model of samples that ReadPairs returned. It returns an error if there are too few.
func FitPairs(samples []Sample) (*PairsFit, error) {
	f := &PairsFit{ModelFit: ModelFit{Of: Obstacles}}
	for i := range samples {
		s := &samples[i]
		f.all = append(f.all, s)
		switch s.Outcome {
		case False:
			f.False++
		case Miss:
			f.misses++
		}
	}
	f.of, f.Fused = len(f.all)-f.False, true
	f.bins = binsOf(f.all)
	if f.fitErrors(f.bins, fusedEntry, []float64{0}); len(f.Errors) == 0 {
		return nil, fmt.Errorf("a fit needs %d pairs in a metre of distance", leastReports)
	}
	found := make([]float64, len(f.bins))
	for i, b := range f.bins {
		found[i] = float64(len(b.hits)) / float64(len(b.all))
	}
	f.joinShares(found, f.bins)
	for i := range f.Errors {
		f.Errors[i].MissRate = 1 - found[i]
	}
	f.FalseShare = min(0.5, float64(f.False)/float64(f.of-f.misses+f.False))
	f.MaxRange = farthest(f.all, 100)
	if period := rowPeriod(f.all); period > 0 {
		f.Lasting = true
		f.fitCorrelation(f.all, period)
	} else {
		f.Correlation = abstraction.MSL2016Errors().Correlation
	}
	return f, nil
}

// fusedEntry estimates a table entry of a world model from reports.
func fusedEntry(all []*Sample) (e abstraction.VisionError) {
	var along, across []float64
	for _, s := range all {
		along, across = append(along, s.Along()), append(across, s.Across())
	}
	slices.Sort(along)
	slices.Sort(across)
	e.RangeQuantiles, e.AcrossQuantiles = quantiles(along), quantiles(across)
	return e
}

// rowPeriod returns the median time, in s, between two rows of the same object. It returns 0 if objects have no names.
func rowPeriod(all []*Sample) float64 {
	last := map[string]*Sample{}
	var periods []float64
	for _, s := range all {
		if s.Name == "" || s.Outcome == False {
			continue
		}
		if b := last[s.Name]; b != nil && s.Stamp > b.Stamp {
			periods = append(periods, (s.Stamp - b.Stamp).Seconds())
		}
		last[s.Name] = s
	}
	if len(periods) == 0 {
		return 0
	}
	slices.Sort(periods)
	return quantile(periods, 0.5)
}

// Words prints the fit beside the data: in each bin the standard deviations and the misses, and the quantiles of all
// pairs at standard normal scores from −3 to 3.
func (f *PairsFit) Words(w io.Writer) {
	reports := f.of - f.misses + f.False
	fmt.Fprintf(w, "%d pairs, %d missed of %d; %d of %d reports are false, %.2f %%\n", f.of-f.misses, f.misses, f.of,
		f.False, reports, 100*float64(f.False)/float64(max(1, reports)))
	how := "measured"
	if !f.Lasting {
		how = "a guess: column object is needed"
	}
	fmt.Fprintf(w, "correlation %.0f ms, %s\n", 1e3*f.Correlation.Seconds(), how)
	fmt.Fprintf(w, "%-12s  %-6s  %-16s  %-16s  %s\n", "distance", "pairs", "σ along", "σ across", "missed")
	fmt.Fprintf(w, "%-12s  %-6s  %-7s  %-7s  %-7s  %-7s  %-7s  %s\n", "m", "", "data m", "fit m", "data m", "fit m",
		"data %", "fit %")
	var along, across [2][]float64 // data and fit
	draws := min(max(200_000/max(1, f.of), 1), 100)
	noise := random.New(1, "", "pairs", 0)
	for k, b := range f.bins {
		var a, c [2][]float64
		missed, nearest, farthest := 0.0, math.Inf(1), 0.0
		for i, s := range b.all {
			for j := range draws {
				x, y := noise.Normal(uint64(k)<<40 | uint64(i*draws+j))
				e := f.At(s.Distance, 0, x, y)
				if j == 0 {
					missed += e.MissRate
				}
				if s.Outcome == Hit {
					a[1], c[1] = append(a[1], e.Along), append(c[1], e.Across)
				}
			}
			if nearest, farthest = min(nearest, s.Distance), max(farthest, s.Distance); s.Outcome == Hit {
				a[0], c[0] = append(a[0], s.Along()), append(c[0], s.Across())
			}
		}
		fmt.Fprintf(w, "%-12s  %-6d  %-7.3f  %-7.3f  %-7.3f  %-7.3f  %-7.1f  %.1f\n",
			fmt.Sprintf("%.1f to %.1f", nearest, farthest), len(b.hits), stat.StdDev(a[0], nil), stat.StdDev(a[1], nil),
			stat.StdDev(c[0], nil), stat.StdDev(c[1], nil), 100*(1-float64(len(b.hits))/float64(len(b.all))),
			100*missed/float64(len(b.all)))
		for i := range 2 {
			along[i], across[i] = append(along[i], a[i]...), append(across[i], c[i]...)
		}
	}
	fmt.Fprintf(w, "%-13s", "quantiles, m")
	for z := -3; z <= 3; z++ {
		fmt.Fprintf(w, "  %+5dσ", z)
	}
	for _, row := range []struct {
		name   string
		values []float64
	}{{"along, data", along[0]}, {"along, fit", along[1]}, {"across, data", across[0]}, {"across, fit", across[1]}} {
		slices.Sort(row.values)
		fmt.Fprintf(w, "\n%-13s", row.name)
		for z := -3.0; z <= 3; z++ {
			fmt.Fprintf(w, "  %+.3f", quantile(row.values, distuv.UnitNormal.CDF(z)))
		}
	}
	fmt.Fprintln(w)
}

// WriteTOML writes the model as a file for worlds to include.
func (f *PairsFit) WriteTOML(w io.Writer, robot, sensor string) error {
	out := &lines{w: w}
	out.line("# What the world model of %s has of obstacles, for level objects of %s: use it with include = [\"FILE\"] "+
		"in a world.", robot, sensor)
	out.line("[[robot]]\nname = %q\n\n[[robot.sensor]]\nname = %q\n\n[robot.sensor.vision]\nmax_range_m = %.4g\n", robot,
		sensor, f.MaxRange)
	out.line("[robot.sensor.vision.obstacles]")
	out.model(&f.ModelFit)
	return out.err
}

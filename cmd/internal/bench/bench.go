// Package bench measures how fast, and how well, this machine simulates: one file a bench, and a row in Benches.
package bench

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
	"gonum.org/v1/gonum/stat"
)

// Benches is the table of all benches. A bench is a struct whose fields are its flags, with Check, which judges these
// by themselves, and Run, which measures and prints a Report. Names in reports stay stable; docs/benchmarks.md lists
// them.
type Benches struct {
	Cluster     Cluster         `cmd:"" help:"Measure what runs and images cost that other processes take on, and what a match or a sweep needs of them."`
	ClusterPeer ClusterPeer     `cmd:"" hidden:"" name:"cluster-peer" help:"Take part in bench cluster."`
	Colors      Colors          `cmd:"" help:"Measure what colour tables made in one light are worth in another, and those made in varied light."`
	Levels      Levels          `cmd:"" help:"Measure how fast worlds run with every sensor at each level."`
	Physics     Physics         `cmd:"" help:"Measure how bodies move, against closed forms and what papers report, and how long steps take, against plain C."`
	Render      Render          `cmd:"" help:"Measure how long pictures take, and how many times as long as the shortest shader."`
	Ros1        ROS1            `cmd:"" name:"ros1" help:"Measure how fast images, odometry and service calls travel over ROS 1, against roscpp."`
	Ros1Peer    rospeer.Command `cmd:"" hidden:"" name:"ros1-peer" help:"Take part in bench ros1."`
	Timesync    Timesync        `cmd:"" help:"Measure how well runs keep time, and how well it is foretold, under loads."`
}

// Report is what every bench prints.
type Report struct {
	Bench   string   `json:"bench"`
	Machine string   `json:"machine"`
	Results []Result `json:"results"`
}

// Result is one median. RatioTo names what was measured beside it in the same run, for values that are ratios.
type Result struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	RatioTo string  `json:"ratio_to,omitempty"`
	N       int     `json:"n"`
}

// unit is that of the value, or what it is a multiple of.
func (x Result) unit() string {
	if x.RatioTo != "" {
		return "× " + x.RatioTo
	}
	return x.Unit
}

func (r *Report) add(name string, value float64, unit string, n int) {
	r.Results = append(r.Results, Result{Name: name, Value: value, Unit: unit, N: n})
}

func (r *Report) addRatio(name, to string, value float64, n int) {
	r.Results = append(r.Results, Result{Name: name, Value: value, Unit: "ratio", RatioTo: to, N: n})
}

// compare adds the medians of two things that were measured in turns, and the median of their ratios.
func (r *Report) compare(unit, name, base string, values, bases []float64) {
	ratios := make([]float64, len(values))
	for i := range values {
		ratios[i] = values[i] / bases[i]
	}
	r.add(name, median(values), unit, len(values))
	r.add(base, median(bases), unit, len(bases))
	r.addRatio(name, base, median(ratios), len(ratios))
}

// value is the median that was last added under a name.
func (r *Report) value(name string) float64 {
	for _, x := range slices.Backward(r.Results) {
		if x.Name == name && x.RatioTo == "" {
			return x.Value
		}
	}
	return math.NaN()
}

// tellRenderer says in the report what draws in worlds, and which instructions the tile renderer has.
func (r *Report) tellRenderer(draws backend.Choice) error {
	instructions, err := backend.Instructions()
	r.Machine += ", " + instructions + ", renderer " + draws.String()
	return err
}

func (r *Report) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return console.WriteJSON(out, r)
	}
	fmt.Fprintf(out, "%s on %s\n", r.Bench, r.Machine)
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, x := range r.Results {
		fmt.Fprintf(tw, "%s\t%.3g\t%s\tmedian of %d\n", x.Name, x.Value, x.unit(), x.N)
	}
	return tw.Flush()
}

// newReport begins the report of a bench on this machine.
func newReport(bench string) *Report {
	return &Report{Bench: bench, Machine: console.Machine()}
}

var errInterrupted = errors.New("interrupted: nothing was printed")

// atLeast1 fails where a flag that counts is less than 1.
func atLeast1(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s = %d: must be at least 1", flag, n)
	}
	return nil
}

// checkRenderer fails where a flag --renderer names none.
func checkRenderer(name string) error {
	if err := backend.Check(name); name == "" || err != nil {
		return fmt.Errorf("--renderer = %q: must be one of %s", name, strings.Join(backend.Names(), ", "))
	}
	return nil
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

// quantile returns the value that a share q of all does not exceed.
func quantile(q float64, x []float64) float64 {
	return stat.Quantile(q, stat.Empirical, slices.Sorted(slices.Values(x)), nil)
}

// Package bench implements the benches of `omnipitch bench`: speed and accuracy of the simulator on this machine. Each
// bench has its own file and a row in Benches.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/render/backend"
)

// Benches lists all benches. A bench is a struct whose fields are its flags. Its method Check validates the flags; Run
// measures and prints a Report. Names in reports are stable; docs/benchmarks.md lists them.
type Benches struct {
	Card        Card            `cmd:"" help:"Measure how fast a graphics card draws, beside the tile renderer, and print which goals are met."`
	Cluster     Cluster         `cmd:"" help:"Measure the overhead of running jobs and drawing images in other processes, and estimate the workers that a match or a sweep needs."`
	ClusterPeer ClusterPeer     `cmd:"" hidden:"" name:"cluster-peer" help:"A process of bench cluster."`
	Colors      Colors          `cmd:"" help:"Measure how well colour tables made in one light, or in varied light, classify images in another."`
	Levels      Levels          `cmd:"" help:"Measure the speed of worlds with all sensors at each level."`
	Physics     Physics         `cmd:"" help:"Compare motion with closed-form solutions and published values, and the time of steps with plain C."`
	Python      Python          `cmd:"" help:"Measure the cost of calls from Python, and how many observations and images reach Python per second."`
	Render      Render          `cmd:"" help:"Measure the time that images take, also relative to the shortest shader."`
	Ros1        ROS1            `cmd:"" name:"ros1" help:"Measure latency and rate of images, odometry and service calls over ROS 1, compared with roscpp."`
	Ros1Peer    rospeer.Command `cmd:"" hidden:"" name:"ros1-peer" help:"A process of bench ros1."`
	Ros2        ROS2            `cmd:"" name:"ros2" help:"Measure latency and rate of images over ROS 2, compared with ROS 1."`
	Timesync    Timesync        `cmd:"" help:"Measure pacing and forecasts of wall time under several loads."`
}

// Report is the result of a bench.
type Report struct {
	Bench   string   `json:"bench"`
	Machine string   `json:"machine"`
	Results []Result `json:"results"`
}

// Result is the median of one measured quantity. If the quantity is a ratio, RatioTo names the reference, which was
// measured alternately in the same run.
type Result struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	RatioTo string  `json:"ratio_to,omitempty"`
	N       int     `json:"n"`
	Goal    *Goal   `json:"goal,omitempty"`
}

// Goal is a limit for a value: the smallest good one, or the largest if Most is not 0.
type Goal struct {
	Least float64 `json:"least,omitempty"`
	Most  float64 `json:"most,omitempty"`
	Met   bool    `json:"met"`
}

func (g *Goal) String() string {
	text, verdict := fmt.Sprintf("goal: at least %v", g.Least), "missed"
	if g.Most != 0 {
		text = fmt.Sprintf("goal: at most %v", g.Most)
	}
	if g.Met {
		verdict = "met"
	}
	return text + ", " + verdict
}

// unit returns the unit of the value. For a ratio, it returns the reference that the value is a multiple of.
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

// compare adds the medians of two alternately measured quantities, and the median of their ratios.
func (r *Report) compare(unit, name, base string, values, bases []float64) {
	ratios := make([]float64, len(values))
	for i := range values {
		ratios[i] = values[i] / bases[i]
	}
	r.add(name, median(values), unit, len(values))
	r.add(base, median(bases), unit, len(bases))
	r.addRatio(name, base, median(ratios), len(ratios))
}

// addGoal adds a goal to the last result with the given name and reference. It panics if there is none.
func (r *Report) addGoal(name, ratioTo string, goal Goal) {
	for i := range slices.Backward(r.Results) {
		if x := &r.Results[i]; x.Name == name && x.RatioTo == ratioTo {
			goal.Met = x.Value >= goal.Least && (goal.Most == 0 || x.Value <= goal.Most)
			x.Goal = &goal
			return
		}
	}
	panic("bench: no result " + name + " " + ratioTo)
}

// value returns the last median that was added with the given name.
func (r *Report) value(name string) float64 {
	for _, x := range slices.Backward(r.Results) {
		if x.Name == name && x.RatioTo == "" {
			return x.Value
		}
	}
	return math.NaN()
}

// settleRenderer replaces the name auto with that of a renderer, without measuring, so that all results are of the same
// renderer. It adds the renderer to the report's machine.
func (r *Report) settleRenderer(name *string) error {
	draws := backend.Choose(*name, nil)
	*name = draws.Name
	return r.addRenderer(draws)
}

// addRenderer adds the renderer and the vector instructions of the tile renderer to the report's machine.
func (r *Report) addRenderer(draws backend.Choice) error {
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
	goals, met := 0, 0
	for _, x := range r.Results {
		value := fmt.Sprintf("%.3g", x.Value)
		if x.Value >= 1000 {
			value = fmt.Sprintf("%.0f", x.Value)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\tmedian of %d", x.Name, value, x.unit(), x.N)
		if x.Goal != nil {
			fmt.Fprintf(tw, "\t%v", x.Goal)
			if goals++; x.Goal.Met {
				met++
			}
		}
		fmt.Fprintln(tw)
	}
	if err := tw.Flush(); err != nil || goals == 0 {
		return err
	}
	_, err := fmt.Fprintf(out, "%d of %d goals are met\n", met, goals)
	return err
}

// newReport returns an empty report for a bench on this machine.
func newReport(bench string) *Report {
	return &Report{Bench: bench, Machine: console.Machine()}
}

var errInterrupted = errors.New("interrupted: nothing was printed")

// atLeast1 returns an error if a count flag is less than 1.
func atLeast1(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s = %d: must be at least 1", flag, n)
	}
	return nil
}

// checkRenderer returns an error if the flag --renderer names no renderer.
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

// percentile99 returns the empirical 99th percentile of x.
func percentile99(x []float64) float64 {
	return stat.Quantile(0.99, stat.Empirical, slices.Sorted(slices.Values(x)), nil)
}

// merge adds plots. Plots of the same name become one plot with the curves of both.
func merge(plots, added []experiment.Plot) []experiment.Plot {
next:
	for _, p := range added {
		for i := range plots {
			if plots[i].Name == p.Name {
				plots[i].Curves = append(plots[i].Curves, p.Curves...)
				continue next
			}
		}
		plots = append(plots, p)
	}
	return plots
}

// plotFlag is the flag --plot.
type plotFlag struct {
	Plot *string `placeholder:"DIR" help:"Write plots here, each as PNG and as SVG; the directory is made if need be."`
}

// write writes every plot as DIR/NAME.png and DIR/NAME.svg, if the flag is set.
func (f *plotFlag) write(all []experiment.Plot) error {
	for i := range all {
		for _, format := range page.Formats {
			if f.Plot == nil {
				return nil
			}
			if err := page.Write(filepath.Join(*f.Plot, all[i].Name+format), all[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// check creates the folder for the plots. It is called before anything is measured.
func (f *plotFlag) check() error {
	switch {
	case f.Plot == nil:
		return nil
	case *f.Plot == "":
		return output.NoFolder("--plot")
	}
	if err := os.MkdirAll(*f.Plot, 0o755); err != nil {
		return console.BadInputf("--plot: %w", err) // the error contains the folder's name
	}
	return nil
}

// times are durations in ms: wall time, and processor time of all cores.
type times struct{ wall, cpu []float64 }

// turnsAtMost is the wall time after which a measurement is no longer repeated. It is still made at least three times.
const turnsAtMost = 3 * time.Second

// inTurns times two functions alternately, after a warm-up round. It ends after the given number of rounds, or earlier
// if more than turnsAtMost of wall time has passed.
func inTurns(ctx context.Context, rounds int, a, b func() error) (timesA, timesB times, err error) {
	for begun, n := time.Now(), 0; n <= rounds && (n <= 3 || time.Since(begun) < turnsAtMost); n++ {
		if ctx.Err() != nil {
			return timesA, timesB, errInterrupted
		}
		if err := cmp.Or(timesA.measure(a, n > 0), timesB.measure(b, n > 0)); err != nil {
			return timesA, timesB, err
		}
	}
	return timesA, timesB, nil
}

// measure calls f. It records the wall time and the processor time of the call if counts is true.
func (t *times) measure(f func() error, counts bool) error {
	cpu, begun := rospeer.CPUTime(), time.Now()
	err := f()
	if wall := time.Since(begun); counts {
		t.wall, t.cpu = append(t.wall, wall.Seconds()*1e3), append(t.cpu, float64(rospeer.CPUTime()-cpu)*1e-6)
	}
	return err
}

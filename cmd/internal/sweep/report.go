package sweep

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

//go:embed page.html
var pageText string

var reportPage = page.New(pageText, template.FuncMap{"share": func(g *group) string {
	return fmt.Sprintf("%.0f %%", 100*g.Share())
}})

// The page lists at most maxFailures failed runs and shows at most maxTimes plots of times. The file results.csv has
// all of them.
const (
	maxFailures = 50
	maxTimes    = 6
)

// failure is a failed run on the page.
type failure struct {
	Where, Recording string
	Watch, Again     string // commands that show and repeat the run
	Reasons          []string
}

// WriteHTML writes the report as a page. For each key that was varied, the page has plots over the values of the key.
func (o *Outcome) WriteHTML(out io.Writer) error {
	charts, err := page.Charts(o.plots())
	if err != nil {
		return err
	}
	heads, rows := o.table()
	data := struct {
		*File
		Counts   suite.Counts
		Points   int
		Heads    []string
		Rows     []*group
		Charts   []page.Chart
		Failures []failure
		More     int
		Differ   []string
	}{File: o.File, Counts: o.Counts(), Points: len(o.Plan.Points), Heads: heads, Rows: rows, Charts: charts}
	for _, r := range o.Results {
		if r == nil || r.Passed {
			continue
		}
		if len(data.Failures) == maxFailures {
			data.More++
			continue
		}
		f := failure{Where: o.where(r), Recording: r.Recording, Watch: r.watch, Again: r.Again}
		if r.Error != "" {
			f.Reasons = append(f.Reasons, r.Error)
		}
		for _, e := range r.Expectations {
			if e.Outcome != "passed" {
				text := fmt.Sprintf("%s: %s at %.3f s: expected %s", e.Name, e.Outcome, e.At, e.Expected)
				if e.Was != "" {
					text += "; was: " + e.Was
				}
				f.Reasons = append(f.Reasons, text)
			}
		}
		data.Failures = append(data.Failures, f)
	}
	for _, r := range o.Differ {
		data.Differ = append(data.Differ, o.where(r))
	}
	return reportPage.Execute(out, data)
}

// plots returns the plots for each key: the fraction of runs that passed, and the times at which expectations passed.
func (o *Outcome) plots() (all []experiment.Plot) {
	for _, key := range o.Keys {
		v := o.values(key)
		all = append(all, o.shares(v))
		for i, name := range o.expectations() {
			if i < maxTimes {
				if p, ok := o.times(v, name); ok {
					all = append(all, p)
				}
			}
		}
	}
	return all
}

// plot returns an empty plot over the values of a key.
func (v *axisValues) plot(name, title, label string) experiment.Plot {
	p := experiment.Plot{Name: name, Title: title, XLabel: v.key, YLabel: label, Bars: !v.numbers}
	if !v.numbers {
		p.Names = v.labels
	}
	return p
}

// x returns the place of the value with the index k on the horizontal axis.
func (v *axisValues) x(k int) float64 {
	if v.numbers {
		return v.at[k]
	}
	return float64(k)
}

// shares returns the plot of the fraction of runs that passed, over the values of a key.
func (o *Outcome) shares(v *axisValues) experiment.Plot {
	p := v.plot(v.key, "Runs that passed, by "+v.key, "share")
	for i, groups := range o.byValue(v) {
		c := experiment.Curve{Name: o.Worlds[i]}
		for k, g := range groups {
			if g == nil {
				continue
			}
			if !v.numbers {
				low, high := page.Proportion(g.Passed, g.Runs)
				c.Low, c.High = append(c.Low, low), append(c.High, high)
			}
			c.Add(v.x(k), g.Share())
		}
		if len(c.X) > 0 {
			p.Curves = append(p.Curves, c)
		}
	}
	return p
}

// times returns the plot of the time at which an expectation passed, over the values of a key. Each time is the mean
// over the runs in which the expectation passed. times returns false if the expectation never passed, or always at the
// same time.
func (o *Outcome) times(v *axisValues, name string) (experiment.Plot, bool) {
	p := v.plot(v.key+" "+name, fmt.Sprintf("Time at which %s passed, by %s", name, v.key), "mean sim time, s")
	sum, n := make([][]float64, len(o.Worlds)), make([][]float64, len(o.Worlds))
	for i := range sum {
		sum[i], n[i] = make([]float64, len(v.labels)), make([]float64, len(v.labels))
	}
	for i, r := range o.Results {
		if r == nil {
			continue
		}
		k := v.index(o.Points[o.Jobs[i].Point])
		for _, e := range r.Expectations {
			if k >= 0 && e.Name == name && e.Outcome == "passed" {
				sum[r.World][k] += e.At
				n[r.World][k]++
			}
		}
	}
	least, most := 0.0, 0.0
	for i := range sum {
		c := experiment.Curve{Name: o.Worlds[i]}
		for k := range sum[i] {
			if n[i][k] == 0 {
				continue
			}
			y := sum[i][k] / n[i][k]
			if len(p.Curves) == 0 && len(c.X) == 0 {
				least, most = y, y
			}
			least, most = min(least, y), max(most, y)
			c.Add(v.x(k), y)
		}
		if len(c.X) > 0 {
			p.Curves = append(p.Curves, c)
		}
	}
	if len(p.Curves) == 1 && len(o.Worlds) > 1 { // a single curve has no legend
		p.Title = fmt.Sprintf("Time at which %s passed in %s, by %s", name, p.Curves[0].Name, v.key)
	}
	return p, most > least
}

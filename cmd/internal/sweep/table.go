package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
)

// maxRows is the maximum number of rows of the table of points. With more points, the table instead has one row for
// each value of each key.
const maxRows = 50

// Counts counts the runs.
func (o *Outcome) Counts() (c suite.Counts) {
	c.Runs = len(o.Jobs)
	for _, r := range o.Results {
		switch {
		case r == nil:
			c.NotRun++
		case r.Passed:
			c.Passed++
		default:
			c.Failed++
		}
	}
	return c
}

// table returns the rows of results and the headings of the first columns, which name what was varied.
func (o *Outcome) table() (heads []string, rows []*group) {
	rows = o.byPoint()
	if len(rows) <= maxRows {
		return o.Keys, rows
	}
	rows = nil
	for _, key := range o.Keys {
		for _, world := range o.byValue(o.values(key)) {
			for _, g := range world {
				if g != nil {
					rows = append(rows, g)
				}
			}
		}
	}
	return []string{"key", "value"}, rows
}

// Print prints a table of the results. Each row is a point or, with many points, a value of a key.
func (o *Outcome) Print(out io.Writer) error {
	checked := &console.CheckedWriter{W: out}
	heads, rows := o.table()
	tw := tabwriter.NewWriter(checked, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\n", strings.Join(append(append([]string{"world"}, heads...), "runs", "passed", "share"), "\t"))
	for _, g := range rows {
		cells := append(append([]string{g.World}, g.Labels...), strconv.Itoa(g.Runs), strconv.Itoa(g.Passed),
			fmt.Sprintf("%.2f", g.Share()))
		fmt.Fprintf(tw, "%s\n", strings.Join(cells, "\t"))
	}
	tw.Flush()
	for _, r := range o.Differ {
		fmt.Fprintf(checked, "%s: a second run ended in another state, %s: the run is not reproducible\n", o.where(r),
			r.StateHash)
	}
	c := o.Counts()
	fmt.Fprintf(checked, "%d runs: %s\n", c.Runs, c)
	return checked.Err()
}

// where returns a text that identifies a run: its world, its seed and the values of its keys.
func (o *Outcome) where(r *Result) string {
	parts := []string{o.Worlds[r.World], fmt.Sprintf("seed %d", r.Seed)}
	for _, key := range o.Keys {
		if text := o.Points[r.Point].Value(key); text != "" {
			parts = append(parts, key+" = "+text)
		}
	}
	return strings.Join(parts, ", ")
}

// expectations returns each name of an expectation once, in the order in which the names appear in the results.
func (o *Outcome) expectations() (names []string) {
	seen := map[string]bool{}
	for _, r := range o.Results {
		if r == nil {
			continue
		}
		for _, e := range r.Expectations {
			if !seen[e.Name] {
				seen[e.Name] = true
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// WriteCSV writes one row per finished run, in the order of the jobs. The content does not depend on which worker did a
// run, nor on when the run was done.
func (o *Outcome) WriteCSV(out io.Writer) error {
	expected := o.expectations()
	head := append([]string{"job", "world", "seed"}, o.Keys...)
	head = append(head, "passed", "sim_s", "steps", "state_hash", "cyan", "magenta")
	for _, name := range expected {
		head = append(head, name, name+".at_s")
	}
	w := csv.NewWriter(out)
	if err := w.Write(append(head, "recording", "error")); err != nil {
		return err
	}
	for _, r := range o.Results {
		if r == nil {
			continue
		}
		row := []string{r.Job, o.Worlds[r.World], strconv.FormatUint(r.Seed, 10)}
		for _, key := range o.Keys {
			row = append(row, o.Points[r.Point].Value(key))
		}
		row = append(row, strconv.FormatBool(r.Passed), number(r.Sim), strconv.FormatInt(r.Steps, 10), r.StateHash)
		if r.Score != nil {
			row = append(row, strconv.Itoa(r.Score.Cyan), strconv.Itoa(r.Score.Magenta))
		} else {
			row = append(row, "", "")
		}
		for _, name := range expected {
			outcome, at := "", ""
			for _, e := range r.Expectations {
				if e.Name == name {
					outcome, at = e.Outcome, number(e.At)
				}
			}
			row = append(row, outcome, at)
		}
		if err := w.Write(append(row, r.Recording, r.Error)); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// outcomeJSON is an Outcome in results.json.
type outcomeJSON struct {
	Sweep string `json:"sweep"`
	ID    string `json:"id"`
	suite.Counts
	Worlds  []string         `json:"worlds"`
	Keys    []string         `json:"keys"`
	Points  []map[string]any `json:"points"`
	Results []*Result        `json:"results"`
	Differ  []*Result        `json:"differ,omitempty"` // later results that differ
}

// WriteJSON writes the whole outcome as one object.
func (o *Outcome) WriteJSON(out io.Writer) error {
	all := outcomeJSON{Sweep: o.Name, ID: o.ID, Counts: o.Counts(), Worlds: o.Worlds, Keys: o.Keys,
		Results: []*Result{}, Differ: o.Differ}
	for _, p := range o.Points {
		set := map[string]any{}
		for i := range p {
			set[p[i].Key] = jsonValue(p[i].Value)
		}
		all.Points = append(all.Points, set)
	}
	for _, r := range o.Results {
		if r != nil {
			all.Results = append(all.Results, r)
		}
	}
	return console.WriteJSON(out, all)
}

// jsonValue returns a value that JSON can represent. Infinities and NaN become text.
func jsonValue(v any) any {
	if x, ok := v.(float64); ok && (x-x != 0) {
		return literal(x)
	}
	return v
}

// group is a summary of the runs of one world at one point, or with one value of a key.
type group struct {
	World  string
	Labels []string // values of the keys
	Runs   int
	Passed int
}

// Share returns the fraction of the runs that passed.
func (g *group) Share() float64 { return float64(g.Passed) / float64(g.Runs) }

func (g *group) add(r *Result) {
	g.Runs++
	if r.Passed {
		g.Passed++
	}
}

// byPoint groups the results by world and point.
func (o *Outcome) byPoint() (all []*group) {
	index := map[[2]int]*group{}
	for i, r := range o.Results {
		if r == nil {
			continue
		}
		job := &o.Jobs[i]
		at := [2]int{job.World, job.Point}
		g := index[at]
		if g == nil {
			g = &group{World: job.Name}
			for _, key := range o.Keys {
				g.Labels = append(g.Labels, o.Points[job.Point].Value(key))
			}
			index[at] = g
			all = append(all, g)
		}
		g.add(r)
	}
	return all
}

// If a key has more than maxValues different numbers as values, the numbers are put into bins.
const (
	maxValues = 12
	bins      = 10
)

// axisValues holds the values that a key has at the points of the sweep.
type axisValues struct {
	key     string
	labels  []string  // one per value or bin
	at      []float64 // the numbers, or the centres of the bins
	numbers bool
	edges   []float64 // edges of the bins; nil without bins
}

// values returns the values that a key has at the points of the sweep.
func (o *Outcome) values(key string) *axisValues {
	v := &axisValues{key: key, numbers: true}
	var numbers []float64
	seen := map[string]bool{}
	for _, p := range o.Points {
		text := p.Value(key)
		if text == "" || seen[text] {
			continue
		}
		seen[text] = true
		x, ok := p.Number(key)
		v.numbers = v.numbers && ok && !math.IsInf(x, 0) && !math.IsNaN(x)
		numbers = append(numbers, x)
		v.labels = append(v.labels, text)
	}
	if !v.numbers {
		return v
	}
	slices.Sort(numbers)
	if len(numbers) <= maxValues {
		v.labels = nil
		for _, x := range numbers {
			v.labels, v.at = append(v.labels, literal(x)), append(v.at, x)
		}
		return v
	}
	v.labels = nil
	least, most := numbers[0], numbers[len(numbers)-1]
	for i := range bins + 1 {
		v.edges = append(v.edges, least+(most-least)*float64(i)/bins)
	}
	for i := range bins {
		v.labels = append(v.labels, fmt.Sprintf("%.4g to %.4g", v.edges[i], v.edges[i+1]))
		v.at = append(v.at, (v.edges[i]+v.edges[i+1])/2)
	}
	return v
}

// index returns the index of the value that a point gives to the key, or the index of the value's bin. It returns −1 if
// the point does not set the key.
func (v *axisValues) index(p Point) int {
	if !v.numbers {
		return slices.Index(v.labels, p.Value(v.key))
	}
	x, ok := p.Number(v.key)
	if !ok {
		return -1
	}
	if v.edges == nil {
		return slices.Index(v.at, x)
	}
	for i := range bins - 1 {
		if x < v.edges[i+1] {
			return i
		}
	}
	return bins - 1
}

// byValue returns, for each world, one group for each value of a key. A group without runs is nil.
func (o *Outcome) byValue(v *axisValues) [][]*group {
	all := make([][]*group, len(o.Worlds))
	for i := range all {
		all[i] = make([]*group, len(v.labels))
	}
	for i, r := range o.Results {
		if r == nil {
			continue
		}
		job := &o.Jobs[i]
		k := v.index(o.Points[job.Point])
		if k < 0 {
			continue
		}
		if all[job.World][k] == nil {
			all[job.World][k] = &group{World: job.Name, Labels: []string{v.key, v.labels[k]}}
		}
		all[job.World][k].add(r)
	}
	return all
}

package sweep

import (
	"fmt"
	"math"
	"slices"
)

// group is a summary of the runs of one world at one point, or with one value of a key.
type group struct {
	World  string
	Labels []string // values of the keys
	Runs   int
	Passed int
	at     float64 // value of the key, or centre of its bin
}

// Share returns the fraction of the runs that passed.
func (g *group) Share() float64 { return float64(g.Passed) / float64(g.Runs) }

func (g *group) add(r *Result) {
	g.Runs++
	if r.Passed {
		g.Passed++
	}
}

// interval returns the 95 % confidence interval of the fraction of runs that passed. Source: Wilson, "Probable
// inference, the law of succession, and statistical inference", 1927.
func (g *group) interval() (low, high float64) {
	const z = 1.96
	n, p := float64(g.Runs), g.Share()
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max((middle-half)/(1+z*z/n), 0), min((middle+half)/(1+z*z/n), 1)
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
			g := &group{World: job.Name, Labels: []string{v.key, v.labels[k]}}
			if v.numbers {
				g.at = v.at[k]
			}
			all[job.World][k] = g
		}
		all[job.World][k].add(r)
	}
	return all
}

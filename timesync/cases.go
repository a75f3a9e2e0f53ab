package timesync

import (
	"cmp"
	"slices"
	"time"
)

// Jobs take now longer, now less long, and whether a step must wait for one, and how long, may depend on which of two is done first. A
// forecast over steps that need jobs is therefore made for several cases: that jobs go on as they did after each job before, and each case
// counts by how like that job the last one was.

const (
	cases   = 192 // jobs that are remembered
	fewJobs = 16  // until so many are there is one case: that each takes what is usual
	// Differences that halve the weight of a case: of how long jobs took, as a share, and of when the next began, in what one takes. Of 0.03
	// to 0.5, and 0.05 to 5, the best on recorded runs; twice or half as much makes little difference.
	alikeTook  = 0.1
	alikeBegan = 0.5
	tolerance  = 0.02 // by which a job may be late, as a share, before that refutes a case
	refuted    = 1e-4
	mostAlike  = 48 // cases that a forecast is made for
)

// course remembers how the last jobs went, in the order in which they were given.
type course struct {
	took  [cases]float64 // against what was foretold
	after [cases]float64 // when it began, after the one before and in what the one before took
	n     int
	last  Job
}

// learn tells of a job, and what it took against what was foretold.
func (c *course) learn(j Job, ratio float64) {
	i := c.n % cases
	c.took[i], c.after[i] = ratio, c.since(j)
	c.n++
	c.last = j
}

// since returns when a job began, after the last.
func (c *course) since(j Job) float64 {
	return float64(j.Begun-c.last.Begun) / max(float64(c.last.Done-c.last.Begun), 1)
}

// count returns how many cases there are.
func (c *course) count() int {
	if c.n < fewJobs {
		return 1
	}
	return min(c.n, cases) - 1 // none is after the last
}

// of returns the ratio of a job in a case.
func (c *course) of(which, job int) float64 {
	if c.n < fewJobs {
		return 1
	}
	return c.took[c.at(which, job)]
}

func (c *course) at(which, job int) int {
	n := min(c.n, cases)
	return (c.n - n + which + 1 + job) % n
}

// weigh returns how likely a case is, from the last job and what is known of those under way, which were foretold to take so many ns.
func (c *course) weigh(which int, jobs []Job, foretold []float64, now time.Duration) float64 {
	if c.n < fewJobs {
		return 1
	}
	w := alike(c.took[c.at(which, -1)]-c.took[c.at(c.count(), -1)], alikeTook)
	for i := range jobs {
		j := &jobs[i]
		if j.Begun == 0 {
			break
		}
		if i == 0 {
			w *= alike(c.after[c.at(which, 0)]-c.since(*j), alikeBegan)
		}
		ratio := c.of(which, i)
		if j.Done != 0 {
			w *= alike(float64(j.Done-j.Begun)/foretold[i]-ratio, alikeTook)
		} else if float64(now-j.Begun)/foretold[i] > ratio*(1+tolerance) {
			w *= refuted
		}
	}
	return w
}

// alike is 1 for no difference and a half for one of the width.
func alike(d, width float64) float64 {
	d /= width
	return 1 / (1 + d*d)
}

// alikeCase is a case and its weight.
type alikeCase struct {
	which  int
	weight float64
}

// outcome is how long something takes in a case, and how likely that is against others.
type outcome struct {
	takes  time.Duration
	weight float64
}

// mean returns the expected duration.
func mean(o []outcome) time.Duration {
	sum, weights := 0.0, 0.0
	for i := range o {
		sum += o[i].weight * float64(o[i].takes)
		weights += o[i].weight
	}
	return time.Duration(sum / weights)
}

// likely returns the duration from which the true one is the least off, as a share of the true one, and sorts what it gets: the median of
// the cases, each of which counts by the inverse of how long it takes.
func likely(o []outcome) time.Duration {
	slices.SortFunc(o, func(a, b outcome) int { return cmp.Compare(a.takes, b.takes) })
	sum := 0.0
	for i := range o {
		o[i].weight /= max(float64(o[i].takes), 1)
		sum += o[i].weight
	}
	left := sum / 2
	for i := range o {
		if left -= o[i].weight; left <= 0 {
			return o[i].takes
		}
	}
	return o[len(o)-1].takes
}

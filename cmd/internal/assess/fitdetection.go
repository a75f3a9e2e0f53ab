package assess

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/sensors"
)

const (
	reachStep  = 0.5  // resolution of the range limit, m. A guess
	leastFound = 0.05 // least fraction of visible things that is found within range. A guess
	shareSteps = 100  // resolution of the visible fraction
)

// farthest returns the distance, in m, beyond which the vision finds almost none of the visible things. The result is
// at most limit.
func farthest(all []*Sample, limit float64) float64 {
	hits, things := map[int]int{}, map[int]int{}
	last := 0
	for _, s := range all {
		if !s.Counts {
			continue
		}
		i := int(s.Distance / reachStep)
		last = max(last, i)
		if things[i]++; s.Outcome == Hit {
			hits[i]++
		}
	}
	for ; last >= 0; last-- {
		if n := things[last]; n >= leastReports/3 && float64(hits[last]) >= leastFound*float64(n) {
			break
		}
	}
	return min(limit, float64(last+1)*reachStep)
}

// found contains the numbers of found and missed things by visible fraction.
type found struct{ hits, misses [shareSteps + 1]float64 }

// rises returns the detection rate at the visible fraction n/shareSteps as a fraction of the rate of fully visible
// things. It is 0 up to the fraction lo, 1 from the fraction hi on, and linear between the two.
func rises(n int, lo, hi float64) float64 {
	v := (float64(n) + 0.5) / shareSteps
	switch {
	case v < lo:
		return 0
	case v >= hi:
		return 1
	}
	return (v - lo) / (hi - lo)
}

// likelihood returns the log-likelihood of the counts, if a fraction p of sufficiently visible things is found.
func (f *found) likelihood(p, lo, hi float64) (sum float64) {
	const never = 1e-6 // probability that an invisible thing is found, for example by tracking
	for n := range f.hits {
		if f.hits[n]+f.misses[n] == 0 {
			continue
		}
		q := max(never, min(p*rises(n, lo, hi), 1-never))
		sum += f.hits[n]*math.Log(q) + f.misses[n]*math.Log(1-q)
	}
	return sum
}

// best returns the p for which the likelihood is largest, and that likelihood. The likelihood is a concave function of
// p.
func (f *found) best(lo, hi float64) (p, likelihood float64) {
	a, b := 0.0, 1.0
	for range 25 {
		third := (b - a) / 3
		if f.likelihood(a+third, lo, hi) < f.likelihood(b-third, lo, hi) {
			a += third
		} else {
			b -= third
		}
	}
	p = (a + b) / 2
	return p, f.likelihood(p, lo, hi)
}

// fitDetection estimates by maximum likelihood the visible fractions between which detection becomes likely, and the
// miss rate. If the miss rates of the bins differ significantly, each bin also gets a miss rate relative to the best
// bin.
func (m *ModelFit) fitDetection(bins []*bin) {
	in := make([]found, len(bins))
	for i, b := range bins {
		for _, s := range b.all {
			if n := int(s.Visible * shareSteps); s.Outcome == Hit {
				in[i].hits[n]++
			} else {
				in[i].misses[n]++
				m.misses++
			}
			m.of++
		}
	}
	const step = 0.05
	most := math.Inf(-1)
	shares := make([]float64, len(bins))
	for i := range 20 {
		for k := i; k <= 20; k++ {
			lo, hi, sum := float64(i)*step, float64(k)*step, 0.0
			for j := range in {
				_, l := in[j].best(lo, hi)
				sum += l
			}
			if sum > most+1e-9 {
				most, m.MinVisible, m.FullVisible = sum, lo, hi
			}
		}
	}
	var pooled found
	for j := range in {
		for n := range in[j].hits {
			pooled.hits[n] += in[j].hits[n]
			pooled.misses[n] += in[j].misses[n]
		}
	}
	top, alike := pooled.best(m.MinVisible, m.FullVisible)
	// If all bins had the same miss rate, 2·(most−alike) would follow a χ² distribution with one degree of freedom per
	// bin, which rarely exceeds three times that number.
	if m.MissRate = 1 - top; most-alike < 1.5*float64(len(bins)) {
		return
	}
	for j := range in {
		shares[j], _ = in[j].best(m.MinVisible, m.FullVisible)
	}
	m.joinShares(shares, bins)
	if top = slices.Max(shares); top == 0 {
		return
	}
	m.MissRate = 1 - top
	for i := range m.Errors {
		m.Errors[i].MissRate = 1 - shares[i%len(bins)]/top
	}
}

// joinShares adjusts the detection rates at the bins so that linear interpolation between them, as in a table,
// reproduces the number of detections in each bin. Without this, the table misrepresents a rate that falls steeply
// within a bin.
func (m *ModelFit) joinShares(shares []float64, bins []*bin) {
	at := func(distance float64) float64 {
		k := 1
		for k < len(bins)-1 && bins[k].distance < distance {
			k++
		}
		if k >= len(bins) {
			return shares[0]
		}
		a, b := bins[k-1].distance, bins[k].distance
		part := min(max((distance-a)/(b-a), 0), 1)
		return shares[k-1] + part*(shares[k]-shares[k-1])
	}
	for range 20 {
		for i, b := range bins {
			sum := 0.0
			for _, s := range b.all {
				sum += rises(int(s.Visible*shareSteps), m.MinVisible, m.FullVisible) * at(s.Distance)
			}
			if sum > 0 {
				shares[i] = min(1, shares[i]*float64(len(b.hits))/sum)
			}
		}
	}
}

// fitFalse estimates the rate of false detections.
func (m *ModelFit) fitFalse(r *Result, all []*Sample, reach float64) {
	frames, n := r.Topics[all[0].Topic].counted, 0
	for _, s := range all {
		if s.Outcome == False {
			n++
		}
	}
	if share := floorShare(r.camera, reach); frames > 0 && share > 0 {
		m.FalseRate = min(1, float64(n)/float64(frames)/share)
	}
}

// floorShare returns the fraction of a camera's pixels that show the floor up to the distance reach, in m. The model
// makes false detections only in such pixels.
func floorShare(camera *sensors.Camera, reach float64) float64 {
	const grid = 100 // sampled pixels along each side
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

package assess

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/abstraction"
)

const (
	wideBin    = 1.0  // width of a distance bin, m. A guess
	narrowBin  = 0.5  // width of a narrow bin, m: it can show a detection rate that falls within about a metre
	manyInBins = 3000 // least number of reports for narrow bins, which then have about 200 reports each
	// leastHits is the least detection rate of a bin whose errors are estimated. If the rate is lower, detections are
	// accidental or at the edge of the bin. 0.1 is a guess.
	leastHits = 0.1
	knots     = 13 // number of quantiles of a distribution, half a standard deviation apart
)

// bin contains hits and misses in an interval of distance.
type bin struct {
	all      []*Sample
	hits     []*Sample
	distance float64 // mean distance of hits or, if there are too few hits, of all samples, m
}

// sufficient reports whether the bin has enough reports to estimate errors.
func (b *bin) sufficient() bool {
	return len(b.hits) >= leastReports && float64(len(b.hits)) >= leastHits*float64(len(b.all))
}

// binsOf returns the bins with enough samples, by distance.
func binsOf(all []*Sample) (bins []*bin) {
	width, hits := wideBin, 0
	for _, s := range all {
		if s.Outcome == Hit {
			hits++
		}
	}
	if hits >= manyInBins {
		width = narrowBin
	}
	byBin := map[int]*bin{}
	for _, s := range all {
		if s.Outcome == False || !(s.Visible > 0 && s.Distance > 0) {
			continue
		}
		i := int(s.Distance / width)
		if byBin[i] == nil {
			byBin[i] = new(bin)
		}
		b := byBin[i]
		if b.all = append(b.all, s); s.Outcome == Hit {
			b.hits = append(b.hits, s)
		}
	}
	for i := range int(100/width) + 1 {
		if b := byBin[i]; b != nil && len(b.all) >= leastReports {
			b.distance = meanDistance(b.all)
			if len(b.hits) >= leastReports {
				b.distance = meanDistance(b.hits)
			}
			bins = append(bins, b)
		}
	}
	return bins
}

func meanDistance(all []*Sample) float64 {
	sum := 0.0
	for _, s := range all {
		sum += s.Distance
	}
	return sum / float64(len(all))
}

// third is a third of half a turn, rad.
const third = math.Pi / 3

// fitErrors makes the table of errors, whose entries the function entry estimates from reports. The table has the first
// bearings for which all its entries have enough reports, otherwise the last. A bin with too few reports gets the
// errors of the bin before or after it. If no bin has enough reports, there is no table.
func (m *ModelFit) fitErrors(bins []*bin, entry func([]*Sample) abstraction.VisionError,
	choices ...[]float64) {
	for _, b := range bins {
		if b.sufficient() {
			m.Reports += len(b.hits)
		}
	}
	if m.Reports == 0 {
		return
	}
	for _, bearings := range choices {
		m.Errors = m.Errors[:0]
		enough := true
		for _, bearing := range bearings {
			rows := make([]abstraction.VisionError, len(bins))
			last := -1
			for i, b := range bins {
				in := b.hits
				if len(bearings) > 1 {
					in = slices.DeleteFunc(slices.Clone(in),
						func(s *Sample) bool { return math.Abs(math.Abs(s.Bearing)-bearing) > third/2 })
				}
				if len(in) < leastReports || !b.sufficient() {
					enough = enough && !b.sufficient()
					if last >= 0 {
						rows[i] = rows[last]
					}
				} else {
					rows[i] = entry(in)
					for k := range i {
						if last < 0 {
							rows[k] = rows[i]
						}
					}
					last = i
				}
			}
			for i, b := range bins {
				rows[i].Distance, rows[i].Bearing = b.distance, bearing
			}
			m.Errors = append(m.Errors, rows...)
		}
		if enough {
			return
		}
	}
}

// entry estimates a table entry from reports.
func entry(all []*Sample) (e abstraction.VisionError) {
	var along, angle []float64
	for _, s := range all {
		along, angle = append(along, s.RangeError()), append(angle, s.BearingError())
	}
	a, b := spreadOf(along), spreadOf(angle)
	e.Bias, e.Range, e.Angle = float64(a.Mean), float64(a.Sigma), float64(b.Sigma)
	if !normal(along, e.Bias, e.Range) {
		e.RangeQuantiles = quantiles(along)
	}
	if !normal(angle, 0, e.Angle) {
		e.AngleQuantiles = quantiles(angle)
	}
	return e
}

// normal reports whether values may be normally distributed with a mean and a standard deviation, by the
// Kolmogorov–Smirnov test at 5 % with known parameters. It sorts the values.
func normal(values []float64, mean, sigma float64) bool {
	slices.Sort(values)
	n, most := float64(len(values)), 0.0
	law := distuv.Normal{Mu: mean, Sigma: max(sigma, 1e-12)}
	for i, x := range values {
		p := law.CDF(x)
		most = max(most, p-float64(i)/n, float64(i+1)/n-p)
	}
	return most <= 1.36/math.Sqrt(n)
}

// quantiles returns the quantiles of sorted values.
func quantiles(sorted []float64) (q abstraction.Quantiles) {
	for i := range knots {
		rank := distuv.UnitNormal.CDF(abstraction.QuantilesTo * (2*float64(i)/(knots-1) - 1))
		at := min(max(rank*float64(len(sorted))-0.5, 0), float64(len(sorted)-1))
		q = append(q, quantile(sorted, at/float64(len(sorted)-1)))
	}
	return q
}

// nearestEntry returns the entry nearest to a sample.
func (m *ModelFit) nearestEntry(s *Sample) *abstraction.VisionError {
	off := func(e *abstraction.VisionError) float64 {
		return math.Abs(e.Distance-s.Distance) + math.Abs(e.Bearing-math.Abs(s.Bearing))
	}
	best := &m.Errors[0]
	for i := range m.Errors {
		if off(&m.Errors[i]) < off(best) {
			best = &m.Errors[i]
		}
	}
	return best
}

// scores converts a report's errors to standard normal scores.
func (m *ModelFit) scores(s *Sample) (along, angle float64) {
	e := m.nearestEntry(s)
	if len(e.AcrossQuantiles) > 0 {
		return e.RangeQuantiles.Score(s.Along()), e.AcrossQuantiles.Score(s.Across())
	}
	along, angle = (s.RangeError()-e.Bias)/e.Range, s.BearingError()/e.Angle
	if len(e.RangeQuantiles) > 0 {
		along = e.RangeQuantiles.Score(s.RangeError())
	}
	if len(e.AngleQuantiles) > 0 {
		angle = e.AngleQuantiles.Score(s.BearingError())
	}
	return along, angle
}

// fitCorrelation estimates the time constant of errors from frame to frame, if they are correlated.
func (m *ModelFit) fitCorrelation(all []*Sample, period float64) {
	before := map[string]*Sample{}
	var sum, squares float64
	n := 0
	for _, s := range all {
		if s.Outcome != Hit || s.Visible <= 0 {
			continue
		}
		b := before[s.Name]
		before[s.Name] = s
		if b == nil {
			continue
		}
		if dt := (s.Stamp - b.Stamp).Seconds(); dt < 0.5*period || dt > 1.5*period {
			continue
		}
		xa, xb := m.scores(b)
		ya, yb := m.scores(s)
		for _, p := range [2][2]float64{{xa, ya}, {xb, yb}} {
			if product := p[0] * p[1]; !math.IsNaN(product) && !math.IsInf(product, 0) {
				sum, squares, n = sum+product, squares+(p[0]*p[0]+p[1]*p[1])/2, n+1
			}
		}
	}
	if n == 0 || squares == 0 {
		return
	}
	rho := sum / squares
	if rho > 5/math.Sqrt(float64(n)) { // a smaller correlation may be due to chance
		m.Correlation = time.Duration(-period / math.Log(min(rho, 0.999)) * float64(time.Second))
	}
}

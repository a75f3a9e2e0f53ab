package timesync

import "time"

// Predictor tells from the steps so far how much wall time the next will take.
type Predictor interface {
	// Add tells that a step of so much sim time took so much wall time.
	Add(wall, sim time.Duration)
	// Predict returns the wall time of the sim time to come; 0 before the first Add.
	Predict(sim time.Duration) time.Duration
}

// MeanOfSpeeds averages the speeds of the last N steps (Beck, Ferrein and Lakemeyer 2008, section 5.1): the baseline that runs with steps of unequal cost show
// to be wrong. With one step it is the ratio of that step alone.
type MeanOfSpeeds struct {
	speeds []float64
	n      int
}

// NewMeanOfSpeeds averages over n steps.
func NewMeanOfSpeeds(n int) *MeanOfSpeeds { return &MeanOfSpeeds{speeds: make([]float64, n)} }

func (m *MeanOfSpeeds) Add(wall, sim time.Duration) {
	m.speeds[m.n%len(m.speeds)] = float64(sim) / max(float64(wall), 1)
	m.n++
}

func (m *MeanOfSpeeds) Predict(sim time.Duration) time.Duration {
	n, sum := min(m.n, len(m.speeds)), 0.0
	for _, s := range m.speeds[:n] {
		sum += s
	}
	if sum == 0 {
		return 0
	}
	return time.Duration(float64(sim) * float64(n) / sum)
}

// MovingAverage follows the speed by a tenth of what each step's differs from it, as clients of other simulators do with each message.
type MovingAverage struct{ speed float64 }

func (m *MovingAverage) Add(wall, sim time.Duration) {
	s := float64(sim) / max(float64(wall), 1)
	if m.speed == 0 {
		m.speed = s
	}
	m.speed += 0.1 * (s - m.speed)
}

func (m *MovingAverage) Predict(sim time.Duration) time.Duration {
	if m.speed == 0 {
		return 0
	}
	return time.Duration(float64(sim) / m.speed)
}

// RatioOfSums divides the wall time of the last n steps by their sim time.
type RatioOfSums struct {
	steps     []struct{ wall, sim time.Duration }
	n         int
	wall, sim time.Duration
}

// NewRatioOfSums sums over n steps.
func NewRatioOfSums(n int) *RatioOfSums {
	return &RatioOfSums{steps: make([]struct{ wall, sim time.Duration }, n)}
}

func (r *RatioOfSums) Add(wall, sim time.Duration) {
	old := &r.steps[r.n%len(r.steps)]
	r.wall, r.sim = r.wall+wall-old.wall, r.sim+sim-old.sim
	old.wall, old.sim = wall, sim
	r.n++
}

func (r *RatioOfSums) Predict(sim time.Duration) time.Duration {
	if r.sim == 0 {
		return 0
	}
	return time.Duration(float64(sim) * float64(r.wall) / float64(r.sim))
}

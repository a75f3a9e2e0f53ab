package intervals

import (
	"strings"
	"time"
)

// Method is a prediction method. Its name in reports is stable.
type Method struct {
	Name string // in reports
	Does string // description for people
	Last int    // number of steps whose mean speed the method uses, after Beck et al. 2008; 0 for other methods
	// step predicts the duration of each of the next steps from the wall times of the last 1 to 200 steps. It is nil
	// for the simulation's own method.
	step func(last []time.Duration) time.Duration
}

// Methods are the compared methods. The first is the simulation's own method.
var Methods = []Method{
	{"schedule", "omnipitch: from planned steps", 0, nil},
	{"last step", "speed of the last step", 1, meanOfSpeeds(1)},
	{"mean of 5", "mean speed of 5 steps", 5, meanOfSpeeds(5)},
	{"mean of 10", "mean speed of 10 steps", 10, meanOfSpeeds(10)},
	{"mean of 20", "mean speed of 20 steps", 20, meanOfSpeeds(20)},
	{"mean of 50", "mean speed of 50 steps", 50, meanOfSpeeds(50)},
	{"moving average", "moving average of the speed", 0, movingAverage},
	{"ratio of 200", "mean duration of 200 steps", 0, ratioOfSums},
}

// ID returns the method's name in the form used in results.
func (m *Method) ID() string { return strings.ReplaceAll(m.Name, " ", "_") }

// meanOfSpeeds averages the speeds of the last n steps (Beck, Ferrein and Lakemeyer 2008, section 5.1). It is biased
// when steps have unequal costs.
func meanOfSpeeds(n int) func([]time.Duration) time.Duration {
	return func(last []time.Duration) time.Duration {
		last = last[max(len(last)-n, 0):]
		sum := 0.0
		for _, wall := range last {
			sum += 1 / max(float64(wall), 1)
		}
		return time.Duration(float64(len(last)) / sum)
	}
}

// movingAverage is an exponential moving average of speed with weight 0.1, as clients of other simulators compute it.
func movingAverage(last []time.Duration) time.Duration {
	speed := 1 / max(float64(last[0]), 1)
	for _, wall := range last {
		speed += 0.1 * (1/max(float64(wall), 1) - speed)
	}
	return time.Duration(1 / speed)
}

// ratioOfSums returns the mean duration of all steps.
func ratioOfSums(last []time.Duration) (mean time.Duration) {
	for _, wall := range last {
		mean += wall
	}
	return mean / time.Duration(len(last))
}

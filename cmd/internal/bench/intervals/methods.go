package intervals

import (
	"strings"
	"time"
)

// Method is a way to predict. The names in reports stay as they are; people read what it does.
type Method struct {
	Name string // in reports
	Does string // for people
	Last int    // how many steps' mean speed it takes, after Beck et al. 2008; 0 of other methods
	// step returns how long the next steps take each, from the wall time of the last ones, at least one, 200 at most.
	// It is nil for our own method.
	step func(last []time.Duration) time.Duration
}

// Methods begin with our own.
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

// ID is the method's name within names of results.
func (m *Method) ID() string { return strings.ReplaceAll(m.Name, " ", "_") }

// meanOfSpeeds averages the speeds of the last n steps (Beck, Ferrein and Lakemeyer 2008, section 5.1), which runs with
// steps of unequal cost show to be wrong.
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

// movingAverage follows the speed by a tenth of what each step's differs from it, as clients of other simulators do
// with each message.
func movingAverage(last []time.Duration) time.Duration {
	speed := 1 / max(float64(last[0]), 1)
	for _, wall := range last {
		speed += 0.1 * (1/max(float64(wall), 1) - speed)
	}
	return time.Duration(1 / speed)
}

// ratioOfSums divides the wall time of all by their number.
func ratioOfSums(last []time.Duration) (mean time.Duration) {
	for _, wall := range last {
		mean += wall
	}
	return mean / time.Duration(len(last))
}

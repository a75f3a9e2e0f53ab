package bench

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
)

// times are durations in ms: wall time, and processor time of all cores.
type times struct{ wall, cpu []float64 }

// turnsAtMost is the wall time after which a measurement is no longer repeated. It is made at least three times all the
// same.
const turnsAtMost = 3 * time.Second

// inTurns times two functions alternately, after a warm-up round.
func inTurns(ctx context.Context, rounds int, a, b func() error) (timesA, timesB times, err error) {
	all, err := timeTurns(ctx, rounds, turnsAtMost, a, b)
	if err != nil {
		return times{}, times{}, err
	}
	return all[0], all[1], nil
}

// timeTurns times functions alternately, after a warm-up round. It ends after a number of rounds, or earlier if the
// wall time most is over.
func timeTurns(ctx context.Context, rounds int, most time.Duration, turns ...func() error) ([]times, error) {
	all := make([]times, len(turns))
	for begun, n := time.Now(), 0; n <= rounds && (n <= 3 || time.Since(begun) < most); n++ {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		for i, f := range turns {
			if err := all[i].measure(f, n > 0); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
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

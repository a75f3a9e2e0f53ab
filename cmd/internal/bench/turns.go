package bench

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
)

// times are how long something took each time, in ms: of the wall clock, and of all processors.
type times struct{ wall, cpu []float64 }

// turnsAtMost is the wall time after which what takes turns is no longer repeated, but three times at least.
const turnsAtMost = 3 * time.Second

// inTurns times two things that are done in turns, after a round that warms them up.
func inTurns(ctx context.Context, rounds int, a, b func() error) (timesA, timesB times, err error) {
	all, err := timeTurns(ctx, rounds, turnsAtMost, a, b)
	if err != nil {
		return times{}, times{}, err
	}
	return all[0], all[1], nil
}

// timeTurns times what is done in turns, for some rounds or until that has taken most, after a round that warms up.
func timeTurns(ctx context.Context, rounds int, most time.Duration, turns ...func() error) ([]times, error) {
	all := make([]times, len(turns))
	for begun, n := time.Now(), 0; n <= rounds && (n <= 3 || time.Since(begun) < most); n++ {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		for i, f := range turns {
			if err := all[i].of(f, n > 0); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// of does something, and keeps how long it took if it counts.
func (t *times) of(f func() error, counts bool) error {
	cpu, begun := rospeer.CPUTime(), time.Now()
	err := f()
	if wall := time.Since(begun); counts {
		t.wall, t.cpu = append(t.wall, wall.Seconds()*1e3), append(t.cpu, float64(rospeer.CPUTime()-cpu)*1e-6)
	}
	return err
}

package suite

import (
	"context"
	"errors"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
)

// ErrPaused is why RunUnattended ends a run that would never go on.
var ErrPaused = errors.New("the world has paused, and nobody is there to resume it")

// RunUnattended is Sim.Run where no program, window or connection can resume the world, unless attended says that
// somebody can, which may be nil: when an event pauses it the run ends, with a report and ErrPaused.
func RunUnattended(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace,
	attended func() bool) (*omnipitch.Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	paused := false
	look := func(*physics.Snapshot) {
		if sim.Clock().Paused() && (attended == nil || !attended()) {
			paused = true
			stop()
		}
	}
	sim.OnStep(look)
	look(nil) // events of time 0 have happened
	report, err := sim.Run(ctx, pace)
	if err == nil && paused {
		err = ErrPaused
	}
	return report, err
}

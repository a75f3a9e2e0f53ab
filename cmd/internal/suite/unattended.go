package suite

import (
	"context"
	"errors"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
)

// ErrPaused is the error of RunUnattended when the simulation is paused and nobody can resume it.
var ErrPaused = errors.New("the world is paused, and nobody can resume it")

// RunUnattended runs a simulation as Sim.Run does, if no program, window or connection can resume a pause. When an
// event pauses the simulation, the run ends with a report and ErrPaused. attended reports whether somebody can resume
// after all; it may be nil.
func RunUnattended(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace,
	attended func() bool) (*omnipitch.Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	paused := false
	checkPaused := func(*physics.Snapshot) {
		if sim.Clock().Paused() && (attended == nil || !attended()) {
			paused = true
			stop()
		}
	}
	sim.OnStep(checkPaused)
	checkPaused(nil) // events of time 0 have happened
	report, err := sim.Run(ctx, pace)
	if err == nil && paused {
		err = ErrPaused
	}
	return report, err
}

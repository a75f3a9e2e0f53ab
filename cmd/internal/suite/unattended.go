package suite

import (
	"context"
	"errors"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
)

// ErrPaused is the error of RunUnattended when an event has paused the simulation and nobody can resume it.
var ErrPaused = errors.New("the world is paused, and nobody can resume it")

// RunUnattended runs a simulation as Sim.Run does. It is for simulations that no program, window or connection can
// resume after a pause. If an event pauses the simulation, the run ends, and RunUnattended returns its report and
// ErrPaused. The function attended may be nil. It reports whether somebody can resume the simulation after all.
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
	checkPaused(nil) // events at time 0 may have paused the simulation already
	report, err := sim.Run(ctx, pace)
	if err == nil && paused {
		err = ErrPaused
	}
	return report, err
}

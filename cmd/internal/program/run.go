package program

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// Started tells whether a run starts a world's programs, as flag --programs says: without it those of a world that
// ships, and no others.
func Started(w *worlds.World, flag *bool) bool {
	if flag != nil {
		return *flag
	}
	return len(w.Programs) > 0 && w.Shipped()
}

// NotStarted says why a world's programs are not started; it is empty for a world without programs.
func NotStarted(w *worlds.World) string {
	switch n := len(w.Programs); {
	case n == 0:
		return ""
	case n == 1 && w.Shipped():
		return fmt.Sprintf("program %s is not started: not with --ros1 off or --no-programs", w.Programs[0].Name)
	case n == 1:
		return fmt.Sprintf("program %s is not started: --programs starts it, with your rights", w.Programs[0].Name)
	case w.Shipped():
		return fmt.Sprintf("its %d programs are not started: not with --ros1 off or --no-programs", n)
	default:
		return fmt.Sprintf("its %d programs are not started: --programs starts them, with your rights", n)
	}
}

// Speed returns how fast a run goes that starts a world's programs and was to go at a speed: at max, too, steps wait
// for the robots that the world waits for.
func Speed(w *worlds.World, speed timesync.Speed) timesync.Speed {
	if speed == timesync.Max && len(w.Time.WaitFor) > 0 {
		return timesync.Lockstep
	}
	return speed
}

// OpenFiles is how many open files a run takes at most. Measured with two programs: 36 the first, 27 each more.
const OpenFiles = 64

// Options of a run; the zero value is ready but for Errs.
type Options struct {
	Topics *robotio.Topics            // those of the simulation's Options; nil without conditions on topics
	Errs   io.Writer                  // gets what the wires have to say
	Line   func(program, text string) // if not nil, gets each line that a program prints, on any goroutine
	// Run runs the simulation, or does more beside; nil is Sim.Run. Its context ends when a program fails, whose
	// *Failure is the cause.
	Run func(context.Context, omnipitch.Pace) (*omnipitch.Report, error)
}

// Run runs a simulation, and with it its world's programs, over ROS 1 at masters of its own, so that any number of
// simulations run at a time. It fails as Sim.Run and Programs.Run do. It closes the simulation before it ends the
// programs: they may wait for an answer that no step will bring.
func Run(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace, opts Options) (report *omnipitch.Report,
	err error) {
	defer sim.Close()
	server, err := serve.OpenAlone(ctx, opts.Errs, sim.World(), sim, opts.Topics)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	programs, err := Start(sim, server, opts.Line)
	if err != nil {
		return nil, err
	}
	defer func() {
		sim.Close()
		err = errors.Join(err, programs.Close())
	}()
	ctx, stop := server.Watch(ctx)
	defer stop(nil)
	if opts.Run == nil {
		opts.Run = sim.Run
	}
	if report, err = programs.Run(ctx, pace, opts.Run); err == nil {
		err = server.ShutDown(ctx)
	}
	return report, err
}

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

// Started reports whether a run of the world w starts the world's programs. flag is the value of --programs. If flag is
// nil, only built-in worlds start their programs.
func Started(w *worlds.World, flag *bool) bool {
	if flag != nil {
		return *flag
	}
	return len(w.Programs) > 0 && w.Shipped()
}

// NotStarted returns a note which says that the programs of a world are not started, and why. The note is empty for a
// world without programs.
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

// Speed returns the speed of a run that starts the programs of the world w. This is the argument speed, with one
// exception: max becomes lockstep if the world names robots to wait for.
func Speed(w *worlds.World, speed timesync.Speed) timesync.Speed {
	if speed == timesync.Max && len(w.Time.WaitFor) > 0 {
		return timesync.Lockstep
	}
	return speed
}

// OpenFiles is the maximum number of files that a run has open at the same time. Measured: 36 files with one program,
// and 27 files more for each further program.
const OpenFiles = 64

// Options are the options of Run.
type Options struct {
	Topics *robotio.Topics // as in the simulation's Options; nil without conditions on topics
	Errs   io.Writer       // receives messages of the ROS 1 server
	// Line, if not nil, is called from any goroutine with each line that a program prints.
	Line func(program, text string)
	// Run runs the simulation; nil means Sim.Run. When a program fails, the context of Run ends with the *Failure as
	// its cause.
	Run func(context.Context, omnipitch.Pace) (*omnipitch.Report, error)
}

// Run runs a simulation with the programs of its world. The programs connect over ROS 1 to masters that only this run
// uses, so any number of simulations can run at the same time. Run returns the errors of Sim.Run and of Programs.Run.
// It closes the simulation before it ends the programs, because a program may be waiting for the answer of a step.
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

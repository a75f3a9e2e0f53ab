package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
	"github.com/omnipitch/omnipitch/worlds"
)

// Programs starts the programs of a run, watches them and ends them.
type Programs struct {
	sim     *omnipitch.Sim
	server  *serve.Server
	begun   time.Time
	all     []*program
	failed  chan *Failure // receives the first failure of each program
	closing chan struct{}
	running sync.WaitGroup
	errs    chan error // errors of ending programs
}

// program is one program of a run. It may be restarted.
type program struct {
	*worlds.Program
	order order
	out   output
}

// Failure is the error of a run that ended because a program failed.
type Failure struct {
	Program string // name of the program; empty if no single program failed
	What    string // what went wrong
	Printed string // last lines that the program printed
}

func (f *Failure) Error() string {
	if f.Program == "" {
		return fmt.Sprintf("programs: %s\n%s", f.What, f.Printed)
	}
	return fmt.Sprintf("program %s: %s; %s", f.Program, f.What, f.Printed)
}

// Start starts the programs of the simulation's world, which connect through server. The function line, if not nil, is
// called from any goroutine with each line that a program prints. If a program cannot be started, Start ends the
// programs that are running and returns an error.
func Start(sim *omnipitch.Sim, server *serve.Server, line func(program, text string)) (*Programs, error) {
	var err error
	n := len(sim.World().Programs)
	s := &Programs{sim: sim, server: server, begun: time.Now(), failed: make(chan *Failure, n),
		closing: make(chan struct{}), errs: make(chan error, n)}
	for i := range sim.World().Programs {
		p := &program{Program: &sim.World().Programs[i]}
		p.out.awaited, p.out.line = p.WaitFor.Prints, func(text string) {
			if line != nil {
				line(p.Name, text)
			}
		}
		if p.order, err = newOrder(sim.World(), p.Program, os.Environ(), server.Environment(p.Robot)); err != nil {
			break
		}
		s.all = append(s.all, p)
	}
	for _, p := range s.all {
		var running *process
		if err == nil {
			running, err = start(p.order, &p.out)
		}
		if err != nil {
			err = fmt.Errorf("program %s: was not started: %w", p.Name, err)
			break
		}
		s.running.Go(func() { s.supervise(p, running) })
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// supervise waits until a program ends or Close is called. If the program ends first, supervise restarts it or reports
// its failure, as at_exit of the program says. After Close it ends the program. The argument running is the process of
// the program.
func (s *Programs) supervise(p *program, running *process) {
	for restarts := 0; ; restarts++ {
		how, closing := "", false
		select {
		case how = <-running.ended:
		case <-s.closing:
			closing = true
		}
		if !closing && p.AtExit == worlds.RestartAtExit && restarts < p.Restarts {
			err := running.stop(p.StopWithin) // ends the processes that the program has left behind
			if err == nil {
				p.out.reset()
				running, err = start(p.order, &p.out)
			}
			if err == nil {
				continue
			}
			s.fail(p, "was not started again: %v", err)
			return
		}
		if !closing && p.AtExit != worlds.IgnoreExit {
			when, after := s.sim.Clock().Now(), ""
			if restarts > 0 {
				after = fmt.Sprintf(", after it had been started again %d times", restarts)
			}
			_ = running.stop(p.StopWithin) // after stop, all output of the program has been read
			s.fail(p, "%s at %.2f s of sim time%s", how, when.Seconds(), after)
		}
		<-s.closing
		if err := running.stop(p.StopWithin); err != nil {
			s.errs <- fmt.Errorf("program %s: %w", p.Name, err)
		}
		return
	}
}

func (s *Programs) fail(p *program, format string, args ...any) {
	s.failed <- &Failure{p.Name, fmt.Sprintf(format, args...), p.out.text()}
}

// Close ends all programs and the processes that they have started. It sends SIGTERM and, after the stop time of the
// program, SIGKILL. It returns an error if a process still does not end.
func (s *Programs) Close() error {
	close(s.closing)
	s.running.Wait()
	close(s.errs)
	var errs []error
	for err := range s.errs {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Run waits until all programs are ready and then calls the function run, which must run the simulation. In three cases
// Run cancels the context of that function and returns a *Failure: a program ends although it must not, a program is
// not ready in time, or the first step waits too long for the answer of a program.
func (s *Programs) Run(ctx context.Context, pace omnipitch.Pace, run func(context.Context,
	omnipitch.Pace) (*omnipitch.Report, error)) (*omnipitch.Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case f := <-s.failed:
			cancel(f)
		case <-ctx.Done():
		}
	}()
	s.awaitReady(ctx, cancel)
	defer s.limitStart(cancel, &pace)()
	report, err := run(ctx, pace)
	if failure, ok := errors.AsType[*Failure](context.Cause(ctx)); ok {
		return report, failure
	}
	return report, s.explain(err)
}

// pollEvery is the period at which Run checks whether programs are ready. 20 ms is a guess.
const pollEvery = 20 * time.Millisecond

// awaitReady returns when all programs are ready or ctx ends. If a program is not ready in time, awaitReady cancels the
// context with a *Failure.
func (s *Programs) awaitReady(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for _, p := range s.all {
		for {
			lacks := s.lacks(ctx, p)
			if lacks == "" {
				break
			}
			if time.Since(s.begun) > p.Within {
				cancel(&Failure{p.Name, fmt.Sprintf("was not ready within %v of wall time: there is no %s", p.Within,
					lacks), p.out.text()})
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

// lacks returns a text that says what a program still needs to be ready. The text is empty for a program that is ready.
func (s *Programs) lacks(ctx context.Context, p *program) string {
	if !p.out.printed() {
		return fmt.Sprintf("line with %q in its output", p.WaitFor.Prints)
	}
	if len(p.WaitFor.Subscribes)+len(p.WaitFor.Publishes) == 0 {
		return ""
	}
	others, err := s.server.Others(ctx, p.Robot)
	if err != nil {
		return fmt.Sprintf("answer of the master: %v", err)
	}
	var missing []string
	for _, topic := range p.WaitFor.Subscribes {
		if !others.Subscribe(topic) {
			missing = append(missing, "subscriber of "+topic)
		}
	}
	for _, topic := range p.WaitFor.Publishes {
		if !others.Publish(topic) {
			missing = append(missing, "publisher of "+topic)
		}
	}
	return strings.Join(missing, ", no ")
}

// limitStart ends the run with a failure if its first step waits for robots longer than the time limit of every
// program. The caller removes this limit with stop.
func (s *Programs) limitStart(cancel context.CancelCauseFunc, pace *omnipitch.Pace) (stop func() bool) {
	if pace.Speed != timesync.Lockstep {
		return func() bool { return true }
	}
	var newest atomic.Value // last message about robots that the run waits for
	newest.Store("the robots that it waits for have not answered")
	notify := pace.Notify
	pace.Notify = func(text string) {
		newest.Store(text)
		if notify != nil {
			notify(text)
		}
	}
	var within time.Duration
	for _, p := range s.all {
		within = max(within, p.Within)
	}
	timer := time.AfterFunc(within-time.Since(s.begun), func() {
		cancel(&Failure{"", fmt.Sprintf("the first step has not begun within %v of wall time: %v", within,
			newest.Load()), s.printed("")})
	})
	s.sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Time > 0 {
			timer.Stop()
		}
	})
	return timer.Stop
}

// explain returns err. If err says that a robot does not answer, explain adds the last output of the robot's programs.
func (s *Programs) explain(err error) error {
	if late, ok := errors.AsType[*lockstep.Late](err); ok {
		if text := s.printed(late.Robot); text != "" {
			return fmt.Errorf("%w; %s", err, text)
		}
	}
	return err
}

// printed returns the last lines that the programs of a robot have printed. If robot is empty, it returns the last
// lines of all programs.
func (s *Programs) printed(robot string) string {
	var texts []string
	for _, p := range s.all {
		if robot == "" || p.Robot == robot {
			texts = append(texts, "program "+p.Name+": "+p.out.text())
		}
	}
	return strings.Join(texts, "\n")
}

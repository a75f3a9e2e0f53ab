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

// Programs are the programs of a run.
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

// Failure is the failure of a program that ends the run.
type Failure struct {
	Program string // name of the program; empty for all together
	What    string // what went wrong
	Printed string // last lines of its output
}

func (f *Failure) Error() string {
	if f.Program == "" {
		return fmt.Sprintf("programs: %s\n%s", f.What, f.Printed)
	}
	return fmt.Sprintf("program %s: %s; %s", f.Program, f.What, f.Printed)
}

// Start starts the programs of the simulation's world, which connect through server. It calls line, if that is not nil,
// with each line that a program prints, from any goroutine. If a program cannot be started, it ends the others and
// fails.
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

// supervise waits for the end of a program until Close, and restarts it if its at_exit says so.
func (s *Programs) supervise(p *program, running *process) {
	for restarts := 0; ; restarts++ {
		how, closing := "", false
		select {
		case how = <-running.ended:
		case <-s.closing:
			closing = true
		}
		if !closing && p.AtExit == worlds.RestartAtExit && restarts < p.Restarts {
			err := running.stop(p.StopWithin) // ends the processes that it left behind
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
			_ = running.stop(p.StopWithin) // so that its whole output is known
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

// Close ends all programs and the processes that they started: with SIGTERM, and after their stop time with SIGKILL. It
// fails if the system does not end them.
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

// Run waits until all programs are ready, then calls run, which must run the simulation. It fails with a *Failure if a
// program ends that must not, or is not ready in time, or does not answer a first step that waits for it. The context
// of run ends then.
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

// pollEvery is the period at which the readiness of programs is checked. A guess.
const pollEvery = 20 * time.Millisecond

// awaitReady returns when all programs are ready or ctx ends. It cancels the context if one is not ready in time.
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

// lacks returns what a program still lacks to be ready.
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

// limitStart fails the run if its first step waits for robots for longer than the time limit of every program. stop
// removes the limit.
func (s *Programs) limitStart(cancel context.CancelCauseFunc, pace *omnipitch.Pace) (stop func() bool) {
	if pace.Speed != timesync.Lockstep {
		return func() bool { return true }
	}
	var newest atomic.Value // last message of the run
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

// explain adds the output of its programs to the error of a robot that does not answer.
func (s *Programs) explain(err error) error {
	if late, ok := errors.AsType[*lockstep.Late](err); ok {
		if text := s.printed(late.Robot); text != "" {
			return fmt.Errorf("%w; %s", err, text)
		}
	}
	return err
}

// printed returns the last output of the programs of a robot, or of all programs if robot is empty.
func (s *Programs) printed(robot string) string {
	var texts []string
	for _, p := range s.all {
		if robot == "" || p.Robot == robot {
			texts = append(texts, "program "+p.Name+": "+p.out.text())
		}
	}
	return strings.Join(texts, "\n")
}

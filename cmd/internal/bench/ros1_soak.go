package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/worlds"
)

// soak is a simulation whose images go to forty subscribers, of which three can be bad: one that is stopped, one that
// is slow, and one that is killed and started anew again and again. Each of these is a process; one more holds all the
// others.
type soak struct {
	sim                       *omnipitch.Sim
	uri                       string
	healthy, stopped, slow    *rospeer.Process
	dies                      string // the topic of the one that is killed
	factors, badFactors       []float64
	cpu, badCPU               []float64 // of this process, seconds for a second of sim time
	lost, received            int64     // by the healthy
	lostByStopped, lostBySlow int64     // shows that they were bad
	hostile                   attacks
}

const (
	subscribersPerCamera = 4
	slowDelay            = 500 * time.Millisecond // longer than images are apart
	lifeTime             = time.Second            // of the one that is killed
)

// soak measures what bad subscribers cost a simulation that goes as fast as it can, and everybody else.
func (c *ROS1) soak(ctx context.Context, con console.Streams, report *Report) error {
	if err := serve.NeedOpenFiles(rospeer.AttackFiles); err != nil {
		return fmt.Errorf("--soak, which 0 leaves out: %w", err)
	}
	sim, err := startTen(omnipitch.Options{}, inTurn(abstraction.Raw, 5), quarterSize, func(w *worlds.World) {
		c, _ := w.Sensor(w.Robots[1].Name, "omni")
		c.Rate = fastRate
	})
	if err != nil {
		return err
	}
	defer sim.Close()
	if err := circle(sim); err != nil {
		return err
	}
	node, uri, end, err := publish(sim)
	defer end()
	if err != nil {
		return err
	}
	s := &soak{sim: sim, uri: uri}
	kill, err := s.subscribe(ctx)
	defer kill()
	if err != nil {
		return err
	}
	turn := c.Soak / time.Duration(2*c.Rounds+1+len(rospeer.Attacks))
	if _, err := timeSteps(ctx, sim, turn); err != nil { // warms up
		return err
	}
	var first, last uint64
	for i := range c.Rounds {
		for _, bad := range []bool{i%2 == 0, i%2 != 0} {
			if err := s.turn(ctx, turn, bad); err != nil {
				return err
			}
		}
		if last = resident(); i == 0 {
			first = last
		}
		fmt.Fprintf(con.Notes(), "soak, round %d of %d: measured\n", i+1, c.Rounds)
	}
	if err := s.attacks(ctx, node, turn); err != nil {
		return err
	}
	fmt.Fprintf(con.Notes(), "soak, %d hostile connections in %d forms: measured\n", rospeer.AttackConns,
		len(rospeer.Attacks))
	last = resident()
	s.into(report)
	report.add("soak_memory", float64(first)/(1<<20), "MiB", 1)
	report.add("soak_memory_growth", (float64(last)-float64(first))/(1<<20), "MiB", 1)
	return nil
}

// fastRate is that of the camera that the stopped and the slow one listen to: enough to fill the buffers of a
// connection, some MB, within seconds.
const fastRate = 30

// subscribe starts the subscribers' processes; kill ends those that started.
func (s *soak) subscribe(ctx context.Context) (kill func(), err error) {
	var all []*rospeer.Process
	kill = func() {
		for _, p := range all {
			p.Kill()
		}
	}
	var roles []string
	for i := range s.sim.World().Robots {
		for range subscribersPerCamera {
			roles = append(roles, "subscribe", "image", "/"+s.sim.World().Robots[i].Name+"/camera/image_raw")
		}
	}
	// One dies at the first camera, the others that can be bad listen to the second; healthy ones listen to both.
	s.dies = roles[2]
	bad := roles[3*subscribersPerCamera:]
	for _, p := range []struct {
		peer  **rospeer.Process
		name  string
		roles []string
	}{
		{&s.healthy, "healthy", append(append([]string{}, roles[3:3*subscribersPerCamera]...), bad[2*3:]...)},
		{&s.stopped, "stopped", bad[:3]},
		{&s.slow, "slow", []string{"slow", "image", bad[5]}},
	} {
		if *p.peer, err = rospeer.Start(ctx, s.uri, "", "", p.name, p.roles...); err != nil {
			return kill, err
		}
		all = append(all, *p.peer)
	}
	return kill, nil
}

// turn steps for a while with the three that can be bad behaving well or badly.
func (s *soak) turn(ctx context.Context, d time.Duration, bad bool) error {
	delay, factors, cpu := time.Duration(0), &s.factors, &s.cpu
	if bad {
		delay, factors, cpu = slowDelay, &s.badFactors, &s.badCPU
	}
	_, err := s.slow.Ask("delay all %d", delay)
	if err != nil {
		return err
	}
	if bad {
		s.stopped.Signal(syscall.SIGSTOP) // fails if it is over, which asking it will tell
	}
	living := s.live(ctx, bad)
	t, err := timeSteps(ctx, s.sim, d)
	if err = errors.Join(err, living()); err != nil {
		return err
	}
	*factors, *cpu = append(*factors, t.factor), append(*cpu, t.cpu)
	if bad {
		s.stopped.Signal(syscall.SIGCONT)
		if _, err := s.slow.Ask("delay all 0"); err != nil {
			return err
		}
		if _, err := timeSteps(ctx, s.sim, settle); err != nil { // they catch up
			return err
		}
	}
	for _, p := range []struct {
		peer           *rospeer.Process
		lost, received *int64
	}{{s.healthy, &s.lost, &s.received}, {s.stopped, &s.lostByStopped, new(int64)},
		{s.slow, &s.lostBySlow, new(int64)}} {
		a, err := p.peer.Ask("take")
		if err != nil {
			return err
		}
		*p.lost += a.Lost
		*p.received += a.Sent
	}
	return nil
}

// live starts a subscriber and another process, one of which is killed and started anew every second: the other one, so
// that this costs the machine the same, or the subscriber, if it is to be bad. The function that it returns ends both.
func (s *soak) live(ctx context.Context, bad bool) (end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	subscriber, other := []string{"subscribe", "image", s.dies}, []string{}
	if bad {
		subscriber, other = other, subscriber
	}
	var failed error
	var over sync.WaitGroup
	over.Go(func() {
		stays, err := rospeer.Start(ctx, s.uri, "", "", "stays", subscriber...)
		for err == nil && ctx.Err() == nil {
			var dies *rospeer.Process
			if dies, err = rospeer.Start(ctx, s.uri, "", "", "dies", other...); err == nil {
				select {
				case <-ctx.Done():
				case <-time.After(lifeTime):
				}
				dies.Kill()
			}
		}
		if ctx.Err() == nil {
			failed = err
		}
		if stays != nil {
			stays.Kill()
		}
	})
	return func() error {
		cancel()
		over.Wait()
		return failed
	}
}

func (s *soak) into(report *Report) {
	report.compare("x", "soak_real_time_factor", "soak_healthy_real_time_factor", s.badFactors, s.factors)
	report.compare("s/s", "soak_cpu", "soak_healthy_cpu", s.badCPU, s.cpu)
	report.add("soak_lost", float64(s.lost), "messages", int(s.received))
	report.add("soak_lost_by_stopped", float64(s.lostByStopped), "messages", len(s.badFactors))
	report.add("soak_lost_by_slow", float64(s.lostBySlow), "messages", len(s.badFactors))
	s.hostile.into(report, median(s.factors))
}

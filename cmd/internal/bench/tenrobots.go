package bench

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// startTen starts the world ten-robots after the given changes.
func startTen(opts omnipitch.Options, changes ...func(*worlds.World)) (*omnipitch.Sim, error) {
	return startWorld("ten-robots", opts, changes...)
}

// startWorld starts a shipped world after the given changes.
func startWorld(name string, opts omnipitch.Options, changes ...func(*worlds.World)) (*omnipitch.Sim, error) {
	w, err := loadWorld(name, changes...)
	if err != nil {
		return nil, err
	}
	return omnipitch.New(w, opts)
}

// loadWorld loads a shipped world and changes it.
func loadWorld(name string, changes ...func(*worlds.World)) (*worlds.World, error) {
	w, err := worlds.Load(name)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		change(w)
	}
	return w, nil
}

// inTurn returns a change of a world: it sets level and rate of the mirror cameras, and spreads the phases of the
// cameras evenly. The rate must be so low that two cores can render the images of ten robots in real time.
func inTurn(level abstraction.Level, rate float64) func(*worlds.World) {
	return func(w *worlds.World) {
		apart := time.Duration(float64(time.Second) / rate / float64(len(w.Robots)))
		eachSensor(w, func(i int, c *sensors.Config) {
			if c.Kind == sensors.OmniKind {
				c.Level, c.Rate, c.Phase = level, rate, time.Duration(i)*apart
			}
		})
	}
}

// eachSensor calls f with each sensor's configuration and its robot's index.
func eachSensor(w *worlds.World, f func(robot int, c *sensors.Config)) {
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			f(i, &w.Robots[i].Sensors[j])
		}
	}
}

// listen adds a listener to every sensor with the given name, or to every sensor if name is empty. The listeners ignore
// their observations.
func listen(sim *omnipitch.Sim, name string) (err error) {
	eachSensor(sim.World(), func(robot int, c *sensors.Config) {
		if name == "" || c.Name == name {
			_, e := sim.Listen(sim.World().Robots[robot].Name, c.Name,
				omnipitch.Listener{Observe: func(*sensors.Observation) {}})
			err = errors.Join(err, e)
		}
	})
	return err
}

// publish publishes all sensors at a new ROS 1 master, and returns the master's address. The function end closes the
// master and everything else.
func publish(sim *omnipitch.Sim) (uri string, end func(), err error) {
	var opened []func() error
	end = func() {
		for _, f := range slices.Backward(opened) {
			f() // its error does not matter
		}
	}
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		return "", end, err
	}
	opened = append(opened, master.Close)
	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()})
	if err != nil {
		return "", end, err
	}
	opened = append(opened, node.Close)
	bridge, err := robotio.NewBridge(sim, node, robotio.Options{})
	if err == nil {
		opened = append(opened, bridge.Close)
	}
	return master.URI(), end, err
}

// circle lets all robots drive in circles.
func circle(sim *omnipitch.Sim) error {
	for i := range sim.World().Robots {
		if err := sim.Do(&action.Drive{Robot: sim.World().Robots[i].Name, VX: 0.5, Omega: 1.5}); err != nil {
			return err
		}
	}
	return nil
}

// stepTime is the cost of steps.
type stepTime struct {
	factor      float64 // real-time factor
	cpu         float64 // processor seconds per second of sim time
	allocations float64 // objects per step
}

// startCircling starts the world ten-robots after a change, with a listener to every sensor. All robots drive in
// circles.
func startCircling(opts omnipitch.Options, change func(*worlds.World)) (*omnipitch.Sim, error) {
	sim, err := startTen(opts, change)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(circle(sim), listen(sim, "")); err != nil {
		sim.Close()
		return nil, err
	}
	return sim, nil
}

// timeSteps steps a simulation for some wall time, and returns the cost of the steps.
func timeSteps(ctx context.Context, sim *omnipitch.Sim, round time.Duration) (stepTime, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, begun, from, steps := rospeer.CPUTime(), time.Now(), sim.Truth().Time, 0
	for time.Since(begun) < round {
		if ctx.Err() != nil {
			return stepTime{}, errInterrupted
		}
		for range 20 {
			if err := sim.Step(); err != nil {
				return stepTime{}, err
			}
			steps++
		}
	}
	wall, used, simulated := time.Since(begun), rospeer.CPUTime()-cpu, sim.Truth().Time-from
	runtime.ReadMemStats(&after)
	return stepTime{simulated.Seconds() / wall.Seconds(), float64(used) / float64(simulated),
		float64(after.Mallocs-before.Mallocs) / float64(steps)}, nil
}

// timeRounds returns the medians of the costs of steps over a number of rounds, after a warm-up round.
func timeRounds(ctx context.Context, sim *omnipitch.Sim, rounds int, round time.Duration) (stepTime, error) {
	var factors, cpu, allocations []float64
	for n := range rounds + 1 {
		t, err := timeSteps(ctx, sim, round)
		if err != nil {
			return stepTime{}, err
		}
		if n > 0 {
			factors, cpu, allocations = append(factors, t.factor), append(cpu, t.cpu),
				append(allocations, t.allocations)
		}
	}
	return stepTime{median(factors), median(cpu), median(allocations)}, nil
}

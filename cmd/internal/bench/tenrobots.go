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

// startCircling starts a shipped world after the given changes. All robots drive in circles, and the sensors of the
// given names have listeners; without names, all sensors have.
func startCircling(world string, opts omnipitch.Options, names []string,
	changes ...func(*worlds.World)) (*omnipitch.Sim, error) {
	w, err := loadWorld(world, changes...)
	if err != nil {
		return nil, err
	}
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(circle(sim), listen(sim, names...)); err != nil {
		sim.Close()
		return nil, err
	}
	return sim, nil
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

// listen adds a listener to every sensor with one of the given names, or to every sensor without names. The listeners
// ignore their observations.
func listen(sim *omnipitch.Sim, names ...string) (err error) {
	eachSensor(sim.World(), func(robot int, c *sensors.Config) {
		if len(names) == 0 || slices.Contains(names, c.Name) {
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

// stepTimes are the costs of steps in several rounds.
type stepTimes struct {
	factor      []float64 // real-time factor
	cpu         []float64 // processor seconds per second of sim time
	allocations []float64 // objects per step
}

// timeRounds steps simulations alternately, each for some wall time in each round, after a warm-up round.
func timeRounds(ctx context.Context, rounds int, round time.Duration, sims ...*omnipitch.Sim) ([]stepTimes, error) {
	all := make([]stepTimes, len(sims))
	for n := range rounds + 1 {
		for i, sim := range sims {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			cpu, begun, from, steps := rospeer.CPUTime(), time.Now(), sim.Truth().Time, 0
			for ; time.Since(begun) < round; steps += 20 {
				if ctx.Err() != nil {
					return nil, errInterrupted
				}
				for range 20 {
					if err := sim.Step(); err != nil {
						return nil, err
					}
				}
			}
			wall, used, simulated := time.Since(begun), rospeer.CPUTime()-cpu, sim.Truth().Time-from
			runtime.ReadMemStats(&after)
			if t := &all[i]; n > 0 {
				t.factor = append(t.factor, simulated.Seconds()/wall.Seconds())
				t.cpu = append(t.cpu, float64(used)/float64(simulated))
				t.allocations = append(t.allocations, float64(after.Mallocs-before.Mallocs)/float64(steps))
			}
		}
	}
	return all, nil
}

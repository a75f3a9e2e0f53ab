package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// driver commands robots at the beginning of a step; half tells that half of the run is over.
type driver = func(step int, half bool)

// load is a world that takes its time in some way, or one of the user's own.
type load struct {
	name  string
	start func(omnipitch.Options) (*omnipitch.Sim, driver, error)
}

var loadNames = []string{"collisions", "raw", "switch", "stolen", "stopped"}

// loads start worlds that take their time in different ways.
var loads = map[string]func(omnipitch.Options) (*omnipitch.Sim, driver, error){
	"collisions": startCollisions,
	"raw":        startRaw,
	"switch":     startSwitch,
	"stolen":     startCollisions, // with a process that takes a core away now and then
	"stopped":    startCollisions, // with this process stopped for a while
}

// startCollisions lets ten robots run into each other for a second and apart for the next, with no listener to any
// sensor.
func startCollisions(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, err := startTen(opts)
	if err != nil {
		return nil, nil, err
	}
	return sim, intervals.Collide(sim), nil
}

// startRaw renders the mirror cameras of ten robots that drive in circles, at 15 Hz.
func startRaw(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, err := startTen(opts, inTurn(abstraction.Raw, 15))
	if err != nil {
		return nil, nil, err
	}
	return sim, nil, errors.Join(listen(sim, "omni"), circle(sim))
}

// startSwitch does the same until half of the run is over, and then has them at objects.
func startSwitch(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, _, err := startRaw(opts)
	switched := false
	return sim, func(_ int, half bool) {
		if half && !switched {
			switched = true
			for i := range sim.World().Robots {
				// which every omni camera has
				sim.Do(&action.SetLevel{Robot: sim.World().Robots[i].Name, Sensor: "omni", Level: abstraction.Objects})
			}
		}
	}, err
}

// startOwn starts a world of the user's own, with robots that drive in circles and a listener to every sensor.
func startOwn(w *worlds.World) func(omnipitch.Options) (*omnipitch.Sim, driver, error) {
	return func(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
		sim, err := omnipitch.New(w, opts)
		if err != nil {
			return nil, nil, err
		}
		return sim, nil, errors.Join(listen(sim, ""), circle(sim))
	}
}

// timeStopped is how long the load "stopped" stops this process.
const timeStopped = 2 * time.Second

// disturb has other processes do what belongs to a load, and returns how to end them.
func disturb(load string, run time.Duration) (end func(), err error) {
	script := ""
	switch load {
	case "stolen": // a core, for 0.3 s of each 0.8 s, for as long as this process lives
		script = fmt.Sprintf("while :; do :; done & busy=$!; trap 'kill -KILL $busy; exit' TERM; "+
			"while kill -0 %d; do sleep 0.5; kill -CONT $busy; sleep 0.3; kill -STOP $busy; done; kill -KILL $busy",
			os.Getpid())
	case "stopped":
		script = fmt.Sprintf("sleep %.1f; kill -STOP %d; sleep %.1f; kill -CONT %[2]d", run.Seconds()/2, os.Getpid(),
			timeStopped.Seconds())
	default:
		return func() {}, nil
	}
	cmd := exec.Command("sh", "-c", script)
	if err := cmd.Start(); err != nil {
		return func() {}, console.Unavailablef("load %s needs a shell: %w", load, err)
	}
	return func() {
		cmd.Process.Signal(syscall.SIGTERM) // fails if it is over
		cmd.Wait()
	}, nil
}

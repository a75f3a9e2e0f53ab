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

// driver commands robots at the beginning of a step. Its argument half is true in the second half of the run.
type driver = func(step int, half bool)

// load is a world with a characteristic cost of steps, or the user's own world.
type load struct {
	name  string
	start func(omnipitch.Options) (*omnipitch.Sim, driver, error)
}

var loadNames = []string{"collisions", "raw", "switch", "stolen", "stopped"}

// loads are the functions that start the built-in loads.
var loads = map[string]func(omnipitch.Options) (*omnipitch.Sim, driver, error){
	"collisions": startCollisions,
	"raw":        startRaw,
	"switch":     startSwitch,
	"stolen":     startCollisions, // another process occupies a core now and then
	"stopped":    startCollisions, // this process is stopped for a while
}

// startCollisions starts ten robots that run into each other for a second and apart in the next. No sensor has a
// listener.
func startCollisions(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, err := startTen(opts)
	if err != nil {
		return nil, nil, err
	}
	return sim, intervals.Collide(sim), nil
}

// startRaw starts ten robots that drive in circles, and whose mirror cameras' images are rendered at 15 Hz.
func startRaw(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, err := startTen(opts, inTurn(abstraction.Raw, 15))
	if err != nil {
		return nil, nil, err
	}
	return sim, nil, errors.Join(listen(sim, "omni"), circle(sim))
}

// startSwitch starts the same load as startRaw, but in the second half of the run the cameras are at level objects.
func startSwitch(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, _, err := startRaw(opts)
	switched := false
	return sim, func(_ int, half bool) {
		if half && !switched {
			switched = true
			for i := range sim.World().Robots {
				// every omni camera has this level
				sim.Do(&action.SetLevel{Robot: sim.World().Robots[i].Name, Sensor: "omni", Level: abstraction.Objects})
			}
		}
	}, err
}

// startOwn starts the user's world, with robots that drive in circles and a listener to every sensor.
func startOwn(w *worlds.World) func(omnipitch.Options) (*omnipitch.Sim, driver, error) {
	return func(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
		sim, err := omnipitch.New(w, opts)
		if err != nil {
			return nil, nil, err
		}
		return sim, nil, errors.Join(listen(sim, ""), circle(sim))
	}
}

// timeStopped is the wall time for which the load "stopped" stops this process.
const timeStopped = 2 * time.Second

// disturb starts the process that disturbs a load, and returns a function that ends that process.
func disturb(load string, run time.Duration) (end func(), err error) {
	script := ""
	switch load {
	case "stolen": // occupies a core for 0.3 s of each 0.8 s, while this process lives
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
		cmd.Process.Signal(syscall.SIGTERM) // fails if it has ended
		cmd.Wait()
	}, nil
}

package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Timesync measures pacing and forecasts.
type Timesync struct {
	For      time.Duration `default:"6s" help:"Wall time of a run."`
	Loads    []string      `help:"Loads, one after the other: collisions, raw, switch, stolen, stopped; all by default."`
	World    *string       `placeholder:"WORLD" help:"Measure another world instead of the loads: its robots drive in circles, and every sensor has a listener. A path, or the name of a shipped world."`
	Speed    []string      `default:"realtime,0.5,steady,max" help:"Speeds, one after the other."`
	Renderer string        `default:"auto" placeholder:"NAME" help:"Renderer: opengl, tile, raycast or auto. Default: ${default}."`
	JSON     bool          `help:"Print one JSON object."`
	CSV      bool          `name:"csv" help:"Print a line for each load, speed, interval and method, separated by commas."`
	plotFlag
}

// Check validates the flags.
func (c *Timesync) Check() error {
	if c.For < time.Second {
		return fmt.Errorf("--for = %v: must be at least 1s", c.For)
	}
	if _, err := c.speeds(); err != nil {
		return err
	}
	if err := checkRenderer(c.Renderer); err != nil {
		return err
	}
	switch {
	case c.CSV && c.JSON:
		return errors.New("--csv: not with --json")
	case c.World != nil && len(c.Loads) > 0:
		return errors.New("--world: not with --loads")
	case c.World != nil && *c.World == "":
		return errors.New(`--world = "": must name a world`)
	}
	for _, name := range c.Loads {
		if !slices.ContainsFunc(loads, func(l load) bool { return l.name == name }) {
			return fmt.Errorf("--loads = %q: must be among collisions, raw, switch, stolen, stopped", name)
		}
	}
	return nil
}

func (c *Timesync) speeds() (speeds []timesync.Speed, err error) {
	for _, name := range c.Speed {
		s, err := timesync.ParseSpeed(name)
		if err == nil && s == timesync.Lockstep {
			err = errors.New(`speed = "lockstep": has no pace to measure`)
		}
		if err != nil {
			return nil, err
		}
		speeds = append(speeds, s)
	}
	return speeds, nil
}

// Run measures and prints.
func (c *Timesync) Run(ctx context.Context, con console.Streams) error {
	speeds, err := c.speeds()
	if err != nil {
		return err
	}
	if err := c.plotFlag.check(); err != nil {
		return err
	}
	chosen, err := c.loads()
	if err != nil {
		return err
	}
	report, verdicts := newReport("timesync"), verdicts{}
	if err := report.settleRenderer(&c.Renderer); err != nil {
		return err
	}
	rows := csv.NewWriter(con.Out)
	if c.CSV {
		rows.Write(csvHeader) // Flush reports errors
	}
	var plots []experiment.Plot
	for _, l := range chosen {
		for _, speed := range speeds {
			t, err := c.measure(ctx, l, speed)
			if err != nil {
				return err
			}
			t.into(report)
			verdicts.add(t)
			if c.Plot != nil {
				plots = append(plots, t.plots()...)
			}
			switch {
			case c.CSV:
				t.rows(rows)
			case !c.JSON:
				t.print(con.Out)
			}
			fmt.Fprintf(con.Notes(), "%s at %v: measured\n", l.name, speed)
		}
	}
	report.add("clock_resolution", float64(clockResolution()), "ns", 1000)
	if err := c.plotFlag.write(plots); err != nil {
		return err
	}
	switch {
	case c.JSON:
		return report.print(con.Out, true)
	case !c.CSV:
		fmt.Fprintf(con.Out, "\nOn %s\n", report.Machine)
		verdicts.print(con.Out)
	}
	rows.Flush()
	return rows.Error()
}

// timing is one run of a load.
type timing struct {
	*intervals.Run
	load      string
	recovered *recovery // only for the load "stopped"; otherwise nil
}

// measure runs a load at a speed.
func (c *Timesync) measure(ctx context.Context, l load, speed timesync.Speed) (*timing, error) {
	t := &timing{load: l.name}
	if c.World != nil { // the name of the user's world must not select a disturbance
		l.name = ""
	}
	end := func() {}
	defer func() { end() }()
	config := intervals.Config{Speed: speed, For: c.For, Start: func(opts omnipitch.Options) (*omnipitch.Sim,
		func(int, bool), error) {
		opts.Renderer = c.Renderer
		sim, drive, err := l.start(opts)
		if err == nil {
			end, err = disturb(l.name, c.For)
		}
		return sim, drive, err
	}}
	if l.name == "stopped" {
		config.Longest = timeStopped / 2
		config.Began = func(r *intervals.Run, wall time.Duration) {
			if t.recovered == nil {
				t.recovered = &recovery{t: r, client: timesync.NewClient(r.Wall)}
				t.recovered.ticker = t.recovered.client.NewTicker(recoveryPeriod)
			}
			t.recovered.stepBegan(wall)
		}
	}
	var err error
	if t.Run, err = config.Measure(ctx); ctx.Err() != nil {
		err = errInterrupted
	}
	return t, err
}

// loads returns the chosen loads.
func (c *Timesync) loads() (chosen []load, err error) {
	if c.World != nil {
		w, err := worlds.Load(*c.World)
		if err != nil {
			return nil, console.BadInput(err)
		}
		return []load{{w.Name, startOwn(w)}}, nil
	}
	if len(c.Loads) == 0 {
		return loads, nil
	}
	for _, name := range c.Loads {
		chosen = append(chosen, loads[slices.IndexFunc(loads, func(l load) bool { return l.name == name })])
	}
	return chosen, nil
}

// clockResolution returns the smallest difference between two different readings of a running sim clock.
func clockResolution() time.Duration {
	c := timesync.NewClock(timesync.SystemWall(), time.Hour)
	least := time.Duration(math.MaxInt64)
	for last := c.Now(); ; {
		now := c.Now()
		if now != last {
			least = min(least, now-last)
		}
		if last = now; now > time.Millisecond {
			return least
		}
	}
}

// driver commands robots at the beginning of a step. Its argument half is true in the second half of the run.
type driver = func(step int, half bool)

// load is a world with a characteristic cost of steps, or the user's own world.
type load struct {
	name  string
	start func(omnipitch.Options) (*omnipitch.Sim, driver, error)
}

// loads are the built-in loads.
var loads = []load{
	{"collisions", startCollisions},
	{"raw", startRaw},
	{"switch", startSwitch},
	{"stolen", startCollisions},  // another process occupies a core now and then
	{"stopped", startCollisions}, // this process is stopped for a while
}

// startCollisions starts ten robots that drive into each other for one second and apart in the next. No sensor has a
// listener.
func startCollisions(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	w, err := loadWorld("ten-robots")
	if err != nil {
		return nil, nil, err
	}
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		return nil, nil, err
	}
	return sim, intervals.Collide(sim), nil
}

// startRaw starts ten robots that drive in circles, and whose mirror cameras' images are rendered at 15 Hz.
func startRaw(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, err := startCircling("ten-robots", opts, []string{"omni"}, inTurn(abstraction.Raw, 15))
	return sim, nil, err
}

// startSwitch starts the same load as startRaw, but in the second half of the run the cameras are at level objects.
func startSwitch(opts omnipitch.Options) (*omnipitch.Sim, driver, error) {
	sim, _, err := startRaw(opts)
	switched := false
	return sim, func(_ int, half bool) {
		if half && !switched {
			switched = true
			for i := range sim.World().Robots {
				// cannot fail: every omni camera has this level
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
		return sim, nil, errors.Join(listen(sim), circle(sim))
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

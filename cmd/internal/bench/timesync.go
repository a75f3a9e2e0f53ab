package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
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
		if _, ok := loads[name]; !ok {
			return fmt.Errorf("--loads = %q: must be among %s", name, strings.Join(loadNames, ", "))
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
	if err := report.addRenderer(backend.Choose(c.Renderer, nil)); err != nil {
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
	if c.World != nil { // its name must not select a disturbance
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
				t.recovered = newRecovery(r)
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
	names := c.Loads
	if len(names) == 0 {
		names = loadNames
	}
	for _, name := range names {
		chosen = append(chosen, load{name, loads[name]})
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

package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/gl/window"
	"github.com/omnipitch/omnipitch/timesync"
)

type runCmd struct {
	drawing
	accessFlags
	World     string          `arg:"" help:"Name of a shipped world, or a path."`
	For       time.Duration   `help:"Sim time after which the run ends, such as 10s; without it the run ends with Ctrl-C."`
	Speed     *timesync.Speed `help:"realtime, a factor such as 0.5, steady (the highest factor that can be held), max or lockstep; default: the world's."`
	Seed      *uint64         `help:"Seed of all randomness; default: the world's."`
	Level     []string        `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Put a sensor on a level: raw, ideal, objects, truth. * matches any; may be given several times."`
	Out       string          `placeholder:"DIR" help:"Write every frame as PNG and the truth of every step as JSON lines into DIR."`
	ROS1      string          `name:"ros1" enum:"embedded,external,off" default:"embedded" help:"ROS 1 master: embedded, external (at ROS_MASTER_URI) or off. Default: ${default}."`
	Rosbridge string          `placeholder:"ADDR" help:"Serve browsers and other programs over the rosbridge protocol: on (port 9090), off, a port, or an address. Default: off."`
	Foxglove  string          `placeholder:"ADDR" help:"Serve Foxglove over its WebSocket protocol: on (port 8765), off, a port, or an address. Default: off."`
	Listen    string          `placeholder:"ADDR" help:"Address at which robots and tools of other machines are let in, 0.0.0.0 for all of this machine's; without it everything listens on loopback."`
	Window    bool            `help:"Open a window on the world; H there lists its keys."`
	JSON      bool            `name:"json" help:"Print the summary as one JSON object."`
}

func (c *runCmd) Run(ctx context.Context, con console) error {
	w, err := loadWorld(c.World)
	if err != nil {
		return err
	}
	if err := applyLevels(w, c.Level); err != nil {
		return err
	}
	if c.For < 0 {
		return badInput{fmt.Errorf("--for = %v: must not be negative", c.For)}
	}
	if c.Seed != nil {
		w.Seed = *c.Seed
	}
	speed := w.Time.Speed
	if c.Speed != nil {
		speed = *c.Speed
	}
	var view *window.Window
	if c.Window {
		runtime.LockOSThread() // windows belong to one thread
		if view, err = window.Open("omnipitch: "+w.Name, windowWidth, windowHeight); err != nil {
			return lacking{fmt.Errorf("--window: %w", err)}
		}
		defer view.Close()
	}
	sim, err := omnipitch.New(w, c.options())
	if err != nil {
		return err
	}
	defer sim.Close()
	if err := sim.SetSpeed(speed); err != nil {
		return badInput{err}
	}
	if c.ROS1 == "off" && (wanted(c.Rosbridge) || wanted(c.Foxglove)) {
		return badInput{fmt.Errorf("--rosbridge and --foxglove bridge to ROS 1: not with --ros1 off")}
	}
	if c.ROS1 != "off" {
		ros, err := c.serve(con, w, sim)
		if err != nil {
			return err
		}
		defer ros.close()
		defer sim.Close() // before the bridge: it answers calls that wait for a step
		var stop context.CancelCauseFunc
		ctx, stop = ros.watch(ctx)
		defer stop(nil)
	}
	var rec *recorder
	if c.Out != "" {
		if rec, err = newRecorder(sim, c.Out); err != nil {
			return err
		}
	}
	pace := omnipitch.Pace{For: c.For, Speed: speed, Progress: newMeter(con.err, c.For).show}
	pace.Tell = func(text string) { fmt.Fprintf(con.err, "%s: %s\n", w.Name, text) }
	var report *omnipitch.Report
	if view == nil {
		report, err = sim.Run(ctx, pace)
	} else {
		var s *screen
		if s, err = newScreen(sim, view, c.drawing); err == nil {
			defer s.close()
			pace.Paused, pace.Progress = s.lookAnew, s.progress
			report, err = runInWindow(ctx, s, func(ctx context.Context) (*omnipitch.Report, error) { return sim.Run(ctx, pace) })
		}
	}
	if rec != nil {
		if closeErr := rec.close(); err == nil {
			err = closeErr
		}
	}
	if err == nil {
		err = departed(ctx, con, w.Name)
	}
	if err != nil {
		return err
	}
	return printReport(con.out, w, report, c.JSON)
}

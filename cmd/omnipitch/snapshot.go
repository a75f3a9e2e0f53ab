package main

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/timesync"
)

type snapshotCmd struct {
	drawingFlags
	samplingFlags
	World     string        `arg:"" help:"Name of a built-in world, or the path of a world file."`
	At        time.Duration `default:"0s" help:"Sim time of the frames, such as 2s."`
	Out       string        `required:"" placeholder:"DIR" help:"Folder for ROBOT.SENSOR.LEVEL.png and truth.json, a new or empty one."`
	Overwrite bool          `help:"First remove the files that an earlier snapshot or run wrote into DIR. Fails if DIR holds other files."`
	Seed      *uint64       `help:"Seed of all random numbers. Default: the world's seed."`
}

// Check checks the flags without reading any file.
func (c *snapshotCmd) Check() error {
	if c.At < 0 {
		return fmt.Errorf("--at = %v: must not be negative", c.At)
	}
	if c.Out == "" {
		return output.NoFolder("--out")
	}
	return c.samplingFlags.check(c.Renderer)
}

func (c *snapshotCmd) Run(ctx context.Context, con console.Streams) error {
	w, err := loadWorld(ctx, con, c.World, c.Seed)
	if err != nil {
		return err
	}
	if err := output.Check("--out", c.Out, c.Overwrite); err != nil {
		return err
	}
	status := console.NewStatus(con, w.Name)
	defer status.Close()
	sim, err := c.newSim(ctx, w, nil, renderEarly, c.tracing(ctx, status.Set), status.Set)
	if err != nil {
		return err
	}
	defer sim.Close()
	if c.At > 0 {
		status.Set("") // from here on, the meter shows the progress
		meter := console.NewMeter(con, c.At, sim.Clock().Paused)
		_, err := sim.Run(ctx, omnipitch.Pace{For: c.At, Speed: timesync.Max, Progress: meter.Show})
		if meter.Close(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted at %v: nothing was written", sim.Truth().Time)
		}
	}
	out, err := output.Open("--out", c.Out, c.Overwrite)
	if err != nil {
		return err
	}
	err = output.Snapshot(ctx, sim, out, status.Set)
	status.Close()
	c.reportInterrupted(con.Err)
	if err != nil {
		return err
	}
	printRenderer(con.Notes(), sim.Sensors().Renderer())
	return nil
}

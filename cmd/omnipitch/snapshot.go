package main

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
)

type snapshotCmd struct {
	drawing
	World string        `arg:"" help:"Name of a shipped world, or a path."`
	At    time.Duration `default:"0s" help:"Sim time of the frames, such as 2s."`
	Out   string        `required:"" placeholder:"DIR" help:"Folder for ROBOT.SENSOR.LEVEL.png and truth.json; it is made if need be."`
	Seed  *uint64       `help:"Seed of all randomness; default: the world's."`
}

func (c *snapshotCmd) Run(ctx context.Context, con console) error {
	w, err := loadWorld(c.World)
	if err != nil {
		return err
	}
	if c.At < 0 {
		return badInput{fmt.Errorf("--at = %v: must not be negative", c.At)}
	}
	if c.Seed != nil {
		w.Seed = *c.Seed
	}
	sim, err := omnipitch.New(w, c.options())
	if err != nil {
		return err
	}
	defer sim.Close()
	if c.At > 0 {
		pace := omnipitch.Pace{For: c.At, Speed: timesync.Max, Progress: newMeter(con.err, c.At).show}
		if _, err := sim.Run(ctx, pace); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted at %v: nothing was written", sim.Time())
		}
	}
	if err := makeOut(c.Out); err != nil {
		return err
	}
	for _, r := range w.Robots {
		for i := range r.Sensors {
			eyes, ok := sim.Eyes(r.Name, r.Sensors[i].Name)
			if !ok {
				continue
			}
			if err := c.camera(sim, r.Name, eyes); err != nil {
				return err
			}
		}
	}
	if err := writeJSON(c.Out, "labels.json", sim.Labels()); err != nil {
		return err
	}
	return writeJSON(c.Out, "truth.json", truthOf(sim))
}

// camera writes one camera at every level. The levels above pictures become a picture too: what they report, drawn
// over the ideal image.
func (c *snapshotCmd) camera(sim *omnipitch.Sim, robot string, eyes sensors.Eyes) error {
	sensor := eyes.Config().Name
	ideal, err := sim.Capture(robot, sensor, abstraction.Ideal)
	if err != nil {
		return err
	}
	defer ideal.Release()
	for _, level := range eyes.Config().Kind.Levels() {
		o, err := sim.Capture(robot, sensor, level)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s.%s.%s", robot, sensor, level)
		switch {
		case o.Objects != nil:
			err = errors.Join(writeJSON(c.Out, name+".json", objectsOf(o)),
				writePNG(c.Out, name+".png", overlay(ideal.Color, eyes, o.Objects), png.DefaultCompression))
		case o.Features != nil:
			err = errors.Join(writeJSON(c.Out, name+".json", featuresOf(o)),
				writePNG(c.Out, name+".png", featuresOverlay(ideal.Color, o.Features), png.DefaultCompression))
		default:
			err = writePictures(c.Out, name, o, png.DefaultCompression)
		}
		o.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

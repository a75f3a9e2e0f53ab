package main

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

type snapshotCmd struct {
	drawing
	World     string        `arg:"" help:"Name of a shipped world, or a path."`
	At        time.Duration `default:"0s" help:"Sim time of the frames, such as 2s."`
	Out       string        `required:"" placeholder:"DIR" help:"Folder for ROBOT.SENSOR.LEVEL.png and truth.json, a new or an empty one."`
	Overwrite bool          `help:"Remove what an earlier snapshot or run has written into DIR, if nothing else is in it."`
	Seed      *uint64       `help:"Seed of all randomness; default: the world's."`
}

// check judges what the flags say by themselves.
func (c *snapshotCmd) check() error {
	if c.At < 0 {
		return fmt.Errorf("--at = %v: must not be negative", c.At)
	}
	if c.Out == "" {
		return errNoFolder("--out")
	}
	return nil
}

func (c *snapshotCmd) Run(ctx context.Context, con console.Streams) error {
	w, err := exit.Await(ctx, func() (*worlds.World, error) { return loadWorld(c.World) }, func(*worlds.World) {})
	if err != nil {
		return err
	}
	if c.Seed != nil {
		w.Seed = *c.Seed
	}
	if err := checkOut("--out", c.Out, c.Overwrite); err != nil {
		return err
	}
	status := console.NewStatus(con.Err, w.Name)
	defer status.Close()
	opts := c.options()
	opts.Tell = status.Set
	sim, err := exit.Await(ctx, func() (*omnipitch.Sim, error) { return omnipitch.New(w, opts) }, (*omnipitch.Sim).Close)
	if err != nil {
		return err
	}
	defer sim.Close()
	if c.At > 0 {
		status.Set("") // the run tells of itself
		pace := omnipitch.Pace{For: c.At, Speed: timesync.Max, Progress: console.NewMeter(con.Err, c.At).Show}
		if _, err := sim.Run(ctx, pace); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted at %v: nothing was written", sim.Time())
		}
	}
	out, err := openOut("--out", c.Out, c.Overwrite)
	if err != nil {
		return err
	}
	s := snapshot{sim, out, status}
	return errors.Join(out.failed(s.write(ctx)), out.close())
}

// snapshot writes the pictures of one moment.
type snapshot struct {
	sim    *omnipitch.Sim
	out    *outDir
	status *console.Status
}

// write writes every camera at every level, labels, and the truth.
func (s *snapshot) write(ctx context.Context) error {
	type mounted struct {
		robot string
		*sensors.Camera
	}
	var cameras []mounted
	pictures := 0
	for _, r := range s.sim.World().Robots {
		for i := range r.Sensors {
			if camera, ok := s.sim.Camera(r.Name, r.Sensors[i].Name); ok {
				cameras = append(cameras, mounted{r.Name, camera})
				pictures += len(camera.Config().Kind.Levels())
			}
		}
	}
	drawn := 0
	next := func() error {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted after %d of %d pictures", drawn, pictures)
		}
		drawn++
		s.status.Set(fmt.Sprintf("drawing picture %d of %d", drawn, pictures))
		return nil
	}
	for _, c := range cameras {
		if err := s.camera(c.robot, c.Camera, next); err != nil {
			return err
		}
	}
	if err := s.out.writeJSON("labels.json", s.sim.Labels()); err != nil {
		return err
	}
	return s.out.writeJSON("truth.json", truthOf(s.sim))
}

// camera writes one camera at every level, each after next. The levels above pictures become a picture too: what they
// report, drawn over the ideal image.
func (s *snapshot) camera(robot string, camera *sensors.Camera, next func() error) error {
	sensor := camera.Config().Name
	ideal, err := s.sim.Capture(robot, sensor, abstraction.Ideal)
	if err != nil {
		return err
	}
	defer ideal.Release()
	for _, level := range camera.Config().Kind.Levels() {
		if err := next(); err != nil {
			return err
		}
		o, err := s.sim.Capture(robot, sensor, level)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s.%s.%s", robot, sensor, level)
		switch {
		case o.Objects != nil:
			err = errors.Join(s.out.writeJSON(name+".json", objectsOf(o)),
				s.out.writePNG(name+".png", overlay(ideal.Color, camera, o.Objects), png.DefaultCompression))
		case o.Features != nil:
			err = errors.Join(s.out.writeJSON(name+".json", featuresOf(o)),
				s.out.writePNG(name+".png", featuresOverlay(ideal.Color, o.Features), png.DefaultCompression))
		default:
			err = s.out.writePictures(name, o, png.DefaultCompression)
		}
		o.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/export"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
)

// makeFilm writes a film of recorded images, or of what a sensor sees in a replay.
func (c *exportCmd) makeFilm(ctx context.Context, r *recording.Reader, out *aside.File) error {
	var frames export.Frames
	if c.Format == "mp4" {
		mp4, err := export.NewMP4(ctx, out.Partial(), c.Rate)
		if err != nil {
			return console.Unavailable(err)
		}
		defer mp4.Close()
		frames = mp4
	} else {
		w := bufio.NewWriterSize(out, 1<<20)
		frames = flushed{export.NewGIF(w, c.Rate), w}
	}
	if c.Sensor != "" {
		return c.filmSensor(ctx, frames)
	}
	return blamed(export.Pictures(ctx, r, c.selection(), c.filmConfig(), frames))
}

// flushed are frames whose end is written at once.
type flushed struct {
	export.Frames
	w *bufio.Writer
}

func (f flushed) End() error { return errors.Join(f.Frames.End(), f.w.Flush()) }

// filmSensor makes a film of what a sensor sees in a replay.
func (c *exportCmd) filmSensor(ctx context.Context, frames export.Frames) error {
	rec, err := replay.Open(c.File)
	if err != nil {
		return console.BadInput(err)
	}
	defer rec.Close()
	if length := rec.Length(); c.From > length {
		return console.BadInputf("--from = %v: the recording ends at %v", c.From, length)
	}
	cfg := replay.Config{From: c.From}
	if c.For > 0 {
		cfg.Until = c.From + c.For
	}
	if cfg.World, err = (&replayCmd{File: c.File, Sensor: []string{c.Sensor}}).shownWorld(ctx, rec); err != nil {
		return err
	}
	sim, err := console.Await(ctx, func() (*replay.Replay, error) {
		return rec.NewSim(ctx,
			omnipitch.Options{Renderer: c.Renderer}, cfg)
	}, func(x *replay.Replay) { x.Close() })
	if err != nil {
		return err
	}
	defer sim.Close()
	name, _, _ := strings.Cut(c.Sensor, "=")
	robot, sensor, _ := strings.Cut(name, ".")
	if _, ok := sim.Camera(robot, sensor); !ok {
		return console.BadInputf("--sensor %s: must name one camera", c.Sensor)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	film := export.NewFilm(c.filmConfig(), frames)
	var began, last time.Duration // of the world that goes on, in the film's time; of the newest image
	var failed error
	if _, err := sim.Listen(robot, sensor, omnipitch.Listener{Observe: func(o *sensors.Observation) {
		switch {
		case failed != nil:
			return
		case o.Color == nil:
			failed = console.BadInputf("--sensor %s: has no images at level %s", c.Sensor, o.Level)
		default:
			if o.Stamp < last { // the world has begun again
				began += last
			}
			last = o.Stamp
			failed = blamed(film.Show(began+o.Stamp, output.ColorPicture(o.Color)))
		}
		if failed != nil {
			stop(failed)
		}
	}}); err != nil {
		return err
	}
	pace := omnipitch.Pace{For: max(rec.Length()-sim.Now(), rec.World.Time.Step), Speed: timesync.Max}
	if c.For > 0 {
		pace.For = min(pace.For, c.For)
	}
	if _, err := suite.RunUnattended(ctx, sim.Sim, pace, nil); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := film.End(); err != nil {
		return blamed(fmt.Errorf("--sensor %s: %w", c.Sensor, err))
	}
	return nil
}

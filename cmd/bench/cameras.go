package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// cameraLoads are worlds that do little but draw, with robots that drive in circles and a listener to some cameras.
var cameraLoads = []struct {
	name, world string
	cameras     []string // names of those that are listened to
	level       abstraction.Level
}{
	{"ten_omni_cameras_raw", "ten-robots", []string{"omni"}, abstraction.Raw},
	{"ten_front_cameras_ideal", "ten-robots", []string{"front"}, abstraction.Ideal},
	{"nubot_attack_raw", "nubot-attack", []string{"omni", "front", "kinect_left", "kinect_right"}, abstraction.Raw},
}

// measureCameras times the loads.
func (c *Levels) measureCameras(ctx context.Context, report *Report, con console.Streams) error {
	for _, load := range cameraLoads {
		sim, err := startWorld(load.world, omnipitch.Options{Renderer: c.Renderer}, func(w *worlds.World) {
			eachSensor(w, func(_ int, s *sensors.Config) {
				if slices.Contains(load.cameras, s.Name) {
					s.Level = load.level
				}
			})
		})
		if err != nil {
			return err
		}
		err = c.measureLoad(ctx, report, sim, load.name, load.cameras)
		sim.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(con.Err, "%s: measured\n", load.name)
	}
	return nil
}

func (c *Levels) measureLoad(ctx context.Context, report *Report, sim *omnipitch.Sim, name string, cameras []string) error {
	images := 0.0 // a second of sim time
	err := circle(sim)
	eachSensor(sim.World(), func(_ int, s *sensors.Config) {
		if slices.Contains(cameras, s.Name) {
			images += s.Rate
		}
	})
	for _, camera := range cameras {
		err = errors.Join(err, listen(sim, camera))
	}
	if err != nil {
		return err
	}
	t, err := timeRounds(ctx, sim, c.Rounds, c.Round)
	if err != nil {
		return err
	}
	report.add(name+"_real_time_factor", t.factor, "x", c.Rounds)
	report.add(name+"_cpu", t.cpu, "s/s", c.Rounds)
	report.add(name+"_images", images*t.factor, "1/s", c.Rounds)
	return nil
}

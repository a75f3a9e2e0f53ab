package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// cameraLoad is a world and the names of those of its cameras that have listeners, all at one level.
type cameraLoad struct {
	name, world string
	cameras     []string
	level       abstraction.Level
}

// cameraLoads are worlds that spend most of their time on rendering. Robots drive in circles and some cameras have
// listeners.
var cameraLoads = []cameraLoad{
	{"ten_omni_cameras_raw", "ten-robots", []string{"omni"}, abstraction.Raw},
	{"ten_front_cameras_ideal", "ten-robots", []string{"front"}, abstraction.Ideal},
	{"ten_robots_raw", "ten-robots", []string{"omni", "front"}, abstraction.Raw},
	{"nubot_attack_raw", "nubot-attack", []string{"omni", "front", "kinect_left", "kinect_right"}, abstraction.Raw},
}

// measureCameras times the loads alternately in plain and in natural light.
func (c *Levels) measureCameras(ctx context.Context, report *Report, con console.Streams) error {
	for i := range cameraLoads {
		load := &cameraLoads[i]
		if err := c.measureLoad(ctx, report, load); err != nil {
			return err
		}
		fmt.Fprintf(con.Notes(), "%s: measured\n", load.name)
	}
	return nil
}

func (c *Levels) measureLoad(ctx context.Context, report *Report, load *cameraLoad) error {
	plain, images, err := load.start(c.Renderer, worlds.LookPlain)
	if err != nil {
		return err
	}
	defer plain.Close()
	natural, _, err := load.start(c.Renderer, worlds.LookNatural)
	if err != nil {
		return err
	}
	defer natural.Close()
	var factors, cpu [2][]float64 // plain, natural
	for n := range c.Rounds + 1 {
		for i, sim := range []*omnipitch.Sim{plain, natural} {
			t, err := timeSteps(ctx, sim, c.Round)
			if err != nil {
				return err
			}
			if n > 0 { // the first round is a warm-up
				factors[i], cpu[i] = append(factors[i], t.factor), append(cpu[i], t.cpu)
			}
		}
	}
	report.compare("x", "natural_"+load.name+"_real_time_factor", load.name+"_real_time_factor", factors[1], factors[0])
	report.compare("s/s", "natural_"+load.name+"_cpu", load.name+"_cpu", cpu[1], cpu[0])
	report.add(load.name+"_images", images*median(factors[0]), "1/s", c.Rounds)
	return nil
}

// start starts the load's world in plain or natural light, as the argument look says. It returns the simulation and the
// number of images per second of sim time.
func (l *cameraLoad) start(renderer, look string) (*omnipitch.Sim, float64, error) {
	images := 0.0
	sim, err := startWorld(l.world, omnipitch.Options{Renderer: renderer}, func(w *worlds.World) {
		w.Look = look
		eachSensor(w, func(_ int, s *sensors.Config) {
			if slices.Contains(l.cameras, s.Name) {
				s.Level = l.level
				images += s.Rate
			}
		})
	})
	if err != nil {
		return nil, 0, err
	}
	err = circle(sim)
	for _, camera := range l.cameras {
		err = errors.Join(err, listen(sim, camera))
	}
	if err != nil {
		sim.Close()
		return nil, 0, err
	}
	return sim, images, nil
}

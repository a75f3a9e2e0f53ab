package bench

import (
	"context"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

const (
	scanRate = 20  // Hz
	scanRays = 181 // number of rays, over half a turn
)

// measureLasers times ten robots that drive in circles, each with only a laser, on the planar engine.
func (c *Levels) measureLasers(ctx context.Context, report *Report) error {
	sim, err := startLasers()
	if err != nil {
		return err
	}
	defer sim.Close()
	t, err := timeRounds(ctx, sim, c.Rounds, c.Round)
	if err != nil {
		return err
	}
	const name = "laser_10_robots_181_rays"
	report.add(name+"_scans_per_s", scanRate*float64(len(sim.World().Robots))*t.factor, "1/s", c.Rounds)
	report.add(name+"_allocations", t.allocations, "a step", c.Rounds)
	return nil
}

func startLasers() (*omnipitch.Sim, error) {
	return startCircling(omnipitch.Options{}, func(w *worlds.World) {
		w.Physics.Engine = "planar"
		for i := range w.Robots {
			laser := sensors.Config{Name: "laser", Kind: "laser", Level: abstraction.Raw, Rate: scanRate,
				Mount: sensors.Mount{Z: 0.28}}
			laser.Complete()
			laser.Laser.FOV, laser.Laser.Resolution = (scanRays-1)*spatial.Degree, spatial.Degree
			w.Robots[i].Sensors = []sensors.Config{laser}
		}
	})
}

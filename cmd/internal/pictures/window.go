package main

import (
	"path/filepath"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/window"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// windowWorld is an attack with spectators: a scripted player drives, a laser scans, and the ball has just bounced off
// an obstacle.
const windowWorld = `
name = "window"
include = ["spectators"]

[[robot]]
name = "cyan1"
player = { patrol = { way_points = [{ x_m = 2, y_m = -1.5 }, { x_m = 4, y_m = -2.5 }, { x_m = 3, y_m = 2.5 }, { x_m = -1, y_m = 2 }] } }

[[robot.sensor]]
name = "laser"
kind = "laser"
profile = "sick-lms1xx"
mount = { x_m = 0.15, z_m = 0.28 }

[[event]]
at_s = 0
place = { name = "ball", x_m = 3, y_m = 1.5, z_m = 0.3, vx_m_s = 4, vz_m_s = 2.5 }
`

// makeWindow draws the window of run --window, with all overlays, for the README and docs/window.md.
func makeWindow(dir string) error {
	w, err := worlds.Parse("window.toml", []byte(windowWorld))
	if err != nil {
		return err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		return err
	}
	defer sim.Close()
	im, err := window.Still(sim, 960, 720, "LXBVP", 600*time.Millisecond)
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "window.jpg"), colors(&sensors.Observation{Color: im}))
}

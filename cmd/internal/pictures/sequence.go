package main

import (
	"image"
	"image/draw"
	"path/filepath"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
)

// getUpWorld is humanoids-fall, watched by a camera beside the field.
const getUpWorld = `
name = "get-up"
include = ["humanoids-fall"]

[[robot]]
name = "watcher"
model = "humanoid-adult"
team = "magenta"
number = 9
pose = { x_m = 2.4, heading_deg = 180 }

[[robot.sensor]]
name = "eye"
kind = "camera"
mount = { z_m = 1.1, pitch_deg = 18 }
image = { width_px = 640, height_px = 330, fov_deg = 60 }
`

// getUpTimes are the sim times of the images of get-up: two robots are pushed forwards and backwards at 3 s.
var getUpTimes = []time.Duration{3500 * time.Millisecond, 7 * time.Second, 8600 * time.Millisecond, 12 * time.Second}

// makeGetUp draws fallen humanoids that get up, at four moments beside each other, for README.md and docs/humanoids.md.
func makeGetUp(dir string) error {
	sim, err := simOf("get-up", getUpWorld)
	if err != nil {
		return err
	}
	defer sim.Close()
	var all *image.NRGBA
	for i, t := range getUpTimes {
		for sim.Truth().Time < t {
			if err := sim.Step(); err != nil {
				return err
			}
		}
		o, err := sim.Sensors().Capture("watcher", "eye", abstraction.Ideal)
		if err != nil {
			return err
		}
		m := colors(o)
		one := reduced(m, m.Bounds(), 2)
		o.Release()
		size := one.Bounds().Size()
		if all == nil {
			all = image.NewNRGBA(image.Rect(0, 0, size.X*len(getUpTimes), size.Y))
		}
		draw.Draw(all, image.Rect(0, 0, size.X, size.Y).Add(image.Pt(size.X*i, 0)), one, one.Bounds().Min, draw.Src)
	}
	return write(filepath.Join(dir, "get-up.jpg"), all)
}

package main

import (
	"cmp"
	"image"
	"image/draw"
	"path/filepath"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
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

// getUpTimes are the sim times of the images of get-up: all robots are pushed at 3 s.
var getUpTimes = []time.Duration{3500 * time.Millisecond, 7 * time.Second, 8600 * time.Millisecond, 12 * time.Second}

// makeGetUp draws fallen humanoids that get up, at four moments beside each other, for README.md and docs/humanoids.md.
func makeGetUp(dir string) error {
	sim, err := simOf("get-up", getUpWorld)
	if err != nil {
		return err
	}
	defer sim.Close()
	var all []image.Image
	for _, t := range getUpTimes {
		for sim.Truth().Time < t {
			if err := sim.Step(); err != nil {
				return err
			}
		}
		if all, err = addImage(all, sim, "watcher", "eye"); err != nil {
			return err
		}
	}
	return write(filepath.Join(dir, "get-up.jpg"), beside(all))
}

// matchWorld is hsl-refbot with a camera behind a goal.
const matchWorld = `
name = "match"
include = ["hsl-refbot"]

[[robot]]
name = "cyan1"

[[robot.sensor]]
name = "eye"
kind = "camera"
mount = { x_m = -1.5, z_m = 2.6, pitch_deg = 24 }
image = { width_px = 960, height_px = 480, fov_deg = 62 }
`

// makeMatch draws a moment of a match of humanoids from behind a goal, and what two of the players see, for
// docs/refbot.md.
func makeMatch(dir string) error {
	sim, err := simOf("match", matchWorld)
	if err != nil {
		return err
	}
	defer sim.Close()
	var failed error
	players := seat.Humanoids(len(sim.World().Robots))
	if err := seat.Connect(sim, players, func(err error) { failed = cmp.Or(failed, err) }); err != nil {
		return err
	}
	for sim.Truth().Time < matchTime && failed == nil {
		if err := sim.Step(); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	var all []image.Image
	for _, of := range [][2]string{{"cyan1", "eye"}, {"cyan2", "camera"}, {"magenta4", "camera"}} {
		if all, err = addImage(all, sim, of[0], of[1]); err != nil {
			return err
		}
	}
	return write(filepath.Join(dir, "hsl-refbot.jpg"), beside(all))
}

// matchTime is the sim time of the image of makeMatch.
const matchTime = 24 * time.Second

// addImage adds an image of a camera, in half its size.
func addImage(all []image.Image, sim *omnipitch.Sim, robot, sensor string) ([]image.Image, error) {
	o, err := sim.Sensors().Capture(robot, sensor, abstraction.Ideal)
	if err != nil {
		return nil, err
	}
	defer o.Release()
	m := colors(o)
	return append(all, reduced(m, m.Bounds(), 2)), nil
}

// beside returns images of the same height beside each other.
func beside(all []image.Image) image.Image {
	var size image.Point
	for _, m := range all {
		size = image.Pt(size.X+m.Bounds().Dx(), m.Bounds().Dy())
	}
	whole := image.NewNRGBA(image.Rectangle{Max: size})
	x := 0
	for _, m := range all {
		draw.Draw(whole, m.Bounds().Add(image.Pt(x, 0)), m, image.Point{}, draw.Src)
		x += m.Bounds().Dx()
	}
	return whole
}

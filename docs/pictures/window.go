package main

import (
	"path/filepath"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// makeWindow draws what run --window shows of the world spectators, for the README.
func makeWindow(dir string) error {
	w, err := worlds.Load("spectators")
	if err != nil {
		return err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		return err
	}
	defer sim.Close()
	renderer, err := sim.NewRenderer()
	if err != nil {
		return err
	}
	defer renderer.Close()
	var insets []viewer.Inset
	for _, name := range [][2]string{{"cyan1", "omni"}, {"cyan1", "front"}, {"magenta1", "kinect_left"}, {"magenta1", "kinect_right"}} {
		o, err := sim.Capture(name[0], name[1], abstraction.Raw)
		if err != nil {
			return err
		}
		defer o.Release()
		insets = append(insets, viewer.Inset{Name: name[0] + "." + name[1], Picture: o.Color})
	}
	v := viewer.New(nil, nil, nil)
	im := render.NewImage(960, 720)
	poses := sim.Scenery().Poses(sim.Truth(), nil)
	model, pose := v.Camera(im.Width, im.Height, poses)
	frame := render.Batch{PosesWB: poses, Views: []render.View{{Model: model, PoseWC: pose, Color: im}}}
	if err := renderer.Render(&frame); err != nil {
		return err
	}
	v.Write(im, insets, "0.00 s  1.00 x real time")
	return write(filepath.Join(dir, "window.jpg"), colors(&sensors.Observation{Color: im}))
}

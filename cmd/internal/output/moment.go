package output

import (
	"image"
	"image/png"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// Picture is an image with a name.
type Picture struct {
	Name string // "above", or ROBOT.SENSOR
	image.Image
}

// Moment renders the current state of a simulation, with its current light: the field from above, with the areas of the
// world and the names of bodies, and the views of some cameras, named ROBOT.SENSOR. At levels without images, what the
// camera reports is drawn over its ideal image. Moment must be called by the goroutine that steps.
func Moment(sim *omnipitch.Sim, cameras []string) ([]Picture, error) {
	renderer, err := sim.Sensors().NewRenderer()
	if err != nil {
		return nil, err
	}
	defer renderer.Close()
	posesWB := sim.Sensors().Scenery().Poses(sim.Truth(), nil)
	draw := func(v render.View) (*render.Image, error) {
		w, h := v.Model.Size()
		v.Color = render.NewImage(w, h)
		return v.Color, renderer.Render(&render.Batch{PosesWB: posesWB, Shading: sim.Sensors().Scenery().Shading(),
			Views: []render.View{v}})
	}
	view := viewFromAbove(sim)
	field, err := draw(view)
	if err != nil {
		return nil, err
	}
	plan := plan{ColorPicture(field), view.Model, view.PoseWC.Inverse()}
	plan.annotate(sim)
	pictures := []Picture{{"above", plan.m}}
	for number, r := range sim.World().Robots {
		for i := range r.Sensors {
			name := r.Name + "." + r.Sensors[i].Name
			camera, ok := sim.Sensors().Camera(r.Name, r.Sensors[i].Name)
			if !ok || !slices.Contains(cameras, name) {
				continue
			}
			seen, err := cameraPicture(sim, r.Name, camera, func() (*render.Image, error) {
				return draw(camera.View(abstraction.Ideal, &sensors.Instant{Snapshot: sim.Truth(), Robot: number}))
			})
			if err != nil {
				return nil, err
			}
			pictures = append(pictures, Picture{name, seen})
		}
	}
	return pictures, nil
}

// cameraPicture returns the output of a camera at its current level: its image, or what it reports drawn over the ideal
// image.
func cameraPicture(sim *omnipitch.Sim, robot string, camera *sensors.Camera, ideal func() (*render.Image, error)) (
	image.Image, error) {
	sensor := camera.Config().Name
	level, err := sim.Sensors().Level(robot, sensor)
	if err != nil {
		return nil, err
	}
	o, err := sim.Sensors().Capture(robot, sensor, level)
	if err != nil {
		return nil, err
	}
	defer o.Release()
	if o.Color != nil {
		return ColorPicture(o.Color), nil
	}
	m, err := ideal()
	switch {
	case err != nil:
		return nil, err
	case o.Objects != nil:
		return overlay(m, camera, o.Objects), nil
	case o.Features != nil:
		return featuresOverlay(m, o.Features), nil
	}
	return ColorPicture(m), nil // a custom level
}

// WritePicture writes an image as NAME.png and returns the name of the file.
func (o *Folder) WritePicture(name string, m image.Image) (file string, err error) {
	file = name + ".png"
	return file, o.failed(o.writePNG(file, m, png.DefaultCompression))
}

// Remove removes a file that was written into the folder.
func (o *Folder) Remove(file string) error { return o.failed(o.root.Remove(file)) }

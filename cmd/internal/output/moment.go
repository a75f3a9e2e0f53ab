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
	Name string // above, or ROBOT.SENSOR
	image.Image
}

// Moment draws the present state of a simulation, in the light that there is now: the field from above, with the
// world's areas and the names of bodies, and what some cameras (ROBOT.SENSOR) see, at a level without images with what
// they report. It belongs to the goroutine that steps.
func Moment(sim *omnipitch.Sim, cameras []string) ([]Picture, error) {
	renderer, err := sim.NewRenderer()
	if err != nil {
		return nil, err
	}
	defer renderer.Close()
	posesWB := sim.Scenery().Poses(sim.Truth(), nil)
	draw := func(v render.View) (*render.Image, error) {
		w, h := v.Model.Size()
		v.Color = render.NewImage(w, h)
		return v.Color, renderer.Render(&render.Batch{PosesWB: posesWB, Shading: sim.Scenery().Shading(),
			Views: []render.View{v}})
	}
	view := viewFromAbove(sim)
	field, err := draw(view)
	if err != nil {
		return nil, err
	}
	plan := plan{ColorPicture(field), view.Model, view.PoseWC.Inverse()}
	plan.show(sim)
	pictures := []Picture{{"above", plan.m}}
	for number, r := range sim.World().Robots {
		for i := range r.Sensors {
			name := r.Name + "." + r.Sensors[i].Name
			camera, ok := sim.Camera(r.Name, r.Sensors[i].Name)
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

// cameraPicture draws what a camera delivers at the level that it has: its image, or what it reports over the ideal
// one.
func cameraPicture(sim *omnipitch.Sim, robot string, camera *sensors.Camera, ideal func() (*render.Image, error)) (
	image.Image, error) {
	sensor := camera.Config().Name
	level, err := sim.Level(robot, sensor)
	if err != nil {
		return nil, err
	}
	o, err := sim.Capture(robot, sensor, level)
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
	return ColorPicture(m), nil // a level of the user's own
}

// WritePicture writes a picture into the folder, as NAME.png, and returns the file's name.
func (o *Folder) WritePicture(name string, m image.Image) (file string, err error) {
	file = name + ".png"
	return file, o.failed(o.writePNG(file, m, png.DefaultCompression))
}

// Remove removes a file that has been written into the folder.
func (o *Folder) Remove(file string) error { return o.failed(o.root.Remove(file)) }

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

// Moment renders images of the current state of a simulation, with its current light. The first image is a view of the
// field from above, with the areas of the world and the names of bodies. The other images are the views of the given
// cameras, named ROBOT.SENSOR. If the level of a camera has no images, the camera's output is drawn over the image of
// level ideal. Only the goroutine that steps the simulation may call Moment.
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

// cameraPicture returns the output of a camera at its current level as an image. If the level has no images, the output
// is drawn over the image of level ideal, which the function ideal renders.
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
	return ColorPicture(m), nil // a level that a user has defined
}

// WritePicture writes the image m to the file NAME.png and returns the name of the file.
func (o *Folder) WritePicture(name string, m image.Image) (file string, err error) {
	file = name + ".png"
	return file, o.failed(o.writePNG(file, m, png.DefaultCompression))
}

// Remove removes a file that was written into the folder.
func (o *Folder) Remove(file string) error { return o.failed(o.root.Remove(file)) }

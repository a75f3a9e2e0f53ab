package output

import (
	"context"
	"errors"
	"fmt"
	"image/png"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Snapshot writes one frame of every camera at every level, what labels mean, and the truth into a folder, which it closes. It reports the
// images that it draws to status.
func Snapshot(ctx context.Context, sim *omnipitch.Sim, out *Folder, status func(text string)) error {
	s := snapshot{sim, out, status}
	return errors.Join(out.failed(s.write(ctx)), out.Close())
}

type snapshot struct {
	sim    *omnipitch.Sim
	out    *Folder
	status func(text string)
}

func (s *snapshot) write(ctx context.Context) error {
	type mounted struct {
		robot string
		*sensors.Camera
	}
	var cameras []mounted
	pictures := 0
	for _, r := range s.sim.World().Robots {
		for i := range r.Sensors {
			if camera, ok := s.sim.Camera(r.Name, r.Sensors[i].Name); ok {
				cameras = append(cameras, mounted{r.Name, camera})
				pictures += len(camera.Config().Kind.Levels())
			}
		}
	}
	drawn := 0
	next := func() error {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted after %d of %d pictures", drawn, pictures)
		}
		drawn++
		s.status(fmt.Sprintf("drawing picture %d of %d", drawn, pictures))
		return nil
	}
	for _, c := range cameras {
		if err := s.camera(c.robot, c.Camera, next); err != nil {
			return err
		}
	}
	if err := s.out.writeJSON("labels.json", s.sim.Scenery().Labels()); err != nil {
		return err
	}
	return s.out.writeJSON("truth.json", truthOf(s.sim))
}

// camera writes one camera at every level, each after next. The levels without images become an image too: what they
// report, drawn over the ideal image.
func (s *snapshot) camera(robot string, camera *sensors.Camera, next func() error) error {
	sensor := camera.Config().Name
	ideal, err := s.sim.Capture(robot, sensor, abstraction.Ideal)
	if err != nil {
		return err
	}
	defer ideal.Release()
	for _, level := range camera.Config().Kind.Levels() {
		if err := next(); err != nil {
			return err
		}
		o, err := s.sim.Capture(robot, sensor, level)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s.%s.%s", robot, sensor, level)
		switch {
		case o.Objects != nil:
			err = errors.Join(s.out.writeJSON(name+".json", objectsOf(o)),
				s.out.writePNG(name+".png", overlay(ideal.Color, camera, o.Objects), png.DefaultCompression))
		case o.Features != nil:
			err = errors.Join(s.out.writeJSON(name+".json", featuresOf(o)),
				s.out.writePNG(name+".png", featuresOverlay(ideal.Color, o.Features), png.DefaultCompression))
		default:
			err = s.out.writePictures(name, o, png.DefaultCompression)
		}
		o.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

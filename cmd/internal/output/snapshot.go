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

// Snapshot writes into the folder out: one frame of every camera at every level, the meaning of the labels, and the
// ground truth. It then closes the folder. It calls the function status with a text about its progress.
func Snapshot(ctx context.Context, sim *omnipitch.Sim, out *Folder, status func(text string)) error {
	s := snapshot{sim: sim, out: out, status: status}
	return errors.Join(out.failed(s.write(ctx)), out.Close())
}

type snapshot struct {
	sim    *omnipitch.Sim
	out    *Folder
	status func(text string)
	index  index
	frames uint64
}

func (s *snapshot) write(ctx context.Context) error {
	type mounted struct {
		robot int
		*sensors.Camera
	}
	var cameras []mounted
	pictures := 0
	for number, r := range s.sim.World().Robots {
		for i := range r.Sensors {
			if camera, ok := s.sim.Sensors().Camera(r.Name, r.Sensors[i].Name); ok {
				cameras = append(cameras, mounted{number, camera})
				pictures += len(camera.Config().Kind.Levels())
			}
		}
	}
	drawn := 0
	next := func() error {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted after %d of %d images", drawn, pictures)
		}
		drawn++
		s.status(fmt.Sprintf("drawing image %d of %d", drawn, pictures))
		return nil
	}
	var err error
	if s.index, err = s.out.newIndex(); err != nil {
		return err
	}
	defer s.index.file.Close()
	for _, c := range cameras {
		if err = s.writeCamera(c.robot, c.Camera, next); err != nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	// These files are written even after an interruption, because the frames that were written before it are complete.
	return errors.Join(err, s.out.writeCameras(s.sim, nil), s.out.writeJSON("labels.json",
		s.sim.Sensors().Scenery().Labels()),
		s.out.writeJSON("truth.json", truthOf(s.sim)))
}

// writeCamera writes the frames of one camera at every level. number is the index of the robot. The function next is
// called before each frame. A level without images gets an image, too: the output of the camera, drawn over the image
// of level ideal.
func (s *snapshot) writeCamera(number int, camera *sensors.Camera, next func() error) error {
	robot, sensor := s.sim.World().Robots[number].Name, camera.Config().Name
	ideal, err := s.sim.Sensors().Capture(robot, sensor, abstraction.Ideal)
	if err != nil {
		return err
	}
	defer ideal.Release()
	var interrupted error
	for _, level := range camera.Config().Kind.Levels() {
		if err := next(); err != nil {
			interrupted = err
		}
		if interrupted != nil && level != abstraction.Ideal { // the image of level ideal has been written already
			continue
		}
		o := ideal
		if level != abstraction.Ideal {
			if o, err = s.sim.Sensors().Capture(robot, sensor, level); err != nil {
				return err
			}
		}
		name := fmt.Sprintf("%s.%s.%s", robot, sensor, level)
		files := []string{name + ".json", name + ".png"}
		switch {
		case o.Objects != nil:
			err = errors.Join(s.out.writeJSON(name+".json", objectsOf(o)),
				s.out.writePNG(name+".png", overlay(ideal.Color, camera, o.Objects), png.DefaultCompression))
		case o.Features != nil:
			err = errors.Join(s.out.writeJSON(name+".json", featuresOf(o)),
				s.out.writePNG(name+".png", featuresOverlay(ideal.Color, o.Features), png.DefaultCompression))
		default:
			files, err = s.out.writePictures(name, o, png.DefaultCompression)
		}
		if err == nil {
			x, now := indexOf(s.sim, o, 1), s.sim.Truth()
			x.File, x.Beside, x.Truth = files[0], files[1:], &truthRefJSON{File: "truth.json", Step: now.Step}
			x.setPoses(o, now.Robots[number].PoseWB)
			err = s.index.add(s.frames, x)
			s.frames++
		}
		if o != ideal {
			o.Release()
		}
		if err != nil {
			return err
		}
	}
	return interrupted
}

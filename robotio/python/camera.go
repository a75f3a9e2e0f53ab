package python

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// cameraOf returns a camera ROBOT.SENSOR.
func (s *simulation) cameraOf(name string) (*sensors.Camera, error) {
	robot, sensor, _ := strings.Cut(name, ".")
	if camera, ok := s.sim.Sensors().Camera(robot, sensor); ok {
		return camera, nil
	}
	return nil, inputError{fmt.Errorf("%q: is no camera of %s", name, s.sim.World().Name)}
}

// picture draws a picture for a person.
func (s *server) picture(one *simulation, name string, a *reply) error {
	if s.hooks.Picture == nil {
		return inputError{errors.New("this program draws no pictures")}
	}
	if name != "" {
		if _, err := one.cameraOf(name); err != nil {
			return err
		}
	}
	file, err := s.hooks.Picture(one.sim, name)
	if err == nil {
		a.Result, err = json.Marshal(file)
	}
	return err
}

// rays writes the rays of all pixels of a camera, see optics.RayMap, into memory that stays.
func (s *simulation) rays(name string, m *memory, a *reply) error {
	camera, err := s.cameraOf(name)
	if err != nil {
		return err
	}
	r := optics.NewRayMap(camera.Model())
	pixels := []Pixels{PixelsOf("directions", r.Dir, r.Height, r.Width, 3)}
	if r.Origin != nil {
		pixels = append(pixels, PixelsOf("origins", r.Origin, r.Height, r.Width, 3))
	}
	for i := range pixels {
		p := &pixels[i]
		at, err := m.allocate(len(p.data))
		if err != nil {
			return err
		}
		p.At = at
		copy(m.data[at:], p.data)
	}
	a.Pixels = pixels
	return nil
}

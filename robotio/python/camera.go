package python

import (
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
func (c *call) picture(s *simulation) error {
	if c.hooks.Picture == nil {
		return inputError{errors.New("this program draws no pictures")}
	}
	name := c.request.Name
	if name != "" {
		if _, err := s.cameraOf(name); err != nil {
			return err
		}
	}
	file, err := c.hooks.Picture(s.sim, name)
	return c.setResult(file, err)
}

// rays writes the rays of all pixels of a camera, see optics.RayMap, into memory that stays.
func (c *call) rays(s *simulation) error {
	camera, err := s.cameraOf(c.request.Name)
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
		at, err := c.memory.allocate(len(p.data))
		if err != nil {
			return err
		}
		p.At = at
		copy(c.memory.data[at:], p.data)
	}
	c.reply.Pixels = pixels
	return nil
}

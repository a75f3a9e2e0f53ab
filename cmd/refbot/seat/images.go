package seat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Images are what players by images need: the vision of each robot, in the order of the robots.
type Images struct {
	Sights []*node.Sight
	// Heads are, for robots with a camera in the head, the colour tables of these cameras, instead of Sights; nil for a
	// robot that plays by perceptions
	Heads []*vision.ColorTable
	Cache *omnipitch.Cache // shared with other simulations; may be nil
}

// PlayByImages is like Play, but the players see by raw images, as with refbot --by-images. Each robot with a Sight
// needs a sensor of each kind in imageSensors, at level raw.
func PlayByImages(ctx context.Context, w *worlds.World, span time.Duration, players []*soccer.Player, by Images,
	watch func(*omnipitch.Sim)) (*omnipitch.Report, error) {
	for i, p := range players {
		if by.Heads == nil || by.Heads[i] != nil {
			p.PlayByImages()
		}
	}
	return play(ctx, w, span, players, by, watch)
}

// imageSensors are the kinds of sensors of a robot that plays by images.
var imageSensors = [...]sensors.Kind{sensors.OmniKind, sensors.CameraKind, "odometry", "compass", "arms"}

// CheckImages returns an error if a robot of the world lacks a sensor to play by images.
func CheckImages(w *worlds.World) (err error) {
	for i := range w.Robots {
		for _, kind := range imageSensors {
			if firstRaw(&w.Robots[i], kind) == nil {
				err = errors.Join(err, fmt.Errorf("robot[%d].sensor: must have one of kind %s at level raw", i, kind))
			}
		}
	}
	return err
}

// firstRaw returns a robot's first sensor of a kind at level raw, or nil if there is none.
func firstRaw(r *worlds.Robot, kind sensors.Kind) *sensors.Config {
	for i := range r.Sensors {
		if c := &r.Sensors[i]; c.Kind == kind && c.Level == abstraction.Raw {
			return c
		}
	}
	return nil
}

// see connects the player to the robot's own vision.
func (s *seat) see(sight *node.Sight, r *worlds.Robot) (err error) {
	for k, handle := range [len(imageSensors)]func(*sensors.Observation){
		func(o *sensors.Observation) {
			sight.Game(s.game())
			s.answer(sight.Perception(o.Stamp, o.Color.Pix))
		},
		func(o *sensors.Observation) { sight.Front(o.Stamp, o.Color.Pix) },
		func(o *sensors.Observation) {
			m := o.Reading.(*sensors.OdometryReading)
			sight.Odometry(o.Stamp, floorPose(m.PoseOB), pitch.Vec{m.TwistB.VX, m.TwistB.VY}, m.TwistB.Omega)
		},
		func(o *sensors.Observation) { sight.Compass(float64(o.Reading.(*sensors.CompassReading).Heading)) },
		func(o *sensors.Observation) {
			m := o.Reading.(*sensors.ArmsReading)
			sight.Levers(m.Pressed[:]...)
		},
	} {
		c := firstRaw(r, imageSensors[k])
		if c == nil {
			return CheckImages(s.sim.World())
		}
		if err = listenRaw(s.sim, r.Name, c.Name, handle); err != nil {
			return err
		}
	}
	return nil
}

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
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Images are what players by images need: the vision of each robot, in the order of the robots.
type Images struct {
	Sights []*node.Sight
	Cache  *omnipitch.Cache // shared with other simulations; may be nil
}

// PlayByImages is like Play, but the players see by raw images, as with refbot --by-images. Each robot needs a sensor
// of each kind in imageSensors, at level raw.
func PlayByImages(ctx context.Context, w *worlds.World, span time.Duration, players []*soccer.Player, by Images,
	watch func(*omnipitch.Sim)) (*omnipitch.Report, error) {
	for _, p := range players {
		p.PlayByImages()
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
			g := s.sim.Match().Game()
			sight.Game(&msg.Game{Phase: string(g.Phase), Half: string(g.Half), SetPiece: string(g.SetPiece),
				Team: string(g.Team), Cyan: uint32(g.Score.Cyan), Magenta: uint32(g.Score.Magenta)})
			s.answer(sight.Perception(o.Stamp, o.Color.Pix))
		},
		func(o *sensors.Observation) { sight.Front(o.Stamp, o.Color.Pix) },
		func(o *sensors.Observation) {
			m := o.Reading.(*sensors.OdometryReading)
			p := &m.PoseOB
			sight.Odometry(o.Stamp, locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()},
				pitch.Vec{m.TwistB.VX, m.TwistB.VY}, m.TwistB.Omega)
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
		_, err = s.sim.Listen(r.Name, c.Name, omnipitch.Listener{
			Wants:   func(level abstraction.Level) bool { return level == abstraction.Raw },
			Observe: handle,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

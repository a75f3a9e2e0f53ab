// Package seat connects refbot's players to a simulation in the same process. They exchange the messages of profile
// refbot by function calls, without ROS. A match ends in the same state as over ROS, in half the time. Players can also
// play by raw images.
package seat

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// profile is the profile whose messages players exchange.
const profile = "refbot"

// Check returns an error if a robot of the world does not have profile refbot. Players can play only for robots with
// this profile.
func Check(w *worlds.World) error {
	for i := range w.Robots {
		if !slices.Contains(mapping.ProfilesOf(&w.Robots[i]), profile) {
			return fmt.Errorf("robot[%d].ros1: profiles: must have %s", i, profile)
		}
	}
	return nil
}

// Play runs a world with one player per robot, in the order of the robots. If watch is not nil, Play calls it with the
// simulation before the simulation starts.
func Play(ctx context.Context, w *worlds.World, span time.Duration, players []*soccer.Player,
	watch func(*omnipitch.Sim)) (*omnipitch.Report, error) {
	return play(ctx, w, span, players, Images{}, watch)
}

func play(ctx context.Context, w *worlds.World, span time.Duration, players []*soccer.Player, by Images,
	watch func(*omnipitch.Sim)) (*omnipitch.Report, error) {
	if err := Check(w); err != nil {
		return nil, err
	}
	w.Time.WaitFor, w.Time.Speed = nil, timesync.Max // players answer during the step
	// several simulations may run at once
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: by.Cache})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if err := connect(sim, players, by, fail); err != nil {
		return nil, err
	}
	if watch != nil {
		watch(sim)
	}
	report, err := sim.Run(ctx, omnipitch.Pace{For: span, Speed: timesync.Max})
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	return report, err
}

// Humanoids returns players on legs that play by radio, for n robots.
func Humanoids(n int) (all []*soccer.Player) {
	for range n {
		p := soccer.NewPlayer(soccer.ByRadio)
		p.PlayOnLegs()
		all = append(all, p)
	}
	return all
}

// Connect connects one player per robot to a simulation of a world that passes Check, before the first step. It calls
// fail with the first error of a player.
func Connect(sim *omnipitch.Sim, players []*soccer.Player, fail func(error)) error {
	return connect(sim, players, Images{}, fail)
}

func connect(sim *omnipitch.Sim, players []*soccer.Player, by Images, fail func(error)) error {
	w := sim.World()
	profiles, err := mapping.CompileAll(w, msg.ROS1, "")
	if err != nil {
		return err
	}
	for i := range w.Robots {
		s := seat{sim: sim, name: w.Robots[i].Name, talks: w.Robots[i].Radio != nil, player: players[i], fail: fail}
		err := s.connect(profiles[profile], i)
		switch {
		case err != nil:
		case by.Heads != nil && by.Heads[i] != nil:
			err = s.seeByHead(i, by.Heads[i])
		case by.Sights != nil:
			err = s.see(by.Sights[i], &w.Robots[i])
		default:
			err = s.listen(profiles[profile])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seat connects one player to a simulation.
type seat struct {
	sim    *omnipitch.Sim
	name   string
	camera string // the camera that perceptions are from
	talks  bool   // the robot has a radio
	player *soccer.Player
	fail   func(error)

	perception, command mapping.Instance
	counted             *physics.PlanarTwist // newest velocity by a humanoid's odometry; nil if perceptions contain it
	percepts            *msg.Codec[msg.Perception]
	commands            *msg.Codec[msg.RobotCommand]
	frame               msg.Perception
	in, out             []byte
}

// connect prepares the player's commands and radio.
func (s *seat) connect(p *mapping.Compiled, robot int) error {
	c := p.NewContext(s.sim.World(), robot)
	c.BodyName, c.Camera, c.Match, c.Truth = s.sim.Sensors().Scenery().BodyName, s.sim.Sensors().Camera,
		s.sim.Match(), s.sim.Truth()
	s.command = mapping.Instances(p.Subscriptions, c)[0]
	var err error
	if s.commands, err = msg.Compile[msg.RobotCommand](s.command.Topic); err != nil {
		return err
	}
	if !s.talks {
		return nil
	}
	return s.sim.Match().OnRadio(s.name, func(_ string, m *radio.Message) { s.player.Hear(m.Sent, m.Data) })
}

// listen connects the player to the perceptions of profile refbot.
func (s *seat) listen(p *mapping.Compiled) (err error) {
	s.perception = mapping.Instances(p.Publications, s.command.Context)[0]
	if s.percepts, err = msg.Compile[msg.Perception](s.perception.Topic); err != nil {
		return err
	}
	camera := s.perception.Context.Sensor
	s.camera = camera.Name
	if !s.perception.FedAt(camera.Level) {
		return fmt.Errorf("robot %s: sensor %s: level = %q: must be objects or truth", s.name, camera.Name,
			camera.Level)
	}
	if _, _, legs := s.player.Look(); legs {
		if err := s.count(); err != nil {
			return err
		}
	}
	_, err = s.sim.Listen(s.name, s.camera, omnipitch.Listener{
		Wants:   func(level abstraction.Level) bool { return s.perception.FedAt(level) },
		Observe: func(o *sensors.Observation) { s.perceive(o) },
	})
	return err
}

// count follows the velocity by a humanoid's odometry.
func (s *seat) count() error {
	s.counted = &physics.PlanarTwist{}
	c := firstRaw(s.command.Context.Robot, "odometry")
	if c == nil {
		return fmt.Errorf("robot %s: must have a sensor of kind odometry at level raw", s.name)
	}
	_, err := s.sim.Listen(s.name, c.Name, omnipitch.Listener{
		Wants:   func(level abstraction.Level) bool { return level == abstraction.Raw },
		Observe: func(o *sensors.Observation) { *s.counted = o.Reading.(*sensors.OdometryReading).TwistB },
	})
	return err
}

// posted receives the result of an action that takes effect after the step.
func (s *seat) posted(err error) {
	if err != nil {
		s.fail(err)
	}
}

// perceive passes an observation to the player as a perception.
func (s *seat) perceive(o *sensors.Observation) {
	c := &s.perception.Context
	c.Truth = s.sim.Truth()
	c.Observe(o)
	s.in = s.perception.Template.Append(s.in[:0], c)
	c.FreeBlobs()
	c.Observation = nil
	if err := s.percepts.Decode(s.in, &s.frame); err != nil {
		s.fail(err)
		return
	}
	s.answer(&s.frame)
}

// answer passes a perception to the player and applies its command.
func (s *seat) answer(p *msg.Perception) {
	if s.counted != nil {
		p.VX, p.VY, p.Omega = s.counted.VX, s.counted.VY, s.counted.Omega
	}
	answer := s.player.Decide(p)
	s.out = s.commands.Append(s.out[:0], &answer)
	actions, err := s.command.Actions.Read(&s.command.Context, s.out)
	if err == nil {
		err = s.sim.Do(actions...)
	}
	if pan, tilt, ok := s.player.Look(); err == nil && ok {
		err = s.sim.Post(s.posted, &action.AimHead{Robot: s.name, Sensor: s.camera, Pan: pan, Tilt: tilt})
	}
	if data := s.player.Tell(); err == nil && data != nil && s.talks {
		err = s.sim.Match().Send(s.name, "", data)
	}
	if err != nil {
		s.fail(err)
	}
}

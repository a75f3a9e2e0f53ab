package player

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// ptz adds a device for each camera with a head. Player's tilt is positive upwards.
func (p *port) ptz() {
	for _, cfg := range p.cameras() {
		if cfg.Head == nil {
			continue
		}
		d := p.add(ptzInterface, cfg.Name)
		d.commands[1] = func(in *reader) ([]action.Action, error) {
			pan, tilt := in.float(), in.float()
			in.float() // the camera has no zoom
			in.float() // nor variable speeds
			in.float()
			return []action.Action{&action.AimHead{Robot: p.robot.Name, Sensor: cfg.Name, Pan: pan, Tilt: -tilt}}, nil
		}
		d.set(2, func(in *reader) error {
			if in.uint() != 1 || in.bad {
				return fmt.Errorf("the head has position control only: mode must be 1")
			}
			return nil
		})
		d.static(4, geometry(cfg.Mount.Pose()))
		d.every(func(truth *physics.Snapshot) {
			camera, ok := p.server.sim.Sensors().Camera(p.robot.Name, cfg.Name)
			if !ok || camera.Head() == nil {
				return
			}
			pan, tilt := camera.Head().Angles()
			panRate, tiltRate := camera.Head().Rates()
			m := d.data(1, truth.Time)
			for _, v := range [...]float64{pan, 0 - tilt, cfg.Image.FOV, panRate, 0 - tiltRate} {
				m.b = appendFloat(m.b, v)
			}
			m.b = appendInt(m.b, 0) // status
			d.send(m)
		})
	}
}

// States of a gripper.
const (
	gripperOpen   = 1
	gripperClosed = 2
)

// gripper adds a device for the dribbler: to close the gripper switches the dribbler on. The gripper is closed, and its
// beam interrupted, while the robot holds the ball.
func (p *port) gripper() {
	spec := p.robot.Dribbler
	if spec == nil {
		return
	}
	d := p.add(gripperInterface, "dribbler")
	dribble := func(on bool) command {
		return func(*reader) ([]action.Action, error) {
			return []action.Action{&action.Dribble{Robot: p.robot.Name, Enable: on}}, nil
		}
	}
	d.commands[1], d.commands[2] = dribble(false), dribble(true)
	width := 2 * spec.Hold * math.Sin(min(spec.MaxAngle, math.Pi/2))
	place := spatial.Planar(spec.Hold, 0, 0)
	d.static(1, appendInts(appendDoubles(geometry(place, width, spec.Reach, 0), width, spec.Reach, 0), 1, 0))
	d.every(func(truth *physics.Snapshot) {
		state, beam := gripperOpen, 0
		if truth.Ball.HeldBy == p.index {
			state, beam = gripperClosed, 1
		}
		m := d.data(1, truth.Time)
		m.b = appendInts(m.b, state, beam, 0)
		d.send(m)
	})
}

// Actuators of the kicker.
const (
	flatKick = iota
	lobKick
	kickActuators
)

// kicker adds a device of the interface actarray with two linear actuators: one for flat kicks, one for lobs. The speed
// of the ball is the speed that a command gives to an actuator.
func (p *port) kicker() {
	spec := p.robot.Kicker
	if spec == nil {
		return
	}
	d := p.add(actarrayInterface, "kicker")
	d.commands[3] = func(in *reader) ([]action.Action, error) {
		joint, speed := in.int(), in.float()
		kick := &action.Kick{Robot: p.robot.Name}
		kick.SetDefaults()
		switch joint {
		case flatKick:
			kick.Way, kick.Speed = "flat", speed
		case lobKick:
			kick.Way, kick.LobSpeed = "lob", speed
		default:
			return nil, fmt.Errorf("joint = %d: must be %d, a flat kick, or %d, a lob", joint, flatKick, lobKick)
		}
		return []action.Action{kick}, nil
	}
	const linear, idle = 1, 1
	b := appendCount(nil, kickActuators)
	for range kickActuators {
		b = appendFloat(appendInt(b, linear), 0)
		b = appendDoubles(b, 0, 0, 0, 1, 0, 0) // orientation, and the axis x
		for _, v := range []float64{0, 0, 0, 0, spec.MaxSpeed} {
			b = appendFloat(b, v) // range and home, and the highest speed
		}
		b = appendInt(b, 0) // no brakes
	}
	d.static(3, appendDoubles(b, 0, 0, 0, 0, 0, 0))
	d.every(func(truth *physics.Snapshot) {
		m := d.data(1, truth.Time)
		m.b = appendCount(m.b, kickActuators)
		for range kickActuators {
			m.b = appendInts(m.b, 0, 0, 0, 0, idle) // the floats position, speed, acceleration and current are 0
		}
		m.b = appendInt(m.b, 1) // the motors are on
		d.send(m)
	})
}

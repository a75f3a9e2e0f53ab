package mapping

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// argument is one of what a verb takes: a number, or a text.
type argument struct {
	given  bool
	number float64
	text   string
}

// parameter says what a verb takes.
type parameter struct {
	name string
	dim  dimension
	text bool
}

// Simulation is what quantities and actions need of a simulation that runs.
type Simulation interface {
	BodyName(physics.BodyID) string
	Camera(robot, sensor string) (*sensors.Camera, bool)
	Do(actions ...action.Action) error
	After(d time.Duration, f func(due time.Duration)) (stop func())
}

// verb is something that a message can have done. One of change and act is set.
type verb struct {
	parameters []parameter
	who        string // robot, camera, or world: who can do it
	// change changes a robot's command, and tells whether that takes a step.
	change func(c *physics.Command, a []argument) (step bool, err error)
	act    func(o *Context, a []argument) error
}

const actorCamera = "camera"

// actorOf says whose verbs count for a subscription.
func actorOf(from string) string {
	if from == fromRobot || from == fromWorld {
		return from
	}
	return actorCamera
}

var verbs = map[string]verb{
	"drive": {who: fromRobot, change: drive, parameters: []parameter{
		{name: "vx", dim: length}, {name: "vy", dim: length}, {name: "omega", dim: angle}, {name: "stop"},
	}},
	"dribble": {who: fromRobot, change: dribble, parameters: []parameter{{name: "enable"}}},
	"kick": {who: fromRobot, change: kick, parameters: []parameter{
		{name: "way", text: true}, {name: "speed", dim: length}, {name: "lob_speed", dim: length},
		{name: "limit", dim: length}, {name: "now"},
	}},
	"extend":   {who: fromRobot, change: extend, parameters: []parameter{{name: "to", text: true}}},
	"send_off": {who: fromRobot, act: sendOff, parameters: []parameter{{name: "number"}, {name: "team", text: true}, {name: "back"}}},
	"level":    {who: fromRobot, act: setLevel, parameters: []parameter{{name: "sensor", text: true}, {name: "level", text: true}}},
	"aim":      {who: actorCamera, act: aim, parameters: []parameter{{name: "pan", dim: angle}, {name: "tilt", dim: angle}}},
	"gaze":     {who: actorCamera, act: gaze, parameters: []parameter{{name: "mode", text: true}}},
	"look_at": {who: actorCamera, act: lookAt, parameters: []parameter{
		{name: "x", dim: length}, {name: "y", dim: length}, {name: "z", dim: length},
	}},
	"place": {who: fromWorld, act: place, parameters: []parameter{
		{name: "name", text: true}, {name: "x", dim: length}, {name: "y", dim: length}, {name: "z", dim: length},
		{name: "qx"}, {name: "qy"}, {name: "qz"}, {name: "qw"},
		{name: "vx", dim: length}, {name: "vy", dim: length}, {name: "vz", dim: length},
		{name: "wx", dim: angle}, {name: "wy", dim: angle}, {name: "wz", dim: angle},
	}},
}

func drive(c *physics.Command, a []argument) (bool, error) {
	c.TwistB = physics.PlanarTwist{VX: a[0].number, VY: a[1].number, Omega: a[2].number}
	if a[3].number != 0 {
		c.TwistB = physics.PlanarTwist{}
	}
	return true, nil
}

func dribble(c *physics.Command, a []argument) (bool, error) {
	c.Dribble = a[0].number != 0
	return true, nil
}

func kick(c *physics.Command, a []argument) (bool, error) {
	if now := a[4]; now.given && now.number == 0 {
		return false, nil
	}
	switch a[0].text {
	case "none":
		return false, nil
	case "flat":
		speed := max(a[1].number, 0)
		if limit := a[3]; limit.given {
			speed = min(speed, limit.number)
		}
		c.Kick = physics.Kick{Mode: physics.FlatKick, Speed: speed}
		return true, nil
	case "lob":
		c.Kick = physics.Kick{Mode: physics.LobKick, Speed: a[2].number} // 0 aims at the goal
		return true, nil
	}
	return false, fmt.Errorf("kick: way = %q: must be flat, lob or none", a[0].text)
}

func setLevel(o *Context, a []argument) error {
	return o.Sim.Do(&action.SetLevel{Robot: o.Robot.Name, Sensor: a[0].text, Level: abstraction.Level(a[1].text)})
}

// later has an action done by the goroutine that steps, at the end of the next step.
func (o *Context) later(a action.Action) error {
	if err := action.Check(a); err != nil {
		return err
	}
	o.Sim.After(0, func(time.Duration) {
		if err := o.Sim.Do(a); err != nil {
			o.Refused(err)
		}
	})
	return nil
}

func aim(o *Context, a []argument) error {
	return o.later(&action.AimHead{Robot: o.Robot.Name, Sensor: o.Sensor.Name, Pan: a[0].number, Tilt: a[1].number})
}

func gaze(o *Context, a []argument) error {
	return o.later(&action.SetHeadMode{Robot: o.Robot.Name, Sensor: o.Sensor.Name, Mode: sensors.HeadMode(a[0].text)})
}

func lookAt(o *Context, a []argument) error {
	return o.later(&action.LookAt{Robot: o.Robot.Name, Sensor: o.Sensor.Name, X: a[0].number, Y: a[1].number, Z: a[2].number})
}

func place(o *Context, a []argument) error {
	name := a[0].text
	for thing, other := range o.names {
		if other == name {
			name = thing
		}
	}
	return o.later(&action.Place{
		Name: name, X: a[1].number, Y: a[2].number, Z: a[3].number, QX: a[4].number, QY: a[5].number, QZ: a[6].number, QW: a[7].number,
		VX: a[8].number, VY: a[9].number, VZ: a[10].number, WX: a[11].number, WY: a[12].number, WZ: a[13].number,
	})
}

func sendOff(o *Context, a []argument) error {
	return o.later(&action.SendOff{Robot: o.Robot.Name, Number: int(a[0].number), Team: physics.Team(a[1].text), Back: int(a[2].number)})
}

func extend(c *physics.Command, a []argument) (bool, error) {
	e := &action.Extend{To: a[0].text}
	return e.Change(c), nil
}

package mapping

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
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
	SetLevel(robot, sensor string, level abstraction.Level) error
	After(d time.Duration, f func(due time.Duration)) (stop func())
	Aim(robot, sensor string, pan, tilt float64) error
	Gaze(robot, sensor string, g sensors.HeadCommand) error
	Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error
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

func extend(c *physics.Command, a []argument) (bool, error) {
	to, ok := worlds.Extension(a[0].text)
	if !ok {
		return false, fmt.Errorf("extend: to = %q: must be in, left, right or up", a[0].text)
	}
	c.Extend = to
	return true, nil
}

func setLevel(o *Context, a []argument) error {
	return o.Sim.SetLevel(o.Robot.Name, a[0].text, abstraction.Level(a[1].text))
}

// soon has f done by the goroutine that steps, at the end of the next step.
func (o *Context) soon(f func() error) error {
	o.Sim.After(0, func(time.Duration) {
		if err := f(); err != nil {
			o.Refused(err)
		}
	})
	return nil
}

func aim(o *Context, a []argument) error {
	pan, tilt := a[0].number, a[1].number
	return o.soon(func() error { return o.Sim.Aim(o.Robot.Name, o.Sensor.Name, pan, tilt) })
}

func (o *Context) gaze(g sensors.HeadCommand) error {
	return o.soon(func() error { return o.Sim.Gaze(o.Robot.Name, o.Sensor.Name, g) })
}

func gaze(o *Context, a []argument) error {
	return o.gaze(sensors.HeadCommand{Mode: sensors.HeadMode(a[0].text)})
}

func lookAt(o *Context, a []argument) error {
	return o.gaze(sensors.HeadCommand{Mode: sensors.HeadAt, PointB: mgl64.Vec3{a[0].number, a[1].number, a[2].number}})
}

// farthest bounds where a thing can be put, metres from the field's centre: as a world file does.
const farthest = 50

func place(o *Context, a []argument) error {
	name := a[0].text
	for thing, other := range o.names {
		if other == name {
			name = thing
		}
	}
	pos := mgl64.Vec3{a[1].number, a[2].number, a[3].number}
	rot := mgl64.Quat{V: mgl64.Vec3{a[4].number, a[5].number, a[6].number}, W: a[7].number}
	twist := spatial.Twist{Lin: mgl64.Vec3{a[8].number, a[9].number, a[10].number}, Ang: mgl64.Vec3{a[11].number, a[12].number, a[13].number}}
	if !(rot.Len() > 1e-6) { // of a message that leaves the orientation out
		rot = mgl64.QuatIdent()
	}
	pose := spatial.Pose{Pos: pos, Rot: rot.Normalize()}
	for _, x := range []float64{pos[0], pos[1], pos[2], twist.Lin.Len(), twist.Ang.Len(), pose.Rot.Len()} {
		if !(x >= -farthest && x <= farthest) { // NaN too
			return fmt.Errorf("place %s: %v: every place and speed must lie in [-%d, %d]", name, x, farthest, farthest)
		}
	}
	if name != "ball" { // robots and obstacles stand on the floor
		pose = spatial.Planar(pos[0], pos[1], pose.Heading())
	}
	return o.soon(func() error { return o.Sim.Place(name, pose, twist) })
}

// Where NuBot's simulator parks a robot that is sent off, and from where it comes back: so far from the touch line, metres.
const parkedOff, parkedBack = 2.5, 1

// sendOff parks the robot of that number and team beside the field; back is ten more than the number of the one that may return.
func sendOff(o *Context, a []argument) error {
	r := o.Robot
	if int(a[0].number) != r.Number || a[1].text != string(r.Team) {
		return nil
	}
	out := parkedOff
	if int(a[2].number) == 10+r.Number {
		out = parkedBack
	}
	x := -o.World.Field.Length/2 - 3 + 2*float64(r.Number)
	heading := 0.0
	if r.Team == physics.Magenta {
		x, heading = -x, halfTurn
	}
	at := spatial.Planar(x, -o.World.Field.Width/2-out, heading)
	return o.soon(func() error { return o.Sim.Place(r.Name, at, spatial.Twist{}) })
}

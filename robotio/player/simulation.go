package player

import (
	"fmt"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// simulation adds the device that stands for the simulation. Each robot's server has it.
func (p *port) simulation() {
	s, d := p.server, p.add(simulationInterface, "omnipitch")
	d.requests[1] = func(in *reader, reply answer) {
		name := in.text()
		pose, _, err := s.state.pose(name)
		reply(appendPlanar(appendText(nil, name), pose), err)
	}
	d.requests[2] = func(in *reader, reply answer) {
		name, x, y, heading := in.text(), in.double(), in.double(), in.double()
		d.place(in, reply, name, spatial.Planar(x, y, heading))
	}
	d.requests[3] = func(in *reader, reply answer) {
		name := in.text()
		pose, now, err := s.state.pose(name)
		reply(appendDoubles(appendPose(appendText(nil, name), pose), now), err)
	}
	d.requests[4] = func(in *reader, reply answer) {
		name, at := in.text(), mgl64.Vec3{in.double(), in.double(), in.double()}
		roll, pitch, yaw := in.double(), in.double(), in.double()
		d.place(in, reply, name, spatial.RPY(at, roll, pitch, yaw))
	}
	d.requests[5] = func(in *reader, reply answer) { d.property(in, reply) }
	d.requests[6] = func(in *reader, reply answer) { d.setProperty(in, reply) }
	d.commands[1] = func(*reader) ([]action.Action, error) { // it continues a paused run, too
		if s.sim.Clock().Paused() {
			return []action.Action{&action.Resume{}}, nil
		}
		return []action.Action{&action.Pause{}}, nil
	}
	d.commands[2] = func(*reader) ([]action.Action, error) {
		return []action.Action{&action.ResetBodies{}}, nil
	}
}

// pose returns the pose in W of the ball, a robot or an obstacle, and the sim time in s.
func (s *state) pose(name string) (spatial.Pose, float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.truth.Time.Seconds()
	if name == "ball" && !s.world.Ball.Absent {
		return spatial.Pose{Pos: s.truth.Ball.PosW, Rot: s.truth.Ball.RotW}, now, nil
	}
	for i := range s.world.Robots {
		if s.world.Robots[i].Name == name {
			return s.truth.Robots[i].PoseWB, now, nil
		}
	}
	for i, o := range s.world.AllObstacles() {
		if o.Name == name {
			return s.truth.Obstacles[i].PoseWO, now, nil
		}
	}
	return spatial.Identity(), 0, fmt.Errorf("name = %.80q: there is no such robot or obstacle, and it is not \"ball\"",
		name)
}

// place moves a body, and replies when the body has moved.
func (d *device) place(in *reader, reply answer, name string, to spatial.Pose) {
	if err := in.err(); err != nil {
		reply(nil, err)
		return
	}
	s := d.port.server
	moved := func(payload []byte, err error) { // called by the goroutine that steps, unless the action is invalid
		if err == nil {
			s.state.set(s.sim.World(), s.sim.Truth())
		}
		reply(payload, err)
	}
	d.post(moved, &action.Place{Name: name, X: to.Pos[0], Y: to.Pos[1], Z: to.Pos[2], QX: to.Rot.V[0], QY: to.Rot.V[1],
		QZ: to.Rot.V[2], QW: to.Rot.W})
}

// sensorLevel reads the names of a property: the only one is the level of a sensor, whose name is ROBOT.SENSOR.
func sensorLevel(in *reader) (name, property, robot, sensor string, err error) {
	name, property = in.text(), in.text()
	in.uint() // index
	robot, sensor, _ = strings.Cut(name, ".")
	if err = in.err(); err == nil && property != "level" {
		err = fmt.Errorf("property = %.80q: must be \"level\"", property)
	}
	return name, property, robot, sensor, err
}

// property answers with the level of a sensor, as text. The answer is as long as the client's buffer, if the level is
// shorter.
func (d *device) property(in *reader, reply answer) {
	name, property, robot, sensor, err := sensorLevel(in)
	buffer := in.bytes()
	var level abstraction.Level
	if err == nil {
		level, err = d.port.server.sim.Sensors().Level(robot, sensor)
	}
	value := string(level) + strings.Repeat("\x00", max(len(buffer)-len(level), 1))
	reply(appendText(appendInt(appendText(appendText(nil, name), property), 0), value), err)
}

// setProperty sets the level of a sensor.
func (d *device) setProperty(in *reader, reply answer) {
	_, _, robot, sensor, err := sensorLevel(in)
	level := abstraction.Level(in.text())
	if err == nil {
		err = in.err()
	}
	if err != nil {
		reply(nil, err)
		return
	}
	d.post(reply, &action.SetLevel{Robot: robot, Sensor: sensor, Level: level})
}

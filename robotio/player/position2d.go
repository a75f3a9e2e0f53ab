package player

import (
	"errors"
	"sync"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// drive is a device of the interface position2d: the robot's drive, with the data of an odometry sensor.
type drive struct {
	*device
	mu     sync.Mutex
	off    bool         // a client has switched the motors off
	driven bool         // a client has driven the robot since all clients closed the device
	poseOB spatial.Pose // newest pose in the sensor's odometry frame O
	poseCO spatial.Pose // pose of O in the frame that clients have set, C
}

// position2D adds a device for each odometry sensor. Without such a sensor, the robot has one device without data.
func (p *port) position2D() {
	odometry := p.sensors("odometry")
	for _, cfg := range odometry {
		d := p.drive(cfg.Name)
		listenFor(d.device, cfg.Name, d.observe)
	}
	if len(odometry) == 0 {
		p.drive("drive")
	}
}

// drive adds a device that drives the robot.
func (p *port) drive(driver string) *drive {
	d := &drive{device: p.add(position2DInterface, driver), poseOB: spatial.Identity(), poseCO: spatial.Identity()}
	d.commands[1] = d.velocity
	body := &p.robot.Body
	length, width := body.Length, body.Width
	if !body.Boxed() {
		length, width = 2*body.Radius, 2*body.Radius
	}
	d.static(1, geometry(spatial.Identity(), width, length, body.Height))
	d.requests[2] = func(in *reader, reply answer) {
		d.mu.Lock()
		d.off = in.uint() == 0
		off := d.off
		d.mu.Unlock()
		if err := in.err(); err != nil || !off {
			reply(nil, err)
			return
		}
		d.post(reply, &action.Drive{Robot: p.robot.Name, Stop: true})
	}
	d.set(4, func(in *reader) error {
		if in.uint() != 0 {
			return errors.New("the drive has no position control")
		}
		return in.err()
	})
	d.set(5, func(in *reader) error {
		x, y, heading := in.double(), in.double(), in.double()
		if !in.bad {
			d.setPose(spatial.Planar(x, y, heading))
		}
		return in.err()
	})
	d.set(6, func(*reader) error { d.setPose(spatial.Identity()); return nil })
	d.closed = func() { // the robot stops, as with Player's drivers
		d.mu.Lock()
		driven := d.driven
		d.driven, d.off = false, false
		d.mu.Unlock()
		if !driven {
			return
		}
		_ = p.server.sim.Post(nil, &action.Drive{Robot: p.robot.Name, Stop: true}) // a replay takes no commands
	}
	return d
}

// velocity drives the robot: forward, to the left, and anticlockwise. Like many drivers, it ignores the motor state in
// the command, because client libraries differ in what they send there.
func (d *drive) velocity(in *reader) ([]action.Action, error) {
	vx, vy, omega := in.double(), in.double(), in.double()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off {
		return nil, errors.New("the motors are off")
	}
	d.driven = true
	return []action.Action{&action.Drive{Robot: d.device.port.robot.Name, VX: vx, VY: vy, Omega: omega}}, nil
}

// setPose makes pose the robot's present pose in the data.
func (d *drive) setPose(pose spatial.Pose) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.poseCO = pose.Mul(d.poseOB.Inverse())
}

func (d *drive) observe(o *sensors.Observation, r *sensors.OdometryReading) {
	d.mu.Lock()
	d.poseOB = r.PoseOB
	pose := d.poseCO.Mul(r.PoseOB)
	d.mu.Unlock()
	m := d.data(1, o.Stamp)
	m.b = appendDoubles(appendPlanar(m.b, pose), r.TwistB.VX, r.TwistB.VY, r.TwistB.Omega)
	stall := 0
	if r.Stuck {
		stall = 1
	}
	m.b = appendInt(m.b, stall)
	d.send(m)
}

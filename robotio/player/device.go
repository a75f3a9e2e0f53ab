package player

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/worlds/action"
)

// interfaces makes the devices of a robot, one function for each interface of Player, or for two that share a sensor.
var interfaces = []func(*port){
	(*port).position2D, (*port).laser, (*port).sonar, (*port).imu, (*port).camera, (*port).blobfinder, (*port).fiducial,
	(*port).localize, (*port).ptz, (*port).gripper, (*port).kicker, (*port).simulation,
}

// Codes of interfaces.
const (
	playerInterface     = 1
	gripperInterface    = 3
	position2DInterface = 4
	laserInterface      = 6
	blobfinderInterface = 7
	ptzInterface        = 8
	fiducialInterface   = 10
	localizeInterface   = 25
	simulationInterface = 31
	cameraInterface     = 40
	actarrayInterface   = 53
	imuInterface        = 60
	rangerInterface     = 62
)

var interfaceNames = map[uint16]string{playerInterface: "player", gripperInterface: "gripper",
	position2DInterface: "position2d", laserInterface: "laser", blobfinderInterface: "blobfinder", ptzInterface: "ptz",
	fiducialInterface: "fiducial", localizeInterface: "localize", simulationInterface: "simulation",
	cameraInterface: "camera", actarrayInterface: "actarray", imuInterface: "imu", rangerInterface: "ranger"}

// name returns the name of a device as Player writes it, such as laser:0.
func (a address) name() string {
	name, ok := interfaceNames[a.interf]
	if !ok {
		name = fmt.Sprintf("interface%d", a.interf)
	}
	return fmt.Sprintf("%s:%d", name, a.index)
}

// answer sends the reply to a request: an acknowledgement with a payload, or a refusal if err is not nil. It must be
// called once, by any goroutine.
type answer func(payload []byte, err error)

// request carries out a request. It may read the payload only until it returns.
type request func(in *reader, reply answer)

// command converts a command to actions.
type command func(in *reader) ([]action.Action, error)

// device is a device of a robot.
type device struct {
	address
	port     *port
	driver   string
	requests map[byte]request
	commands map[byte]command
	closed   func() // called when the last client has closed the device; nil does nothing

	mu      sync.Mutex
	clients atomic.Pointer[[]*client] // those that have opened the device; the slice does not change
}

// add adds a device to the robot. Its index is the number of earlier devices of the interface.
func (p *port) add(interf uint16, driver string) *device {
	d := &device{port: p, driver: driver, requests: map[byte]request{}, commands: map[byte]command{}}
	d.host, d.address.port, d.interf = p.host, p.number, interf
	for _, other := range p.devices {
		if other.interf == interf {
			d.index++
		}
	}
	d.clients.Store(new([]*client))
	p.devices = append(p.devices, d)
	return d
}

// find returns the device with an interface and an index, or nil.
func (p *port) find(a address) *device {
	for _, d := range p.devices {
		if d.interf == a.interf && d.index == a.index {
			return d
		}
	}
	return nil
}

// static makes the device answer a request with a payload that never changes.
func (d *device) static(subtype byte, payload []byte) {
	d.requests[subtype] = func(_ *reader, reply answer) { reply(payload, nil) }
}

// set makes the device answer a request that has no payload in its reply.
func (d *device) set(subtype byte, f func(in *reader) error) {
	d.requests[subtype] = func(in *reader, reply answer) { reply(nil, f(in)) }
}

// post carries out actions and replies when they have been carried out.
func (d *device) post(reply answer, actions ...action.Action) {
	if err := d.port.server.sim.Post(func(err error) { reply(nil, err) }, actions...); err != nil {
		reply(nil, err)
	}
}

// capability answers the request, common to all devices, whether the device has a command or a request.
func (d *device) capability(in *reader) error {
	typ, subtype := in.uint(), in.uint()
	_, asks := d.requests[byte(subtype)]
	_, commands := d.commands[byte(subtype)]
	if in.bad || subtype > 255 || !(typ == typeRequest && asks || typ == typeCommand && commands) {
		return errUnsupported
	}
	return nil
}

// open adds a client.
func (d *device) open(c *client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := append(slices.Clone(*d.clients.Load()), c)
	d.clients.Store(&all)
}

// close removes a client.
func (d *device) close(c *client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(*d.clients.Load()), func(other *client) bool { return other == c })
	d.clients.Store(&all)
	if len(all) == 0 && d.closed != nil {
		d.closed()
	}
}

// wanted reports whether data that the device sends now would reach a client.
func (d *device) wanted() bool {
	return len(*d.clients.Load()) > 0 && d.port.server.sim.Match().Wired(d.port.robot.Name)
}

// data returns a message with data of the device. The caller appends the payload to b, and passes the message to send.
func (d *device) data(subtype byte, stamp time.Duration) *message {
	return newMessage(header{address: d.address, typ: typeData, subtype: subtype, time: stamp.Seconds()})
}

// send queues a message for all clients that have opened the device.
func (d *device) send(m *message) {
	m.seal()
	for _, c := range *d.clients.Load() {
		c.queue.push(m)
	}
	m.release()
}

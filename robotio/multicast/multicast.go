package multicast

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// Simulation is whose radios carry datagrams: an omnipitch.Sim.
type Simulation interface {
	World() *worlds.World
	Wired(robot string) bool
	Send(robot, topic string, data []byte) error
	OnRadio(robot string, f omnipitch.RadioListener) error
}

// maxQueue bounds the datagrams that wait until they are sent. A guess: what ten robots get in a step when each of them
// has said something to all.
const maxQueue = 128

// Radios are the sockets of a simulation whose robots' programs speak UDP multicast.
type Radios struct {
	sim     Simulation
	say     func(string)
	limit   rate.Sometimes // of what is said of datagrams that are lost
	sender  *net.UDPConn
	own     netip.AddrPort // of the sender
	robots  []endpoint
	queue   chan datagram
	closing chan struct{}
	running sync.WaitGroup
}

// endpoint is where one robot's program sends and listens.
type endpoint struct {
	robot  string
	addr   netip.AddrPort
	socket net.PacketConn
	claim  net.Conn // of the port, beside other simulations
}

type datagram struct {
	to   netip.AddrPort
	data []byte
}

// Join joins the groups of all robots whose radios have UDP. It returns nil where none has, and fails where another
// simulation has one of the ports, or a program that does not share it. It must be called before the first step; say is
// called with sentences for users by any goroutine.
func Join(sim Simulation, say func(string)) (*Radios, error) {
	x := &Radios{sim: sim, say: say, limit: rate.Sometimes{First: 1, Interval: time.Minute}, queue: make(chan datagram,
		maxQueue), closing: make(chan struct{})}
	w := sim.World()
	for i := range w.Robots {
		if r := &w.Robots[i]; r.Radio != nil && r.Radio.UDP != nil {
			if err := x.join(r); err != nil {
				x.leave()
				return nil, fmt.Errorf("radio of %s: %w", r.Name, err)
			}
		}
	}
	if x.robots == nil {
		return nil, nil
	}
	var err error
	if x.sender, err = sender(); err != nil {
		x.leave()
		return nil, fmt.Errorf("radios by UDP: %w", err)
	}
	x.own = x.sender.LocalAddr().(*net.UDPAddr).AddrPort()
	var names []string
	for i := range x.robots {
		e := &x.robots[i]
		if err := sim.OnRadio(e.robot, func(_ string, m *radio.Message) { x.deliver(e, m) }); err != nil {
			x.leave()
			return nil, err // the world has been checked
		}
		names = append(names, e.robot+" "+e.addr.String())
	}
	say("radios by UDP multicast, on loopback: " + strings.Join(names, ", "))
	for i := range x.robots {
		x.running.Go(func() { x.receive(&x.robots[i]) })
	}
	x.running.Go(x.send)
	return x, nil
}

// join opens the socket of a robot.
func (x *Radios) join(r *worlds.Robot) error {
	addr, err := r.Radio.UDP.Address(r.Number)
	if err != nil {
		return err
	}
	e := endpoint{robot: r.Name, addr: addr}
	if e.claim, err = claim(addr.Port()); err != nil {
		return fmt.Errorf("port %d: another simulation of this machine has it: end that one, or give its robots "+
			"another base_port (%w)", addr.Port(), err)
	}
	if e.socket, err = listen(addr); err != nil {
		e.claim.Close()
		return fmt.Errorf("UDP %v: %w (a program that was started before has to share its port, by SO_REUSEADDR)", addr,
			err)
	}
	x.robots = append(x.robots, e)
	return nil
}

// receive has a robot's radio send what its program says, until the socket is closed. Our own datagrams to the program
// come, too.
func (x *Radios) receive(e *endpoint) {
	buf := make([]byte, radio.MaxBytes)
	for {
		n, from, err := e.socket.ReadFrom(buf)
		if err != nil {
			return // it is closed: a socket without a peer has no other errors
		}
		if from.(*net.UDPAddr).AddrPort() == x.own || !x.sim.Wired(e.robot) {
			continue
		}
		if err := x.sim.Send(e.robot, radio.DatagramTopic, slices.Clone(buf[:n])); err != nil &&
			!errors.Is(err, omnipitch.ErrClosed) && !errors.Is(err, omnipitch.ErrReplaying) {
			x.limit.Do(func() { x.say(fmt.Sprintf("%v: its program's datagrams are lost", err)) })
		}
	}
}

// deliver sends what has reached a robot to its program. It never waits.
func (x *Radios) deliver(e *endpoint, m *radio.Message) {
	if m.Topic != radio.DatagramTopic || !x.sim.Wired(e.robot) {
		return
	}
	select {
	case x.queue <- datagram{e.addr, m.Data}:
	default:
		x.limit.Do(func() { x.say("datagrams by radio come faster than they can be sent: some are lost") })
	}
}

func (x *Radios) send() {
	for {
		select {
		case d := <-x.queue:
			if _, err := x.sender.WriteToUDPAddrPort(d.data, d.to); err != nil && !errors.Is(err, net.ErrClosed) {
				x.limit.Do(func() { x.say(fmt.Sprintf("datagrams by radio are lost: %v", err)) })
			}
		case <-x.closing:
			return
		}
	}
}

// Close leaves the groups; what still comes by radio is lost. Of nil it does nothing.
func (x *Radios) Close() {
	if x == nil {
		return
	}
	close(x.closing)
	x.leave()
	x.running.Wait()
}

func (x *Radios) leave() {
	for i := range x.robots {
		x.robots[i].socket.Close()
		x.robots[i].claim.Close()
	}
	if x.sender != nil {
		x.sender.Close()
	}
}

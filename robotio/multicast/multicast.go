package multicast

import (
	"cmp"
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
	"github.com/omnipitch/omnipitch/worlds/match"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// Match sends and receives the datagrams of a simulation's robots: an omnipitch.Match.
type Match interface {
	Wired(robot string) bool
	Send(robot, topic string, data []byte) error
	OnRadio(robot string, f match.Listener) error
}

// maxQueue is the length of the queue of outgoing datagrams. It is a guess: if ten robots all send a message to all
// others in one step, the queue has room for these messages.
const maxQueue = 128

// Radios holds the sockets of a simulation whose robots' programs use UDP.
type Radios struct {
	match   Match
	say     func(string)
	limit   rate.Sometimes // limits the rate of messages about dropped datagrams
	sender  *net.UDPConn
	own     netip.AddrPort // address of sender
	robots  []endpoint
	queue   chan datagram
	closing chan struct{}
	running sync.WaitGroup
}

// endpoint is where one robot's program receives datagrams of a topic, and where it sends them to: the same multicast
// group and port, or, with Mitecom, a port on loopback.
type endpoint struct {
	robot, topic string
	addr         netip.AddrPort
	sockets      []net.PacketConn
	claim        net.Conn // keeps other simulations from using the port
}

type datagram struct {
	to   netip.AddrPort
	data []byte
}

// Join joins the groups of all robots whose radios use UDP. It returns nil if no robot does. It fails if another
// simulation uses one of the ports, or if a program uses one without sharing it. Join must be called before the first
// step. It calls say with messages for users, on any goroutine.
func Join(w *worlds.World, match Match, say func(string)) (*Radios, error) {
	x := &Radios{match: match, say: say, limit: rate.Sometimes{First: 1, Interval: time.Minute},
		queue: make(chan datagram, maxQueue), closing: make(chan struct{})}
	for i := range w.Robots {
		r := &w.Robots[i]
		if r.Radio == nil {
			continue
		}
		var errs [2]error
		if r.Radio.UDP != nil {
			errs[0] = x.join(r)
		}
		if m := r.Radio.Mitecom; m != nil && m.BasePort != 0 {
			errs[1] = x.joinMitecom(r)
		}
		if err := cmp.Or(errs[0], errs[1]); err != nil {
			x.leave()
			return nil, fmt.Errorf("radio of %s: %w", r.Name, err)
		}
	}
	if x.robots == nil {
		return nil, nil
	}
	var err error
	if x.sender, err = sender(); err != nil {
		x.leave()
		return nil, fmt.Errorf("radios over UDP: %w", err)
	}
	x.own = x.sender.LocalAddr().(*net.UDPAddr).AddrPort()
	var names []string
	for i := range x.robots {
		e := &x.robots[i]
		if err := match.OnRadio(e.robot, func(_ string, m *radio.Message) { x.deliver(e, m) }); err != nil {
			x.leave()
			return nil, err // cannot happen, because the world was checked
		}
		names = append(names, e.robot+" "+e.addr.String())
	}
	say("radios over UDP, on loopback: " + strings.Join(names, ", "))
	for i := range x.robots {
		for _, socket := range x.robots[i].sockets {
			x.running.Go(func() { x.receive(&x.robots[i], socket) })
		}
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
	e := endpoint{robot: r.Name, topic: radio.DatagramTopic, addr: addr}
	if e.claim, err = claim(addr.Port()); err != nil {
		return fmt.Errorf("port %d: another simulation on this machine uses it: stop that one, or give its robots "+
			"another base_port (%w)", addr.Port(), err)
	}
	socket, err := listen(addr)
	if err != nil {
		e.claim.Close()
		return fmt.Errorf("UDP %v: %w (a program that was started earlier must share its port with SO_REUSEADDR)", addr,
			err)
	}
	e.sockets = []net.PacketConn{socket}
	x.robots = append(x.robots, e)
	return nil
}

// joinMitecom opens the sockets to which a robot's program sends messages of Mitecom: one for broadcasts on loopback,
// and one for datagrams to its address.
func (x *Radios) joinMitecom(r *worlds.Robot) error {
	listens, sends, err := r.Radio.Mitecom.Ports(r.Number)
	if err != nil {
		return err
	}
	e := endpoint{robot: r.Name, topic: radio.MitecomTopic,
		addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), listens)}
	for _, at := range [][4]byte{{127, 0, 0, 1}, {127, 255, 255, 255}} {
		addr := net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.AddrFrom4(at), sends))
		socket, err := net.ListenUDP("udp4", addr)
		if err != nil {
			for _, s := range e.sockets {
				s.Close()
			}
			return fmt.Errorf("UDP %v: %w", addr, err)
		}
		e.sockets = append(e.sockets, socket)
	}
	x.robots = append(x.robots, e)
	return nil
}

// receive sends the datagrams of a robot's program by the robot's radio until the socket is closed. It ignores the
// simulation's own datagrams to the program, which arrive here too.
func (x *Radios) receive(e *endpoint, socket net.PacketConn) {
	buf := make([]byte, radio.MaxBytes)
	for {
		n, from, err := socket.ReadFrom(buf)
		if err != nil {
			return // the socket was closed; a socket without a peer has no other errors
		}
		if from.(*net.UDPAddr).AddrPort() == x.own || !x.match.Wired(e.robot) {
			continue
		}
		if err := x.match.Send(e.robot, e.topic, slices.Clone(buf[:n])); err != nil &&
			!errors.Is(err, omnipitch.ErrClosed) && !errors.Is(err, omnipitch.ErrReplaying) {
			x.limit.Do(func() { x.say(fmt.Sprintf("%v: datagrams of its program are dropped", err)) })
		}
	}
}

// deliver queues a message for a robot's program. The robot has received the message by radio. deliver never blocks.
func (x *Radios) deliver(e *endpoint, m *radio.Message) {
	if m.Topic != e.topic || !x.match.Wired(e.robot) {
		return
	}
	select {
	case x.queue <- datagram{e.addr, m.Data}:
	default:
		x.limit.Do(func() { x.say("datagrams by radio arrive faster than they can be sent: some are dropped") })
	}
}

func (x *Radios) send() {
	for {
		select {
		case d := <-x.queue:
			if _, err := x.sender.WriteToUDPAddrPort(d.data, d.to); err != nil && !errors.Is(err, net.ErrClosed) {
				x.limit.Do(func() { x.say(fmt.Sprintf("datagrams by radio are dropped: %v", err)) })
			}
		case <-x.closing:
			return
		}
	}
}

// Close leaves the groups; later messages by radio are dropped. Close of a nil Radios does nothing.
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
		for _, socket := range x.robots[i].sockets {
			socket.Close()
		}
		if claim := x.robots[i].claim; claim != nil {
			claim.Close()
		}
	}
	if x.sender != nil {
		x.sender.Close()
	}
}

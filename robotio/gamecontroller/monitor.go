package gamecontroller

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// Ports of monitors, as offsets to the port of robots: of their requests, 3636, and of the robots' packets that they
// get, 3940.
const (
	requestOffset = DefaultPort - 3636
	forwardOffset = 3940 - DefaultPort
)

// request is a monitor's packet: a header and version 0. Sources: RoboCupGameControlData.h and the Wireshark dissector
// of the GameController of the Humanoid Soccer League.
const request = "RGTr\x00"

// maxMonitors is the number of monitors. Another one takes the place of the one whose request is the oldest. A guess.
const maxMonitors = 8

// monitors are the programs that watch a game: they get its true state, and robots' packets. A monitor is a host, as in
// the league. A host in a network from which a robot has sent a packet is none, so that no robot learns the true state.
// On this machine, robots' programs and monitors share an address.
type monitors struct {
	conn *net.UDPConn // receives requests, and sends

	mu    sync.Mutex
	hosts []netip.Addr // in the order of their newest requests
	robot []netip.Addr // hosts of robots: at most one for each robot that can play
}

// listenMonitors opens the port for monitors' requests.
func listenMonitors(local netip.Addr, robots uint16) (*monitors, error) {
	at := netip.AddrPortFrom(local, robots-requestOffset)
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, fmt.Errorf("monitors: %w", err)
	}
	return &monitors{conn: conn, hosts: make([]netip.Addr, 0, maxMonitors)}, nil
}

// receive handles monitors' requests until the socket is closed. It calls say with each new monitor, and refused with
// an error of each packet that is ignored.
func (m *monitors) receive(say func(string), refused func(error)) {
	buf := make([]byte, len(request)+1)
	for {
		n, from, err := m.conn.ReadFromUDPAddrPort(buf)
		switch host := from.Addr().Unmap(); {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as a monitor that has ended
		case string(buf[:n]) != request:
			refused(fmt.Errorf("a packet from %v: not a monitor's request: must be %q", from, request))
		case m.add(host):
			say(fmt.Sprintf("GameController: a monitor at %v", host))
		case !m.watches(host):
			refused(fmt.Errorf("a monitor's request from %v: a robot sends from there", from))
		}
	}
}

// watches reports whether a host is a monitor.
func (m *monitors) watches(host netip.Addr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.hosts, host)
}

// add adds a host, unless it is one of a robot, and reports whether it is a new monitor.
func (m *monitors) add(host netip.Addr) (isNew bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Contains(m.robot, host) {
		return false
	}
	if at := slices.Index(m.hosts, host); at >= 0 {
		m.hosts = slices.Delete(m.hosts, at, at+1)
	} else {
		isNew = true
	}
	if len(m.hosts) == maxMonitors {
		m.hosts = slices.Delete(m.hosts, 0, 1)
	}
	m.hosts = append(m.hosts, host)
	return isNew
}

// heard takes a host from the monitors, because a robot has sent a packet from there.
func (m *monitors) heard(host netip.Addr) {
	if host.IsLoopback() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.robot, host) && len(m.robot) < 2*MaxPlayers {
		m.robot = append(m.robot, host)
	}
	m.hosts = slices.DeleteFunc(m.hosts, func(h netip.Addr) bool { return h == host })
}

// watched reports whether there are monitors.
func (m *monitors) watched() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.hosts) > 0
}

// send sends a packet to a port of all monitors. Packets to monitors that have ended are lost.
func (m *monitors) send(packet []byte, port uint16) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, host := range m.hosts {
		_, _ = m.conn.WriteToUDPAddrPort(packet, netip.AddrPortFrom(host, port))
	}
}

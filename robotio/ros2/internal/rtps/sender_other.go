//go:build !linux

package rtps

import (
	"errors"
	"net"
	"net/netip"
	"time"
)

const maxParts = 5

type sender struct {
	conn *net.UDPConn
	buf  []byte
}

func newSender(wide, _ bool) (*sender, error) {
	var local *net.UDPAddr
	if !wide {
		local = net.UDPAddrFromAddrPort(netip.AddrPortFrom(loopback, 0))
	}
	conn, err := net.ListenUDP("udp4", local)
	if err != nil {
		return nil, err
	}
	return &sender{conn: conn}, nil
}

func (s *sender) send(to netip.AddrPort, parts ...[]byte) {
	s.buf = s.buf[:0]
	for _, p := range parts {
		s.buf = append(s.buf, p...)
	}
	_, _ = s.conn.WriteToUDPAddrPort(s.buf, to) // the network may lose datagrams too
}

func (s *sender) multicast(netip.AddrPort, []int, []byte) {}

func (s *sender) room(netip.AddrPort) (free int, known bool) { return 0, false }

func (s *sender) close() { _ = s.conn.Close() }

func pause() { time.Sleep(60 * time.Microsecond) }

func listenNear(netip.AddrPort, []netip.Addr) (*net.UDPConn, error) {
	return nil, errors.ErrUnsupported
}

func dropOthers(*net.UDPConn, []netip.Addr) error { return errors.ErrUnsupported }

func joinGroup(netip.AddrPort, []int) (*net.UDPConn, error) {
	return nil, errors.New("discovery by multicast is supported on Linux only")
}

package rtps

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// Ports of domain d and participant i. Source: RTPS 2.3, 9.6.1.1.
const (
	basePort        = 7400 // multicast for discovery
	domainGain      = 250
	metaPort        = 10 // unicast for discovery, added to the above with 2 i
	userPort        = 11 // unicast for data
	maxParticipants = 32 // peers look for no more on a machine
)

var group = netip.AddrFrom4([4]byte{239, 255, 0, 1})

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

func metaAddr(a netip.Addr, domain, index int) netip.AddrPort {
	return netip.AddrPortFrom(a, uint16(basePort+domainGain*domain+metaPort+2*index))
}

// sockets are those of a participant.
type sockets struct {
	meta, user, multi *net.UDPConn // multi is nil without multicast
	local             []netip.Addr // the addresses of this machine that peers may use
	wide              bool
	// near sockets receive at all addresses of this machine, but the kernel drops what other machines have sent. So
	// they reach peers on this machine that use other addresses than loopback, as those of Subnet do.
	near  bool
	index int
}

// receiveBuffer is the size of receive buffers, if the kernel allows it.
const receiveBuffer = 4 << 20

// open opens the sockets of the first participant index that is free.
func (s *sockets) open(c *Config) error {
	s.wide = c.wide()
	listen := loopback
	if s.wide {
		listen = netip.IPv4Unspecified()
	}
	if err := s.findAddresses(); err != nil {
		return err
	}
	if !s.wide && c.Range == Localhost && len(s.local) > 1 {
		if probe, err := listenNear(netip.AddrPortFrom(loopback, 0), s.local); err == nil {
			s.near, listen = true, netip.IPv4Unspecified()
			probe.Close()
		}
	}
	for s.index = 0; s.meta == nil; s.index++ {
		if s.index == maxParticipants {
			return fmt.Errorf("domain %d: all %d pairs of ports are taken", c.Domain, maxParticipants)
		}
		if err := s.openPair(metaAddr(listen, c.Domain, s.index)); err != nil && !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
	}
	s.index--
	if needed := c.Range == Subnet || c.Multicast && c.Range != Off; needed || s.near {
		var err error
		if s.multi, err = joinGroup(netip.AddrPortFrom(group, uint16(basePort+domainGain*c.Domain)),
			s.interfaces(s.wide || s.near)); err == nil && s.near {
			err = dropOthers(s.multi, s.local)
		}
		if err != nil && needed {
			s.close()
			return err
		} else if err != nil && s.multi != nil {
			s.multi.Close()
			s.multi = nil
		}
	}
	for _, conn := range s.all() {
		_ = conn.SetReadBuffer(receiveBuffer) // a smaller buffer works too
	}
	return nil
}

// openPair opens the sockets for discovery and for data, at adjacent ports.
func (s *sockets) openPair(a netip.AddrPort) error {
	listen := func(a netip.AddrPort) (*net.UDPConn, error) {
		if s.near {
			return listenNear(a, s.local)
		}
		return net.ListenUDP("udp4", net.UDPAddrFromAddrPort(a))
	}
	meta, err := listen(a)
	if err != nil {
		return err
	}
	user, err := listen(netip.AddrPortFrom(a.Addr(), a.Port()+1))
	if err != nil {
		meta.Close()
		return err
	}
	s.meta, s.user = meta, user
	return nil
}

// findAddresses lists the addresses of this machine, loopback last.
func (s *sockets) findAddresses() error {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return err
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			s.local = append(s.local, netip.AddrFrom4([4]byte(n.IP.To4())))
		}
	}
	s.local = append(s.local, loopback)
	return nil
}

// announced returns the addresses at which others reach the participant.
func (s *sockets) announced() []netip.Addr {
	others := s.local[:min(max(len(s.local)-1, 0), maxLocators/2)]
	switch {
	case s.near:
		return append(slices.Clone(others), loopback)
	case !s.wide || len(others) == 0:
		return []netip.Addr{loopback}
	}
	return others
}

// reachable returns the best of a peer's addresses: the one from which it has sent, or the first that can be reached.
func (s *sockets) reachable(offered locators, from netip.Addr) (netip.AddrPort, bool) {
	if i := slices.IndexFunc(offered, func(a netip.AddrPort) bool { return a.Addr() == from }); i >= 0 {
		return offered[i], true
	}
	for _, a := range offered {
		if usable := a.Addr(); usable.IsLoopback() || slices.Contains(s.local, usable) ||
			s.wide && !usable.IsMulticast() && !usable.IsUnspecified() {
			return a, true
		}
	}
	return netip.AddrPort{}, false
}

// interfaces returns the indices of the interfaces for multicast: loopback, or all.
func (s *sockets) interfaces(all bool) (indices []int) {
	list, _ := net.Interfaces()
	for _, i := range list {
		if isLoop := i.Flags&net.FlagLoopback != 0; i.Flags&net.FlagUp != 0 &&
			(isLoop || all && i.Flags&net.FlagMulticast != 0) {
			indices = append(indices, i.Index)
		}
	}
	return indices
}

func (s *sockets) all() (all []*net.UDPConn) {
	for _, c := range []*net.UDPConn{s.meta, s.user, s.multi} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

func (s *sockets) close() {
	for _, c := range s.all() {
		_ = c.Close() // unblocks the goroutine that reads
	}
}

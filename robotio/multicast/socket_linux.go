package multicast

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// loopback is where groups are joined. Linux has multicast on this interface even without its flag MULTICAST, and there
// it carries datagrams of any TTL to every listener, also those of programs that have switched IP_MULTICAST_LOOP off,
// as RTDB has.
var loopback = [4]byte{127, 0, 0, 1}

// claim takes a port beside other simulations, until it is closed: robots' programs share it. Names of abstract sockets
// are, as ports are, those of a network namespace, and go with the process.
func claim(port uint16) (net.Conn, error) {
	return net.ListenUnixgram("unixgram", &net.UnixAddr{Name: fmt.Sprintf("@omnipitch/radio/udp/%d", port),
		Net: "unixgram"})
}

// listen returns a socket that gets what is sent to a group and port on loopback, and nothing else: package net would
// bind it to all addresses of the machine.
func listen(at netip.AddrPort) (net.PacketConn, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), "udp "+at.String())
	defer file.Close() // the connection has a copy
	group := at.Addr().As4()
	for _, set := range []struct {
		what string
		do   func() error
	}{
		{"SO_REUSEADDR", func() error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) }},
		// of other interfaces nothing
		{"IP_MULTICAST_ALL", func() error { return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0) }},
		{"bind", func() error { return unix.Bind(fd, &unix.SockaddrInet4{Port: int(at.Port()), Addr: group}) }},
		{"IP_ADD_MEMBERSHIP", func() error {
			return unix.SetsockoptIPMreq(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &unix.IPMreq{Multiaddr: group,
				Interface: loopback})
		}},
	} {
		if err := set.do(); err != nil {
			return nil, os.NewSyscallError(set.what, err)
		}
	}
	return net.FilePacketConn(file)
}

// sender returns a socket whose datagrams to groups stay on loopback.
func sender() (*net.UDPConn, error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: loopback[:]})
	if err != nil {
		return nil, err
	}
	raw, err := conn.SyscallConn()
	if err == nil {
		var failed error
		err = raw.Control(func(fd uintptr) {
			if failed = unix.SetsockoptInet4Addr(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_IF,
				loopback); failed == nil {
				failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, 0)
			}
		})
		if err == nil {
			err = os.NewSyscallError("setsockopt", failed)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

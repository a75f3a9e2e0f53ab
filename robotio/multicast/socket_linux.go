package multicast

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// loopback is the interface of all groups. Linux supports multicast on it even without its flag MULTICAST. It delivers
// datagrams of any TTL to every listener there, even those of programs that disable IP_MULTICAST_LOOP, as RTDB does.
var loopback = [4]byte{127, 0, 0, 1}

// claim keeps other simulations from using a port until the returned connection is closed. The port itself cannot serve
// as this lock, because robots' programs share it. Names of abstract sockets belong to a network namespace, as ports
// do, and disappear with the process.
func claim(port uint16) (net.Conn, error) {
	return net.ListenUnixgram("unixgram", &net.UnixAddr{Name: fmt.Sprintf("@omnipitch/radio/udp/%d", port),
		Net: "unixgram"})
}

// listen returns a socket that receives only datagrams to a group and port on loopback. Package net would bind it to
// all addresses of the machine.
func listen(addr netip.AddrPort) (net.PacketConn, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), "udp "+addr.String())
	defer file.Close() // the connection has a copy
	group := addr.Addr().As4()
	for _, set := range []struct {
		what string
		do   func() error
	}{
		{"SO_REUSEADDR", func() error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) }},
		// accept no datagrams from other interfaces
		{"IP_MULTICAST_ALL", func() error { return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0) }},
		{"bind", func() error { return unix.Bind(fd, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: group}) }},
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

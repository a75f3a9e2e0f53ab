package gamecontroller

import (
	"context"
	"net"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// listen returns a socket that shares its port: every socket at the port of this machine receives broadcast packets.
func listen(addr netip.AddrPort) (*net.UDPConn, error) {
	share := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) {
			err = os.NewSyscallError("SO_REUSEADDR", unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1))
		})
		if failed != nil {
			return failed
		}
		return err
	}}
	conn, err := share.ListenPacket(context.Background(), "udp4", addr.String())
	if err != nil {
		return nil, err
	}
	return conn.(*net.UDPConn), nil
}

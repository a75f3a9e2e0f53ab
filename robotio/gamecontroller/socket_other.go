//go:build !linux

package gamecontroller

import (
	"net"
	"net/netip"
)

// listen returns a socket that does not share its port.
func listen(addr netip.AddrPort) (*net.UDPConn, error) {
	return net.ListenUDP("udp4", net.UDPAddrFromAddrPort(addr))
}

//go:build !linux

package multicast

import (
	"errors"
	"net"
	"net/netip"
)

var errNotHere = errors.New("radios over UDP multicast are supported on Linux only")

func claim(uint16) (net.Conn, error)                { return nil, errNotHere }
func listen(netip.AddrPort) (net.PacketConn, error) { return nil, errNotHere }
func sender() (*net.UDPConn, error)                 { return nil, errNotHere }

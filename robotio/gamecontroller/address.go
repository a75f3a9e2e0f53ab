package gamecontroller

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
)

// Ports of the league. A GameController sends control packets to robots' DefaultPort. Robots send their packets to a
// port of the GameController that is higher by returnOffset, 3939.
const (
	DefaultPort  = 3838
	returnOffset = 3939 - DefaultPort
)

// Loopback is the broadcast address of this machine, at which all its programs receive.
var Loopback = netip.AddrFrom4([4]byte{127, 255, 255, 255})

// ParseAddr completes an address to ADDRESS:PORT. If the port is missing, it is DefaultPort. If the address is missing,
// it is Loopback. Names are not looked up.
func ParseAddr(text string) (netip.AddrPort, error) {
	host, port := text, strconv.Itoa(DefaultPort)
	if _, err := strconv.Atoi(text); err == nil {
		host, port = Loopback.String(), text
	} else if _, err := netip.ParseAddr(text); err != nil {
		if host, port, err = net.SplitHostPort(text); err != nil {
			return netip.AddrPort{}, errAddr
		}
	}
	addr, err := netip.ParseAddr(host)
	n, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil || !addr.Is4() || n <= requestOffset || n > 65535-forwardOffset {
		return netip.AddrPort{}, errAddr
	}
	return netip.AddrPortFrom(addr, uint16(n)), nil
}

var errAddr = errors.New("must be ADDRESS:PORT, ADDRESS or PORT, with an IPv4 address and a port from 203 to 65433")

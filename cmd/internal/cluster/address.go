package cluster

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
)

// listenAddress parses an address to listen at: PORT, which means on loopback, or HOST:PORT.
func listenAddress(text string) (host string, port int, err error) {
	host, number, err := net.SplitHostPort(text)
	if err != nil {
		host, number = "127.0.0.1", text
	}
	port, err = strconv.Atoi(number)
	if err != nil || port < 0 || port > 65535 || host == "" {
		return "", 0, fmt.Errorf("listen = %q: must be PORT, or HOST:PORT", text)
	}
	return host, port, nil
}

// hosts returns the names and addresses at which other machines may reach a server that listens on host. The most
// likely name comes first. If the server listens on all interfaces, hosts returns the addresses of the interfaces that
// are up, in the order of the system, and then the name of the machine.
func hosts(host string) []string {
	ip := net.ParseIP(host)
	if ip == nil || !ip.IsUnspecified() {
		return []string{host}
	}
	var four, six []string
	interfaces, _ := net.Interfaces() // without them, only the name remains
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addresses, _ := i.Addrs()
		for _, a := range addresses {
			n, ok := a.(*net.IPNet)
			switch {
			// Skip link-local addresses: they need the name of a network interface, which differs between machines.
			case !ok || !n.IP.IsGlobalUnicast():
			case n.IP.To4() != nil:
				four = append(four, n.IP.String())
			case ip.To4() == nil:
				six = append(six, n.IP.String())
			}
		}
	}
	all := slices.Concat(four, six)
	if name, err := os.Hostname(); err == nil && name != "" {
		all = append(all, name)
	}
	if len(all) == 0 {
		all = []string{"127.0.0.1"}
	}
	return all
}

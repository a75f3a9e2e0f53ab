package access

import (
	"bufio"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"
)

// machine holds the names and addresses of this machine.
type machine struct {
	hostsFile string
	extra     map[string]bool // configured names, in canonical form

	mu    sync.Mutex
	read  time.Time // wall time at which own and alias were read
	own   map[string]bool
	alias map[string]bool // names in the hosts file
}

// refreshTime is how long names and addresses are cached. They change when the machine changes its network, but a flood
// of requests must not make the machine read them each time.
const refreshTime = time.Second

// maxHostsFile is the number of bytes read from the hosts file. Lists of blocked sites make it large, but a machine's
// own names are at its top.
const maxHostsFile = 1 << 20

func newMachine(extra []string) *machine {
	m := &machine{hostsFile: "/etc/hosts", extra: map[string]bool{}}
	for _, h := range extra {
		if h != "" {
			m.extra[canonical(h)] = true
		}
	}
	return m
}

// owns reports whether a host is this machine: loopback, an address of an interface, the host name, the host name with
// .local, or a configured name. If aliases is true, names that the hosts file maps to such an address count too.
func (m *machine) owns(host string, aliases bool) bool {
	host = canonical(host)
	if isLoopback(host) || m.extra[host] {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := func() bool { return m.own[host] || aliases && m.alias[host] }
	if !known() && time.Since(m.read) >= refreshTime {
		m.refresh()
		m.read = time.Now()
	}
	return known()
}

// refresh reads the machine's addresses and names.
func (m *machine) refresh() {
	m.own, m.alias = map[string]bool{}, map[string]bool{}
	addrs, _ := net.InterfaceAddrs() // after an error, only loopback is known
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			m.own[canonical(p.Addr().String())] = true
		}
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		first, _, _ := strings.Cut(name, ".")
		for _, n := range []string{name, first, first + ".local"} {
			m.own[canonical(n)] = true
		}
	}
	f, err := os.Open(m.hostsFile)
	if err != nil { // some systems have none
		return
	}
	defer f.Close()
	for s := bufio.NewScanner(io.LimitReader(f, maxHostsFile)); s.Scan(); {
		line, _, _ := strings.Cut(s.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if addr := canonical(fields[0]); isLoopback(addr) || m.own[addr] {
			for _, n := range fields[1:] {
				m.alias[canonical(n)] = true
			}
		}
	}
}

// isLoopback reports whether a host is a loopback address, or a name that RFC 6761 reserves for loopback. Unspecified
// addresses count too, because they connect to loopback.
func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// canonical returns the canonical form of a host.
func canonical(host string) string {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

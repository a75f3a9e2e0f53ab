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

// machine holds the names and addresses under which this machine is reached.
type machine struct {
	hostsFile string
	extra     map[string]bool // configured, in canonical form

	mu    sync.Mutex
	read  time.Time // when own and alias were read
	own   map[string]bool
	alias map[string]bool // of the hosts file
}

// refreshTime is how long names and addresses are kept: they change with networks, and a flood of requests must not
// read them for each.
const refreshTime = time.Second

// maxHostsFile bounds what is read of the hosts file, in bytes. Lists of blocked sites make it large; a machine's own
// names stand at the top.
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

// owns says whether a host is this machine's: loopback, an address of its interfaces, its name, that name with .local,
// or configured. With aliases, names count too that the hosts file maps to one of its addresses.
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
	addrs, _ := net.InterfaceAddrs() // on an error loopback is left
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

// isLoopback holds for loopback's addresses, the unspecified ones, which lead to it, and the names that lead nowhere
// else.
func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// canonical returns the one form of a host that has several.
func canonical(host string) string {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

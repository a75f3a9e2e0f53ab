package master

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Limits on registrations: of publishers, subscribers, services and parameter subscriptions together. Guesses, far
// above any graph: a simulation of ten robots has about 300 topics.
const (
	maxRegistrations = 1 << 15
	maxUnconfirmed   = maxRegistrations / 8 // of unconfirmed processes; the oldest of them is removed for a new one
	maxProcess       = maxRegistrations / 2 // of one process
	// of one process under other names than its first node's: a caller chooses its names freely
	maxForeign = 256
)

// process is the process at the address of a node's XML-RPC URI; maybe there is none.
type process struct {
	addr          string // host:port
	registrations int
	nodes         map[string]struct{}
	owner         string // the first of its nodes; empty once that has left
	number        int64  // in the order of arrival
	confirmed     bool   // it answered
	dialing       bool
	alive         time.Time // when it answered last
	dialed        time.Time // when it was tried last
}

// processes are the processes behind the registrations. A new one is unconfirmed until it answers. The unconfirmed have
// a limit of their own, so that false registrations displace no true ones.
type processes struct {
	byAddr                 map[string]*process
	last                   int64
	confirmed, unconfirmed int // registrations
}

func newProcesses() processes { return processes{byAddr: map[string]*process{}} }

// address returns host:port of a node's URI; all of this machine's loopback addresses are one.
func address(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return uri
	}
	host := strings.ToLower(u.Hostname())
	if local(host) {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, u.Port())
}

// local says whether a host is this machine by a loopback address.
func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// at returns the process at a node's URI, a new one where none is known.
func (s *processes) at(uri string) *process {
	addr := address(uri)
	p := s.byAddr[addr]
	if p == nil {
		s.last++
		p = &process{addr: addr, nodes: map[string]struct{}{}, number: s.last}
		s.byAddr[addr] = p
	}
	return p
}

func (s *processes) join(p *process, node string) {
	p.nodes[node] = struct{}{}
	if p.owner == "" {
		p.owner = node
	}
}

// part undoes join; a process without nodes is forgotten.
func (s *processes) part(p *process, node string) {
	delete(p.nodes, node)
	if p.owner == node {
		p.owner = ""
	}
	if len(p.nodes) == 0 {
		delete(s.byAddr, p.addr)
	}
}

// add counts n more registrations of a process.
func (s *processes) add(p *process, n int) {
	p.registrations += n
	if p.confirmed {
		s.confirmed += n
	} else {
		s.unconfirmed += n
	}
}

// confirm notes whether a process answered. It stays unconfirmed where there is no room among the confirmed.
func (s *processes) confirm(p *process, yes bool) {
	if yes && s.confirmed+p.registrations > maxRegistrations-maxUnconfirmed {
		return
	}
	n := p.registrations
	s.add(p, -n)
	p.confirmed = yes
	s.add(p, n)
}

// oldest returns the unconfirmed process that was registered first, other than besides, or nil.
func (s *processes) oldest(besides *process) (oldest *process) {
	for _, p := range s.byAddr {
		if p != besides && !p.confirmed && (oldest == nil || p.number < oldest.number) {
			oldest = p
		}
	}
	return oldest
}

// admit returns why one more registration of a node with this URI is refused, or nil. evict removes an unconfirmed
// process.
func (r *registry) admit(name, uri string, evict func(*process)) error {
	s := &r.processes
	p := s.byAddr[address(uri)]
	if p == nil {
		p = &process{}
	}
	own := 0
	if n := r.nodes[p.owner]; n != nil {
		own = len(n.regs)
	}
	switch {
	case p.owner != "" && p.owner != name && p.registrations-own >= maxForeign:
		return fmt.Errorf("%d names are registered at %s besides those of %s, whose address it is: must be at most %d",
			p.registrations-own, p.addr, p.owner, maxForeign)
	case p.registrations >= maxProcess+maxForeign || p.owner == name && own >= maxProcess:
		return fmt.Errorf("%d names are registered at %s: must be at most %d", p.registrations, p.addr, maxProcess)
	case p.confirmed && s.confirmed >= maxRegistrations-maxUnconfirmed:
		return fmt.Errorf("%d names are registered: must be at most %d", s.confirmed, maxRegistrations-maxUnconfirmed)
	case p.confirmed:
		return nil
	}
	for s.unconfirmed >= maxUnconfirmed {
		old := s.oldest(p)
		if old == nil {
			return fmt.Errorf("%d names are registered at %s, where nobody answers: must be at most %d",
				p.registrations, p.addr, maxUnconfirmed)
		}
		evict(old)
	}
	return nil
}

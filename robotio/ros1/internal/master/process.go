package master

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Limits of registrations: publishers, subscribers, services and parameter subscriptions together. Guesses, far above
// real graphs: a simulation of ten robots has about 300 topics.
const (
	maxRegistrations = 1 << 15
	maxUnconfirmed   = maxRegistrations / 8 // of unconfirmed processes; a new one displaces the oldest
	maxProcess       = maxRegistrations / 2 // of one process
	// of one process under names other than its first node's, because a caller can choose any name
	maxForeign = 256
)

// process is the process at the address in a node's XML-RPC URI. It may not exist.
type process struct {
	addr          string // host:port
	registrations int
	nodes         map[string]struct{}
	owner         string // its first node; empty if that has left
	number        int64  // order of registration
	confirmed     bool   // it answered
	dialing       bool
	alive         time.Time // time of its last answer
	dialed        time.Time // time of the last attempt to reach it
}

// processes are the processes of registered nodes. A new process is unconfirmed until it answers. Unconfirmed processes
// have a separate limit, so that false registrations cannot displace real ones.
type processes struct {
	byAddr                 map[string]*process
	last                   int64
	confirmed, unconfirmed int // number of registrations
}

func newProcesses() processes { return processes{byAddr: map[string]*process{}} }

// address returns host:port of a node's URI. All loopback addresses of this machine are the same.
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

// local reports whether a host is a loopback address.
func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// at returns the process at a node's URI. It adds one if there is none.
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

// part is the inverse of join. A process without nodes is removed.
func (s *processes) part(p *process, node string) {
	delete(p.nodes, node)
	if p.owner == node {
		p.owner = ""
	}
	if len(p.nodes) == 0 {
		delete(s.byAddr, p.addr)
	}
}

// add adds n registrations to a process.
func (s *processes) add(p *process, n int) {
	p.registrations += n
	if p.confirmed {
		s.confirmed += n
	} else {
		s.unconfirmed += n
	}
}

// confirm stores whether a process answered. The process stays unconfirmed if the confirmed ones are at their limit.
func (s *processes) confirm(p *process, yes bool) {
	if yes && s.confirmed+p.registrations > maxRegistrations-maxUnconfirmed {
		return
	}
	n := p.registrations
	s.add(p, -n)
	p.confirmed = yes
	s.add(p, n)
}

// oldest returns the unconfirmed process that was registered first, except besides, or nil.
func (s *processes) oldest(besides *process) (oldest *process) {
	for _, p := range s.byAddr {
		if p != besides && !p.confirmed && (oldest == nil || p.number < oldest.number) {
			oldest = p
		}
	}
	return oldest
}

// admit returns an error if one more registration of a node with this URI exceeds a limit, else nil. It calls evict to
// remove an unconfirmed process.
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

package master

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Limits on names: what processes are registered for, topics, subscriptions, services and watched parameters together.
// Guesses, far above any graph: a simulation of ten robots has about 300 topics.
const (
	maxNames       = 1 << 15
	maxUnconfirmed = maxNames / 8 // of these, of processes that nobody has reached; the oldest goes for a new one
	maxProcess     = maxNames / 2 // of one process
	maxGuests      = 256          // of one process under other nodes' names than its first: names are free to choose
)

// process is who answers at the address of a node's XML-RPC URI, or nobody.
type process struct {
	addr      string // host:port
	names     int
	nodes     map[string]struct{}
	owner     string // the first of its nodes; empty once that has left
	number    int64  // in the order of arrival
	confirmed bool   // something answered there
	dialing   bool
	alive     time.Time // when something answered there last
	dialed    time.Time // when it was tried last
}

// processes is who stands behind the registrations. A new process is unconfirmed until something answers at its address;
// the unconfirmed have places of their own, so that registrations of nobody take none from those that are there.
type processes struct {
	byAddr                 map[string]*process
	last                   int64
	confirmed, unconfirmed int // names
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

// add counts n more names of a process.
func (s *processes) add(p *process, n int) {
	p.names += n
	if p.confirmed {
		s.confirmed += n
	} else {
		s.unconfirmed += n
	}
}

// confirm notes whether a process was reached, and moves its names. It stays unconfirmed where there is no room for them
// among those of the confirmed.
func (s *processes) confirm(p *process, yes bool) {
	if yes && s.confirmed+p.names > maxNames-maxUnconfirmed {
		return
	}
	n := p.names
	s.add(p, -n)
	p.confirmed = yes
	s.add(p, n)
}

// oldest returns the unconfirmed process that has been there longest, besides one, or nil.
func (s *processes) oldest(besides *process) (oldest *process) {
	for _, p := range s.byAddr {
		if p != besides && !p.confirmed && (oldest == nil || p.number < oldest.number) {
			oldest = p
		}
	}
	return oldest
}

// admit says why one more name of a node of this URI is refused, or nil. evict removes an unconfirmed process to make room.
func (r *registry) admit(name, uri string, evict func(*process)) error {
	s := &r.processes
	p := s.byAddr[address(uri)]
	if p == nil {
		p = &process{} // nobody yet
	}
	own := 0
	if n := r.nodes[p.owner]; n != nil {
		own = len(n.regs)
	}
	switch {
	case p.owner != "" && p.owner != name && p.names-own >= maxGuests:
		return fmt.Errorf("%d names are registered at %s besides those of %s, whose address it is: must be at most %d", p.names-own, p.addr, p.owner, maxGuests)
	case p.names >= maxProcess+maxGuests || p.owner == name && own >= maxProcess:
		return fmt.Errorf("%d names are registered at %s: must be at most %d", p.names, p.addr, maxProcess)
	case p.confirmed && s.confirmed >= maxNames-maxUnconfirmed:
		return fmt.Errorf("%d names are registered: must be at most %d", s.confirmed, maxNames-maxUnconfirmed)
	case p.confirmed:
		return nil
	}
	for s.unconfirmed >= maxUnconfirmed {
		old := s.oldest(p)
		if old == nil {
			return fmt.Errorf("%d names are registered at %s, where nobody answers: must be at most %d", p.names, p.addr, maxUnconfirmed)
		}
		evict(old)
	}
	return nil
}

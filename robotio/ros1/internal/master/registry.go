package master

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// provider is a registered node: its name, and its XML-RPC URI or, for a service, its rosrpc URI.
type provider struct{ node, uri string }

// table maps a topic, service or parameter to its nodes, in the order of registration.
type table map[string][]provider

func (t table) add(key string, p provider) {
	if !slices.Contains(t[key], p) {
		t[key] = append(t[key], p)
	}
}

// remove removes p, and reports whether it was there.
func (t table) remove(key string, p provider) bool {
	i := slices.Index(t[key], p)
	if i < 0 {
		return false
	}
	if t[key] = slices.Delete(t[key], i, i+1); len(t[key]) == 0 {
		delete(t, key)
	}
	return true
}

// uris returns the nodes' URIs for XML-RPC.
func (t table) uris(key string) []any {
	list := []any{}
	for _, p := range t[key] {
		list = append(list, p.uri)
	}
	return list
}

// state returns the keys with their nodes' names, sorted by key.
func (t table) state() []any {
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(t)) {
		nodes := []any{}
		for _, p := range t[key] {
			nodes = append(nodes, p.node)
		}
		list = append(list, []any{key, nodes})
	}
	return list
}

// These are the kinds of registrations.
const (
	publishes = iota
	subscribes
	watches // a parameter
	serves
)

// registration is one registration of a node: for a topic, service or parameter.
type registration struct {
	kind int
	key  string
}

// node is a node with a registration.
type node struct {
	uri     string // of its XML-RPC server
	process *process
	regs    map[registration]struct{}
}

// registry holds publishers, subscribers and services, with their nodes and processes.
type registry struct {
	nodes              map[string]*node // by name
	processes          processes
	pubs, subs, params table
	services           map[string]provider // the newest provider wins
	types              map[string]string   // types of topics, by topic; kept when the last publisher leaves
}

func newRegistry() registry {
	return registry{map[string]*node{}, newProcesses(), table{}, table{}, table{}, map[string]provider{},
		map[string]string{}}
}

// table returns the table of a kind, except services.
func (r *registry) table(kind int) table { return [...]table{r.pubs, r.subs, r.params}[kind] }

// registerNode stores a node's URI. If another process had the name, registerNode removes that process's registrations
// under the name. It then returns the URI of the old node and the topics that the old node published.
func (r *registry) registerNode(name, uri string) (old string, topics []string) {
	n := r.nodes[name]
	if n != nil && n.uri == uri {
		return "", nil
	}
	if n != nil {
		old, topics = n.uri, r.purge(name)
	}
	n = &node{uri: uri, process: r.processes.getOrAdd(uri), regs: map[registration]struct{}{}}
	r.processes.join(n.process, name)
	r.nodes[name] = n
	return old, topics
}

// add adds a registration for a topic or a parameter. It is called after registerNode.
func (r *registry) add(kind int, key, name string) {
	n := r.nodes[name]
	r.table(kind).add(key, provider{name, n.uri})
	r.count(n, registration{kind, key})
}

// remove is the inverse of add, and reports whether there was a registration.
func (r *registry) remove(kind int, key string, p provider) bool {
	if !r.table(kind).remove(key, p) {
		return false
	}
	r.discount(p.node, registration{kind, key})
	return true
}

// serve registers a node as the provider of a service. The node replaces an earlier provider. serve is called after
// registerNode.
func (r *registry) serve(service string, p provider) {
	old, there := r.services[service]
	r.services[service] = p
	r.count(r.nodes[p.node], registration{serves, service})
	if there && old.node != p.node {
		r.discount(old.node, registration{serves, service})
	}
}

// unserve is the inverse of serve, and reports whether there was a registration.
func (r *registry) unserve(service string, p provider) bool {
	if r.services[service] != p {
		return false
	}
	delete(r.services, service)
	r.discount(p.node, registration{serves, service})
	return true
}

// count adds a registration to a node.
func (r *registry) count(n *node, reg registration) {
	if _, there := n.regs[reg]; !there {
		n.regs[reg] = struct{}{}
		r.processes.add(n.process, 1)
	}
}

// discount is the inverse of count. A node without registrations is removed.
func (r *registry) discount(name string, reg registration) {
	n := r.nodes[name]
	delete(n.regs, reg)
	r.processes.add(n.process, -1)
	if len(n.regs) == 0 {
		r.forget(name)
	}
}

func (r *registry) forget(name string) {
	r.processes.leave(r.nodes[name].process, name)
	delete(r.nodes, name)
}

// purge removes a node with its registrations, and returns the topics that it published.
func (r *registry) purge(name string) (topics []string) {
	n := r.nodes[name]
	for reg := range n.regs {
		if reg.kind == serves {
			delete(r.services, reg.key)
			continue
		}
		if reg.kind == publishes {
			topics = append(topics, reg.key)
		}
		r.table(reg.kind).remove(reg.key, provider{name, n.uri})
	}
	r.processes.add(n.process, -len(n.regs))
	r.forget(name)
	return topics
}

// setType stores a topic's type. Types of unused topics stay while there is space.
func (r *registry) setType(topic, typ string) {
	if len(r.types) >= maxRegistrations {
		maps.DeleteFunc(r.types, func(topic, _ string) bool { return r.pubs[topic] == nil && r.subs[topic] == nil })
	}
	r.types[topic] = typ
}

// Limits of registrations: publishers, subscribers, services and parameter subscriptions together. Guesses, far above
// real graphs: a simulation of ten robots has about 300 topics.
const (
	maxRegistrations = 1 << 15
	maxUnconfirmed   = maxRegistrations / 8 // maximum for unconfirmed processes; a new process displaces the oldest
	maxProcess       = maxRegistrations / 2 // of one process
	// maximum for one process under names other than the name of its first node, because a caller can choose any name
	maxForeign = 256
)

// process is the process at the address in a node's XML-RPC URI. Such a process need not exist, because a caller can
// register any URI.
type process struct {
	addr          string // host:port
	registrations int
	nodes         map[string]struct{}
	owner         string // first node of the process; empty after this node has left
	number        int64  // order of registration
	confirmed     bool   // it answered
	dialing       bool
	alive         time.Time // time of its last answer
	dialed        time.Time // time of the last attempt to reach the process
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

// getOrAdd returns the process at a node's URI. If there is none, getOrAdd adds one.
func (s *processes) getOrAdd(uri string) *process {
	addr := address(uri)
	p := s.byAddr[addr]
	if p == nil {
		s.last++
		p = &process{addr: addr, nodes: map[string]struct{}{}, number: s.last}
		s.byAddr[addr] = p
	}
	return p
}

// join adds a node to a process.
func (s *processes) join(p *process, node string) {
	p.nodes[node] = struct{}{}
	if p.owner == "" {
		p.owner = node
	}
}

// leave is the inverse of join. A process without nodes is removed.
func (s *processes) leave(p *process, node string) {
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

// confirm stores whether a process answered. A process that answered still stays unconfirmed if the confirmed processes
// have reached their limit.
func (s *processes) confirm(p *process, yes bool) {
	if yes && s.confirmed+p.registrations > maxRegistrations-maxUnconfirmed {
		return
	}
	n := p.registrations
	s.add(p, -n)
	p.confirmed = yes
	s.add(p, n)
}

// oldest returns the unconfirmed process that was registered first, but never the process except. It returns nil if
// there is none.
func (s *processes) oldest(except *process) (oldest *process) {
	for _, p := range s.byAddr {
		if p != except && !p.confirmed && (oldest == nil || p.number < oldest.number) {
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

package master

import (
	"maps"
	"slices"
)

// provider is a registered node: its name and its XML-RPC URI (for a service, its rosrpc URI).
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
	types              map[string]string   // topic → type, kept when the last publisher leaves
}

func newRegistry() registry {
	return registry{map[string]*node{}, newProcesses(), table{}, table{}, table{}, map[string]provider{},
		map[string]string{}}
}

// table returns the table of a kind, except services.
func (r *registry) table(kind int) table { return [...]table{r.pubs, r.subs, r.params}[kind] }

// registerNode stores a node's URI. If another process had the name, it removes that process's registrations of the
// name, and returns its URI and the topics that it published.
func (r *registry) registerNode(name, uri string) (old string, topics []string) {
	n := r.nodes[name]
	if n != nil && n.uri == uri {
		return "", nil
	}
	if n != nil {
		old, topics = n.uri, r.purge(name)
	}
	n = &node{uri: uri, process: r.processes.at(uri), regs: map[registration]struct{}{}}
	r.processes.join(n.process, name)
	r.nodes[name] = n
	return old, topics
}

// add adds a registration, except for a service. It is called after registerNode.
func (r *registry) add(kind int, key, name string) {
	n := r.nodes[name]
	r.table(kind).add(key, provider{name, n.uri})
	r.count(n, registration{kind, key})
}

// remove is the inverse of add, and reports whether there was a registration. A node without registrations is removed.
func (r *registry) remove(kind int, key string, p provider) bool {
	if !r.table(kind).remove(key, p) {
		return false
	}
	r.discount(p.node, registration{kind, key})
	return true
}

// serve registers a node as a service's provider, instead of an earlier one. It is called after registerNode.
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

func (r *registry) count(n *node, reg registration) {
	if _, there := n.regs[reg]; !there {
		n.regs[reg] = struct{}{}
		r.processes.add(n.process, 1)
	}
}

func (r *registry) discount(name string, reg registration) {
	n := r.nodes[name]
	delete(n.regs, reg)
	r.processes.add(n.process, -1)
	if len(n.regs) == 0 {
		r.forget(name)
	}
}

func (r *registry) forget(name string) {
	r.processes.part(r.nodes[name].process, name)
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

// learn stores a topic's type. Types of unused topics stay while there is space.
func (r *registry) learn(topic, typ string) {
	if len(r.types) >= maxRegistrations {
		maps.DeleteFunc(r.types, func(topic, _ string) bool { return r.pubs[topic] == nil && r.subs[topic] == nil })
	}
	r.types[topic] = typ
}

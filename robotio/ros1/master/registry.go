package master

import (
	"maps"
	"slices"
)

// provider is a node as it registered: its name and its XML-RPC URI (or, for a service, its rosrpc URI).
type provider struct{ node, uri string }

// table maps a topic, service or parameter to its providers, in the order of their registration.
type table map[string][]provider

func (t table) add(key string, p provider) {
	if !slices.Contains(t[key], p) {
		t[key] = append(t[key], p)
	}
}

// remove says whether p was there.
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

// uris lists the providers' URIs as XML-RPC wants them.
func (t table) uris(key string) []any {
	list := []any{}
	for _, p := range t[key] {
		list = append(list, p.uri)
	}
	return list
}

// state lists keys with their nodes' names, sorted by key.
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

// Kinds of registrations.
const (
	publishes = iota
	subscribes
	watches // a parameter
	serves
)

// registration is what a node is registered for: a topic, service or parameter.
type registration struct {
	kind int
	key  string
}

// node is a node that is registered for something.
type node struct {
	uri     string // of its XML-RPC
	process *process
	regs    map[registration]struct{}
}

// registry holds the publishers, subscribers and services, their nodes, and the processes of these.
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

// table returns the providers of a kind, services apart.
func (r *registry) table(kind int) table { return [...]table{r.pubs, r.subs, r.params}[kind] }

// registerNode notes a node's URI. Where another process had the name, its registrations are removed, and its URI and
// the topics that it published are returned.
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

// add registers a node, after registerNode, for anything but a service.
func (r *registry) add(kind int, key, name string) {
	n := r.nodes[name]
	r.table(kind).add(key, provider{name, n.uri})
	r.count(n, registration{kind, key})
}

// remove undoes add, and says whether there was something to undo. A node that is registered for nothing any more is
// forgotten.
func (r *registry) remove(kind int, key string, p provider) bool {
	if !r.table(kind).remove(key, p) {
		return false
	}
	r.discount(p.node, registration{kind, key})
	return true
}

// serve registers a node, after registerNode, for a service, in the place of the provider before.
func (r *registry) serve(service string, p provider) {
	old, there := r.services[service]
	r.services[service] = p
	r.count(r.nodes[p.node], registration{serves, service})
	if there && old.node != p.node {
		r.discount(old.node, registration{serves, service})
	}
}

// unserve undoes serve, and says whether there was something to undo.
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

// purge removes a node and its registrations, and returns the topics that it published.
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

// learn notes a topic's type. Types of unused topics are kept while there is room.
func (r *registry) learn(topic, typ string) {
	if len(r.types) >= maxRegistrations {
		maps.DeleteFunc(r.types, func(topic, _ string) bool { return r.pubs[topic] == nil && r.subs[topic] == nil })
	}
	r.types[topic] = typ
}

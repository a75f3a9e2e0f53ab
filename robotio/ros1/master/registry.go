package master

import "slices"

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

// removeNode removes everything of a node and returns the keys it was found under.
func (t table) removeNode(node string) (keys []string) {
	for key, ps := range t {
		rest := slices.DeleteFunc(slices.Clone(ps), func(p provider) bool { return p.node == node })
		if len(rest) == len(ps) {
			continue
		}
		keys = append(keys, key)
		if t[key] = rest; len(rest) == 0 {
			delete(t, key)
		}
	}
	return keys
}

// holds says whether a node is registered under any key.
func (t table) holds(node string) bool {
	for _, ps := range t {
		if slices.ContainsFunc(ps, func(p provider) bool { return p.node == node }) {
			return true
		}
	}
	return false
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
	for _, key := range sortedKeys(t) {
		nodes := []any{}
		for _, p := range t[key] {
			nodes = append(nodes, p.node)
		}
		list = append(list, []any{key, nodes})
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// registry is who publishes, subscribes and serves what.
type registry struct {
	nodes              map[string]string // name → XML-RPC URI
	pubs, subs, params table
	services           map[string]provider // the newest provider wins
	types              map[string]string   // topic → type, kept when the last publisher leaves
}

func newRegistry() registry {
	return registry{map[string]string{}, table{}, table{}, table{}, map[string]provider{}, map[string]string{}}
}

// enter notes a node's URI. Where another process bore the name, its registrations go, its old URI is
// returned, and the topics it published.
func (r *registry) enter(node, uri string) (old string, topics []string) {
	old = r.nodes[node]
	r.nodes[node] = uri
	if old == "" || old == uri {
		return "", nil
	}
	return old, r.purge(node)
}

// purge removes a node's registrations and returns the topics that it published.
func (r *registry) purge(node string) []string {
	topics := r.pubs.removeNode(node)
	r.subs.removeNode(node)
	r.params.removeNode(node)
	for s, p := range r.services {
		if p.node == node {
			delete(r.services, s)
		}
	}
	return topics
}

// leave forgets a node that is registered for nothing any more.
func (r *registry) leave(node string) {
	for _, p := range r.services {
		if p.node == node {
			return
		}
	}
	if !r.pubs.holds(node) && !r.subs.holds(node) && !r.params.holds(node) {
		delete(r.nodes, node)
	}
}

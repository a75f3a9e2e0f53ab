package master

import (
	"fmt"
	"maps"
)

// Limits on what callers can make the master remember. Guesses, far above any graph: a simulation of ten robots has
// about 300 topics, and a robot description is a parameter of about 1 MB.
const (
	maxNames  = 1 << 15  // topics, subscriptions, services and watched parameters, together
	maxParams = 64 << 20 // bytes of parameters
)

// full says why the master does not remember what a call wants it to, or nil.
func (m *Master) full(method string, c call) error {
	switch method {
	case "registerPublisher", "registerSubscriber", "registerService", "subscribeParam":
		if n := m.reg.size(); n >= maxNames {
			return fmt.Errorf("%d names are registered: must be at most %d", n, maxNames)
		}
	case "setParam":
		if n := m.params.grow(c.s[0], c.value); n > maxParams {
			return fmt.Errorf("parameters of %d bytes: must be at most %d", n, maxParams)
		}
	}
	return nil
}

// size counts what the registry remembers. Types of topics that nobody uses any more are remembered while there is room.
func (r *registry) size() int {
	n := len(r.services) + r.pubs.size() + r.subs.size() + r.params.size()
	if n+len(r.types) >= maxNames {
		maps.DeleteFunc(r.types, func(topic, _ string) bool { return r.pubs[topic] == nil && r.subs[topic] == nil })
	}
	return n + len(r.types)
}

func (t table) size() (n int) {
	for _, ps := range t {
		n += len(ps)
	}
	return n
}

// grow returns a bound of the tree's bytes once v is set at key. It counts what was set, and the tree anew when that
// comes to more than maxParams, so that a parameter that is set again and again costs little.
func (p *params) grow(key string, v any) int {
	add := len(key) + size(v)
	if p.bytes+add > maxParams {
		p.bytes = size(p.tree())
		old, _ := p.get(key)
		if add -= size(old); p.bytes+add > maxParams {
			return p.bytes + add
		}
	}
	p.bytes += add
	return p.bytes
}

// size estimates the bytes that a value takes, the maps and lists that hold it included.
func size(v any) int {
	const each = 16
	n := each
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			n += each + len(k) + size(e)
		}
	case []any:
		for _, e := range v {
			n += size(e)
		}
	case string:
		n += len(v)
	case []byte:
		n += len(v)
	}
	return n
}

package master

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// maxKey is the maximum length of a parameter key in bytes. It also limits the depth of the tree. It is a guess.
const maxKey = 1024

// params is the tree of parameters: maps are namespaces. The zero value is empty.
type params struct {
	root  map[string]any
	bytes int // upper bound of the tree's size, see grow
}

func splitKey(key string) []string {
	return strings.FieldsFunc(key, func(r rune) bool { return r == '/' })
}

// get returns the value or subtree at an absolute key.
func (p *params) get(key string) (any, bool) {
	var v any = p.tree()
	for _, part := range splitKey(key) {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[part]; !ok {
			return nil, false
		}
	}
	return v, true
}

func (p *params) tree() map[string]any {
	if p.root == nil {
		p.root = map[string]any{}
	}
	return p.root
}

// set replaces the value or subtree at an absolute key. Values on the path to the key become namespaces. set returns
// false if the root would not be a namespace.
func (p *params) set(key string, v any) bool {
	parts := splitKey(key)
	if len(parts) == 0 {
		m, ok := v.(map[string]any)
		if ok {
			p.root = m
		}
		return ok
	}
	d := p.tree()
	for _, part := range parts[:len(parts)-1] {
		next, ok := d[part].(map[string]any)
		if !ok {
			next = map[string]any{}
			d[part] = next
		}
		d = next
	}
	d[parts[len(parts)-1]] = v
	return true
}

// remove removes a key, and reports whether it existed.
func (p *params) remove(key string) bool {
	parts := splitKey(key)
	if len(parts) == 0 {
		return false
	}
	above, _ := p.get(strings.Join(parts[:len(parts)-1], "/"))
	d, _ := above.(map[string]any)
	last := parts[len(parts)-1]
	if _, ok := d[last]; !ok {
		return false
	}
	delete(d, last)
	return true
}

// names returns the keys of all values.
func (p *params) names() []any {
	list := []any{}
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if sub, ok := m[k].(map[string]any); ok {
				walk(prefix+k+"/", sub)
			} else {
				list = append(list, prefix+k)
			}
		}
	}
	walk("/", p.tree())
	return list
}

// search looks for the first part of a relative key in the namespace ns, and then in the namespaces that contain ns.
func (p *params) search(ns, key string) (string, bool) {
	if strings.HasPrefix(key, "/") {
		_, ok := p.get(key)
		return key, ok
	}
	parts, above := splitKey(key), splitKey(ns)
	if len(parts) == 0 || strings.HasPrefix(key, "~") {
		return "", false
	}
	for n := len(above); n >= 0; n-- {
		prefix := "/" + strings.Join(above[:n], "/")
		if _, ok := p.get(prefix + "/" + parts[0]); ok {
			return graph.Canonical(prefix + "/" + key), true
		}
	}
	return "", false
}

func (m *Master) setParam(c call) (int, string, any) {
	key := c.s[0]
	if !m.params.set(key, c.value) {
		return -1, "cannot set root of parameter tree to non-dictionary", 0
	}
	m.paramChanged(key, c.value, c.id)
	return 1, "parameter " + key + " set", 0
}

func (m *Master) getParam(c call) (int, string, any) {
	if v, ok := m.params.get(c.s[0]); ok {
		return 1, "Parameter [" + c.s[0] + "]", xmlrpc.Clone(v)
	}
	return -1, "Parameter [" + c.s[0] + "] is not set", 0
}

func (m *Master) deleteParam(c call) (int, string, any) {
	if !m.params.remove(c.s[0]) {
		return -1, "parameter [" + c.s[0] + "] is not set", 0
	}
	m.paramChanged(c.s[0], map[string]any{}, "")
	return 1, "parameter " + c.s[0] + " deleted", 0
}

func (m *Master) hasParam(c call) (int, string, any) {
	_, ok := m.params.get(c.s[0])
	return 1, c.s[0], ok
}

func (m *Master) searchParam(c call) (int, string, any) {
	if key, ok := m.params.search(c.id, c.s[0]); ok {
		return 1, "Found [" + key + "]", key
	}
	return -1, "Cannot find parameter [" + c.s[0] + "] in an upwards search", ""
}

func (m *Master) getParamNames(call) (int, string, any) {
	return 1, "Parameter names", m.params.names()
}

func (m *Master) subscribeParam(c call) (int, string, any) {
	uri, key := c.s[0], c.s[1]
	m.registerNode(c.id, uri)
	m.reg.add(watches, key, c.id)
	v, ok := m.params.get(key)
	if !ok {
		v = map[string]any{} // what rosmaster returns if nothing is set
	}
	return 1, "Subscribed to parameter [" + key + "]", xmlrpc.Clone(v)
}

func (m *Master) unsubscribeParam(c call) (int, string, any) {
	uri, key := c.s[0], c.s[1]
	m.reg.remove(watches, key, provider{c.id, uri})
	return 1, "Unsubscribe to parameter [" + key + "]", 1
}

// paramChanged notifies the nodes that subscribe to key, to a namespace that contains key, or to a key below it. It
// does not notify the node that made the change. Keys end with a slash, as in rosmaster.
func (m *Master) paramChanged(key string, value any, by string) {
	for sub, nodes := range m.reg.params {
		k, v := withSlash(key), value
		switch {
		case strings.HasPrefix(withSlash(key), withSlash(sub)):
		case strings.HasPrefix(withSlash(sub), withSlash(key)):
			k = withSlash(sub)
			var ok bool
			if v, ok = m.params.get(sub); !ok {
				v = map[string]any{}
			}
		default:
			continue
		}
		for _, n := range nodes {
			if n.node != by {
				m.callBack(n, "paramUpdate", k, k, xmlrpc.Clone(v))
			}
		}
	}
}

func withSlash(s string) string { return strings.TrimSuffix(s, "/") + "/" }

// maxParams is the maximum size of all parameters together, in bytes. It is a guess: a robot description takes about 1
// MB.
const maxParams = 64 << 20

// full returns an error if a call would exceed a limit, else nil.
func (m *Master) full(method string, c call) error {
	if method == "setParam" {
		if n := m.params.grow(c.s[0], c.value); n > maxParams {
			return fmt.Errorf("parameters of %d bytes: must be at most %d", n, maxParams)
		}
	}
	if uri := registers(method, c); uri != "" {
		return m.reg.admit(c.id, uri, m.evict)
	}
	return nil
}

// registers returns the URI of the node that a call registers, or "" for other calls.
func registers(method string, c call) string {
	switch method {
	case "registerPublisher", "registerSubscriber", "registerService":
		return c.s[2]
	case "subscribeParam":
		return c.s[0]
	}
	return ""
}

// grow returns an upper bound of the size of the tree in bytes after v has been set at key. It adds up the sizes of the
// new values, and measures the whole tree only if the sum exceeds maxParams. So repeated calls for the same parameter
// cost little.
func (p *params) grow(key string, v any) int {
	add := len(key) + xmlrpc.Size(v)
	if p.bytes+add > maxParams {
		p.bytes = xmlrpc.Size(p.tree())
		old, _ := p.get(key)
		if add -= xmlrpc.Size(old); p.bytes+add > maxParams {
			return p.bytes + add
		}
	}
	p.bytes += add
	return p.bytes
}

package master

import (
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

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
		v = map[string]any{} // as rosmaster returns if nothing is set
	}
	return 1, "Subscribed to parameter [" + key + "]", xmlrpc.Clone(v)
}

func (m *Master) unsubscribeParam(c call) (int, string, any) {
	uri, key := c.s[0], c.s[1]
	m.reg.remove(watches, key, provider{c.id, uri})
	return 1, "Unsubscribe to parameter [" + key + "]", 1
}

// paramChanged notifies subscribers of key, of its namespaces and of keys below it, except the node that changed it.
// Keys end with a slash, as in rosmaster.
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

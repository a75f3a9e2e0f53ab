package master

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// registerNode stores the caller's URI. If another node had the name, it is told to shut down.
func (m *Master) registerNode(node, uri string) {
	old, topics := m.reg.registerNode(node, uri)
	if old == "" {
		return
	}
	m.log.Warn("ros master: a new node took the name of an old one", "node", node, "old", old, "new", uri)
	m.calls.queue(address(old), false, old, "shutdown", "", "["+node+"] Reason: new node registered with same name")
	for _, t := range topics {
		m.publishersChanged(t)
	}
}

// callBack queues a call to a registered node.
func (m *Master) callBack(n provider, method, key string, args ...any) {
	p := m.reg.nodes[n.node].process
	m.calls.queue(p.addr, p.confirmed, n.uri, method, key, args...)
}

// publishersChanged sends the list of a topic's publishers to its subscribers.
func (m *Master) publishersChanged(topic string) {
	uris := m.reg.pubs.uris(topic)
	for _, s := range m.reg.subs[topic] {
		m.callBack(s, "publisherUpdate", topic, topic, uris)
	}
}

func (m *Master) registerPublisher(c call) (int, string, any) {
	topic, typ, uri := c.s[0], c.s[1], c.s[2]
	m.registerNode(c.id, uri)
	m.reg.add(publishes, topic, c.id)
	if _, known := m.reg.types[topic]; typ != "*" || !known {
		m.reg.learn(topic, typ)
	}
	m.publishersChanged(topic)
	return 1, "Registered [" + c.id + "] as publisher of [" + topic + "]", m.reg.subs.uris(topic)
}

func (m *Master) unregisterPublisher(c call) (int, string, any) {
	if !m.reg.remove(publishes, c.s[0], provider{c.id, c.s[1]}) {
		return 1, "[" + c.id + "] is not a known provider of [" + c.s[0] + "]", 0
	}
	m.publishersChanged(c.s[0])
	return 1, "Unregistered [" + c.id + "] as provider of [" + c.s[0] + "]", 1
}

func (m *Master) registerSubscriber(c call) (int, string, any) {
	topic, typ, uri := c.s[0], c.s[1], c.s[2]
	m.registerNode(c.id, uri)
	m.reg.add(subscribes, topic, c.id)
	if _, known := m.reg.types[topic]; typ != "*" && !known {
		m.reg.learn(topic, typ)
	}
	return 1, "Subscribed to [" + topic + "]", m.reg.pubs.uris(topic)
}

func (m *Master) unregisterSubscriber(c call) (int, string, any) {
	if !m.reg.remove(subscribes, c.s[0], provider{c.id, c.s[1]}) {
		return 1, "[" + c.id + "] is not a known provider of [" + c.s[0] + "]", 0
	}
	return 1, "Unregistered [" + c.id + "] as provider of [" + c.s[0] + "]", 1
}

func (m *Master) registerService(c call) (int, string, any) {
	m.registerNode(c.id, c.s[2])
	m.reg.serve(c.s[0], provider{c.id, c.s[1]})
	return 1, "Registered [" + c.id + "] as provider of [" + c.s[0] + "]", 1
}

func (m *Master) unregisterService(c call) (int, string, any) {
	if !m.reg.unserve(c.s[0], provider{c.id, c.s[1]}) {
		return 1, "[" + c.id + "] is no longer the current service api handle for [" + c.s[0] + "]", 0
	}
	return 1, "Unregistered [" + c.id + "] as provider of [" + c.s[0] + "]", 1
}

func (m *Master) lookupNode(c call) (int, string, any) {
	if n, ok := m.reg.nodes[c.s[0]]; ok {
		return 1, "node api", n.uri
	}
	return -1, "unknown node [" + c.s[0] + "]", ""
}

func (m *Master) lookupService(c call) (int, string, any) {
	if p, ok := m.reg.services[c.s[0]]; ok {
		return 1, "rosrpc URI: [" + p.uri + "]", p.uri
	}
	return -1, "no provider", ""
}

func (m *Master) getPublishedTopics(c call) (int, string, any) {
	list := []any{}
	for _, t := range slices.Sorted(maps.Keys(m.reg.pubs)) {
		if strings.HasPrefix(t, c.s[0]) {
			list = append(list, []any{t, m.reg.types[t]})
		}
	}
	return 1, "current topics", list
}

func (m *Master) getTopicTypes(call) (int, string, any) {
	list := []any{}
	for _, t := range slices.Sorted(maps.Keys(m.reg.types)) {
		list = append(list, []any{t, m.reg.types[t]})
	}
	return 1, "current system state", list
}

func (m *Master) getSystemState(call) (int, string, any) {
	services := []any{}
	for _, s := range slices.Sorted(maps.Keys(m.reg.services)) {
		services = append(services, []any{s, []any{m.reg.services[s].node}})
	}
	return 1, "current system state", []any{m.reg.pubs.state(), m.reg.subs.state(), services}
}

func (m *Master) getURI(call) (int, string, any) { return 1, "", m.uri }

func (m *Master) getPid(call) (int, string, any) { return 1, "", os.Getpid() }

// refuseShutdown refuses the call: the master ends with its program.
func (m *Master) refuseShutdown(call) (int, string, any) {
	return -1, "this master is embedded: stop the program that runs it", 0
}

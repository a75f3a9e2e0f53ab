package master

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// call is a call with checked arguments: names are resolved, and missing strings are empty.
type call struct {
	id    string   // caller id, an absolute name
	s     []string // string arguments after the caller id, in order
	value any      // of setParam
}

// method describes a method: the kinds of its arguments, the value returned for bad arguments, and the function.
type method struct {
	args   string // kinds of the arguments after the caller id, one letter for each argument; see check
	failed any
	do     func(m *Master, c call) (code int, text string, value any)
}

// maxText is the maximum length of names, URIs and types, in bytes. It is a guess, far above real ones.
const maxText = 1024

// check checks arguments and resolves names. The letters of the kinds mean: n a graph name, k the key of a parameter, a
// the XML-RPC URI of a node, r the rosrpc URI of a service, t a type or *, s a subgraph or an empty text, x any text, v
// any value.
func (a method) check(args []any) (call, error) {
	if len(args) != 1+len(a.args) {
		return call{}, fmt.Errorf("%d arguments: must be %d", len(args), 1+len(a.args))
	}
	id, ok := args[0].(string)
	if !ok || id == "" || len(id) > maxText {
		return call{}, fmt.Errorf("caller_id = %.80v: must be a name of at most %d bytes", args[0], maxText)
	}
	if !strings.HasPrefix(id, "/") { // scripts use caller ids such as rosparam or rostopic
		id = "/" + id
	}
	c := call{id: id}
	for i, kind := range a.args {
		if kind == 'v' {
			c.value = args[i+1]
			continue
		}
		s, ok := args[i+1].(string)
		if !ok {
			return call{}, fmt.Errorf("argument %d = %v: must be a string", i+1, args[i+1])
		}
		if len(s) > maxText && kind != 'x' && kind != 'k' {
			return call{}, fmt.Errorf("argument %d of %d bytes: must be at most %d", i+1, len(s), maxText)
		}
		s, err := checkString(kind, s, id)
		if err != nil {
			return call{}, fmt.Errorf("argument %d: %w", i+1, err)
		}
		c.s = append(c.s, s)
	}
	return c, nil
}

func checkString(kind rune, s, id string) (string, error) {
	switch kind {
	case 'n':
		if err := graph.Check(s); err != nil {
			return "", err
		}
		return graph.Resolve(id, s), nil
	case 'k':
		if s == "" || len(s) > maxKey {
			return "", fmt.Errorf("parameter key of %d bytes: must be 1 to %d", len(s), maxKey)
		}
		return graph.Resolve(id, s), nil
	case 'a':
		if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
			return "", fmt.Errorf("node URI = %q: must be http://host:port/", s)
		}
	case 'r':
		if !strings.HasPrefix(s, "rosrpc://") {
			return "", fmt.Errorf("service URI = %q: must be rosrpc://host:port", s)
		}
	case 't':
		if s != "*" && strings.Count(s, "/") != 1 {
			return "", fmt.Errorf("type = %q: must be package/Type or *", s)
		}
	case 's':
		if s != "" {
			return strings.TrimSuffix(graph.Resolve(id, s), "/") + "/", nil
		}
	}
	return s, nil
}

// api has every method of the master and the parameter server.
var api = map[string]method{
	"registerService":      {"nra", 0, (*Master).registerService},
	"unregisterService":    {"nr", 0, (*Master).unregisterService},
	"registerSubscriber":   {"nta", []any{}, (*Master).registerSubscriber},
	"unregisterSubscriber": {"na", 0, (*Master).unregisterSubscriber},
	"registerPublisher":    {"nta", []any{}, (*Master).registerPublisher},
	"unregisterPublisher":  {"na", 0, (*Master).unregisterPublisher},
	"lookupNode":           {"n", "", (*Master).lookupNode},
	"lookupService":        {"n", "", (*Master).lookupService},
	"getPublishedTopics":   {"s", []any{}, (*Master).getPublishedTopics},
	"getTopicTypes":        {"", []any{}, (*Master).getTopicTypes},
	"getSystemState":       {"", []any{[]any{}, []any{}, []any{}}, (*Master).getSystemState},
	"getUri":               {"", "", (*Master).getURI},
	"getPid":               {"", -1, (*Master).getPid},
	"shutdown":             {"x", 0, (*Master).refuseShutdown},

	"setParam":         {"kv", 0, (*Master).setParam},
	"getParam":         {"k", 0, (*Master).getParam},
	"deleteParam":      {"k", 0, (*Master).deleteParam},
	"hasParam":         {"k", false, (*Master).hasParam},
	"searchParam":      {"x", "", (*Master).searchParam},
	"getParamNames":    {"", []any{}, (*Master).getParamNames},
	"subscribeParam":   {"ak", 0, (*Master).subscribeParam},
	"unsubscribeParam": {"ak", 0, (*Master).unsubscribeParam},
}

// registerNode stores the caller's URI. If another node had the name, the master asks that node to shut down.
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
		m.reg.setType(topic, typ)
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
		m.reg.setType(topic, typ)
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

// refuseShutdown refuses the call of shutdown, because the master ends with its program.
func (m *Master) refuseShutdown(call) (int, string, any) {
	return -1, "this master is embedded: stop the program that runs it", 0
}

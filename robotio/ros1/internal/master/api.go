package master

import (
	"fmt"
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
	args   string // one letter per argument after the caller id, see check
	failed any
	do     func(m *Master, c call) (code int, text string, value any)
}

// maxText bounds names, URIs and types, in bytes. A guess, far above real ones.
const maxText = 1024

// check checks and resolves arguments. Their kinds are n: graph name; k: parameter key; a: a node's XML-RPC URI; r: a
// service's rosrpc URI; t: a type or *; s: a subgraph or empty; x: any text; v: any value.
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

package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// State holds the publishers, subscribers and services that the master knows.
type State struct {
	Publishers, Subscribers, Services map[string][]string // names of nodes, by topic or service
	Types                             map[string]string   // types of topics, by topic; * if unknown
}

// Nodes returns the names of all nodes, sorted.
func (g *State) Nodes() (names []string) {
	for _, topics := range []map[string][]string{g.Publishers, g.Subscribers, g.Services} {
		for _, nodes := range topics {
			names = append(names, nodes...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Topics returns the names of all topics with a publisher or a subscriber, sorted.
func (g *State) Topics() []string {
	all := maps.Clone(g.Publishers)
	maps.Copy(all, g.Subscribers)
	return slices.Sorted(maps.Keys(all))
}

// FetchState asks the master at masterURI for the state of the graph. caller is the caller id. The state includes nodes
// that died without unregistering. FetchState returns an error if the master does not answer.
func FetchState(ctx context.Context, masterURI, caller string) (*State, error) {
	g, err := FetchNodes(ctx, masterURI, caller)
	if err != nil {
		return nil, err
	}
	v, err := Call(ctx, masterURI, "getTopicTypes", caller)
	if err != nil {
		return nil, err
	}
	pairs, _ := v.([]any)
	for _, p := range pairs {
		if pair, _ := p.([]any); len(pair) == 2 {
			topic, _ := pair[0].(string)
			g.Types[topic], _ = pair[1].(string)
		}
	}
	return g, nil
}

// FetchNodes is like FetchState, but leaves out the types. It needs only one call to the master instead of two.
func FetchNodes(ctx context.Context, masterURI, caller string) (*State, error) {
	v, err := Call(ctx, masterURI, "getSystemState", caller)
	if err != nil {
		return nil, err
	}
	lists, _ := v.([]any)
	if len(lists) != 3 {
		return nil, fmt.Errorf("master: getSystemState: answer %.80v: must be three lists", v)
	}
	return &State{named(lists[0]), named(lists[1]), named(lists[2]), map[string]string{}}, nil
}

// named decodes a list of the form [[name, [node…]]…] to a map from names to nodes.
func named(v any) map[string][]string {
	out := map[string][]string{}
	list, _ := v.([]any)
	for _, e := range list {
		pair, _ := e.([]any)
		if len(pair) != 2 {
			continue
		}
		name, _ := pair[0].(string)
		nodes, _ := pair[1].([]any)
		for _, v := range nodes {
			if node, ok := v.(string); ok {
				out[name] = append(out[name], node)
			}
		}
	}
	return out
}

// rpcTime is the maximum wall time of a call. 5 s is a guess with a wide margin: a healthy peer answers within
// milliseconds.
const rpcTime = 5 * time.Second

// Call calls a method of the master API or the slave API at uri, and returns the value in the answer. It returns an
// error if the answer is not [code, text, value], or if the code says that the call was refused or failed.
func Call(ctx context.Context, uri, method string, args ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, rpcTime)
	defer cancel()
	v, err := xmlrpc.Call(ctx, uri, method, args...)
	if err != nil {
		return nil, err
	}
	list, _ := v.([]any)
	if len(list) != 3 {
		return nil, fmt.Errorf("%s: %s: answer %.80v: must be [code, text, value]", uri, method, v)
	}
	if code, _ := list[0].(int); code != 1 {
		return nil, &RefusedError{URI: uri, Method: method, Text: fmt.Sprint(list[1])}
	}
	return list[2], nil
}

// RefusedError means that the master or a node has refused a valid call.
type RefusedError struct{ URI, Method, Text string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.URI, e.Method, e.Text)
}

// CheckParam returns an error if the master cannot store a value of a parameter. It can store bool, int, float64,
// string, []byte, []any and map[string]any, but no numbers that XML-RPC cannot express.
func CheckParam(value any) error { return xmlrpc.Check(value) }

// Process describes a running node or master.
type Process struct {
	Name string // empty for a master
	URI  string
	PID  int // process id; 0 if the process listens but does not answer, for example because it is stopped
}

func (p *Process) String() string {
	if p.PID == 0 {
		return fmt.Sprintf("%s (at %s, which does not answer)", p.Name, p.URI)
	}
	return fmt.Sprintf("%s (process %d at %s)", p.Name, p.PID, p.URI)
}

// whoTime is the maximum wall time of the request for a node's process id. If the node does not answer within this
// time, it still counts as running. 2 s is a guess.
const whoTime = 2 * time.Second

// Anonymous is the caller id that programs without a node use.
const Anonymous = "/omnipitch_asks"

// FindMaster asks the master at uri for its process id. It returns an error if no master answers there.
func FindMaster(ctx context.Context, uri string) (*Process, error) {
	v, err := Call(ctx, uri, "getPid", Anonymous)
	if err != nil {
		return nil, err
	}
	pid, _ := v.(int)
	return &Process{URI: uri, PID: pid}, nil
}

// FindNode asks the master for the address of the node with the given name, and asks that node for its process id. It
// returns nil if the master does not know the node, or if nothing listens at the node's address. It returns an error if
// the master does not answer.
func FindNode(ctx context.Context, masterURI, name string) (*Process, error) {
	v, err := Call(ctx, masterURI, "lookupNode", Anonymous, name)
	var unknown *RefusedError
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &Process{Name: name}
	p.URI, _ = v.(string)
	ctx, cancel := context.WithTimeout(ctx, whoTime)
	defer cancel()
	v, err = Call(ctx, p.URI, "getPid", Anonymous)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return nil, nil
	}
	p.PID, _ = v.(int)
	return p, nil
}

// maxName is the maximum length of a name in bytes. It is a guess with a wide margin, far above real names.
const maxName = 1024

// Check returns an error if s is not a valid name. A valid name has an optional / or ~ at its start, then a letter,
// then letters, digits, / and _. The root namespace / is valid too.
func Check(s string) error {
	rest := s
	if s == "/" {
		return nil
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") {
		rest = s[1:]
	}
	rest = strings.TrimPrefix(rest, "/") // ~/x means the same as ~x
	for i, r := range rest {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && r != '/' && (r < '0' || r > '9')) {
			return fmt.Errorf("name %q: must be letters, digits, / and _, a letter first", clip(s))
		}
	}
	if rest == "" || strings.Contains(rest, "//") || len(s) > maxName {
		return fmt.Errorf("name %q: must be 1 to %d bytes without //", clip(s), maxName)
	}
	return nil
}

// clip truncates text for an error message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// Namespace returns the namespace of an absolute name, with a slash at its start and its end. The namespace of /a/b is
// /a/, and the namespace of / is /.
func Namespace(name string) string {
	if name == "/" {
		return name
	}
	return name[:strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1]
}

// Canonical returns a name without double slashes and without a slash at its end.
func Canonical(name string) string {
	lead := ""
	if strings.HasPrefix(name, "/") {
		lead = "/"
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	return lead + strings.Join(parts, "/")
}

// Resolve returns the absolute form of a name that a node uses. node is the absolute name of the node. An absolute name
// stays as it is. A name such as ~private is below the name of the node. Any other name is in the namespace of the
// node.
func Resolve(node, name string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return Canonical(name)
	case strings.HasPrefix(name, "~"):
		return Canonical(node + "/" + name[1:])
	}
	return Canonical(Namespace(node) + name)
}

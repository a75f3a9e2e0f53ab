package ros1

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// GraphState is who publishes, subscribes and serves what, as the master knows it.
type GraphState struct {
	Publishers, Subscribers, Services map[string][]string // topic or service → names of nodes
	Types                             map[string]string   // topic → type; * where nobody said
}

// Graph asks the master for the state of the graph. It fails when the master does not answer.
func (n *Node) Graph(ctx context.Context) (*GraphState, error) {
	return graphState(func(method string) (any, error) { return n.CallMaster(ctx, method) })
}

func graphState(callMaster func(method string) (any, error)) (*GraphState, error) {
	v, err := callMaster("getSystemState")
	if err != nil {
		return nil, err
	}
	lists, _ := v.([]any)
	if len(lists) != 3 {
		return nil, fmt.Errorf("master: getSystemState: answer %.80v: must be three lists", v)
	}
	g := &GraphState{named(lists[0]), named(lists[1]), named(lists[2]), map[string]string{}}
	if v, err = callMaster("getTopicTypes"); err != nil {
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

// named reads [[name, [node…]]…].
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

// CallMaster calls a method of the master's or the parameter server's API under the node's name and returns the value
// of a success. It fails with a RefusedError where the master refuses, and when it does not answer.
func (n *Node) CallMaster(ctx context.Context, method string, args ...any) (any, error) {
	v, err := n.callMaster(ctx, method, args...)
	if err != nil {
		return nil, n.errorf("%w", err)
	}
	return v, nil
}

// ProbeTopic asks a publisher of topic, the node of that name, for the definition of its messages. For a moment the
// publisher has a subscriber more. It fails where the node publishes no such topic or does not answer.
func ProbeTopic(ctx context.Context, n *Node, topic, publisher string) (*msg.Definition, error) {
	def, err := n.probeTopic(ctx, topic, publisher)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	return def, nil
}

func (n *Node) probeTopic(ctx context.Context, topic, publisher string) (*msg.Definition, error) {
	v, err := n.callMaster(ctx, "lookupNode", publisher)
	if err != nil {
		return nil, err
	}
	uri, _ := v.(string)
	addr, err := n.requestTopicAt(ctx, uri, topic)
	if err != nil {
		return nil, err
	}
	conn, err := n.dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer n.untrack(conn)
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	theirs, err := handshake(conn, bufio.NewReader(conn), header{"callerid": n.name, "topic": topic, "type": "*", "md5sum": "*"})
	if err != nil {
		return nil, err
	}
	return n.definition(theirs)
}

// requestTopicAt asks a node where its topic is to be had over TCPROS.
func (n *Node) requestTopicAt(ctx context.Context, uri, topic string) (addr string, err error) {
	v, err := callNode(ctx, uri, "requestTopic", n.name, topic, []any{[]any{"TCPROS"}})
	if err != nil {
		return "", err
	}
	where, _ := v.([]any)
	if len(where) != 3 || where[0] != "TCPROS" {
		return "", fmt.Errorf("%s: requestTopic: answer %.80v: must be [TCPROS, host, port]", uri, v)
	}
	host, _ := where[1].(string)
	port, _ := where[2].(int)
	return net.JoinHostPort(host, strconv.Itoa(port)), nil
}

package ros1

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

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
	v, err := graph.Call(ctx, uri, "requestTopic", n.name, topic, []any{[]any{"TCPROS"}})
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

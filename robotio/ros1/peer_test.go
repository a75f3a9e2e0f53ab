package ros1

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// slowPublisher answers the handshake of a topic at once, and lists the connection later, as rospy and roscpp do.
type slowPublisher struct {
	asked, knows atomic.Bool
	offers       bool // getBusInfo
}

func (p *slowPublisher) start(t *testing.T, m *Master, n *Node, topic string) {
	t.Helper()
	listen := func() net.Listener { return must.Get(net.Listen("tcp", "127.0.0.1:0"))(t) }
	tcp, rpc := listen(), listen()
	server := xmlrpc.Serve(rpc, access.Rule{}.Guard("test", nil), func(_ context.Context, method string, _ []any) (any,
		error) {
		switch {
		case method == "requestTopic":
			return []any{1, "", []any{"TCPROS", "127.0.0.1", tcp.Addr().(*net.TCPAddr).Port}}, nil
		case method == "getBusInfo" && p.offers:
			p.asked.Store(true)
			list := []any{[]any{1, "/other", "o", "TCPROS", topic, true}, []any{2, "/sim", "i", "TCPROS", topic, true}}
			if p.knows.Load() {
				list = append(list, []any{3, "/sim", "o", "TCPROS", topic, true, ""})
			}
			return []any{1, "", list}, nil
		}
		return nil, errors.New("not supported")
	})
	t.Cleanup(func() { server.Close(); tcp.Close() })
	go func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			if h, err := tcpros.ReadHeader(c); err == nil {
				def, _ := n.MessageType("std_msgs/String")
				_ = tcpros.Header{"callerid": "/slow", "topic": h["topic"], "type": def.Name, "md5sum": def.MD5,
					"message_definition": def.Text}.Write(c)
			}
		}
	}()
	must.Get(graph.Call(t.Context(), m.URI(), "registerPublisher", "/slow", topic, "std_msgs/String",
		"http://"+rpc.Addr().String()+"/"))(t)
}

// A publisher counts as connected only once it lists the connection. Messages that it publishes before are lost.
func TestPeersKnowThatTheyAre(t *testing.T) {
	for _, offers := range []bool{true, false} {
		m := newMaster(t)
		sim := newNode(t, m.URI(), "/sim")
		p := &slowPublisher{offers: offers}
		p.start(t, m, sim, "/x")
		sub := must.Get(Subscribe(sim, "/x", "std_msgs/String", func(*msg.String) {}))(t)
		sub.Confirm()
		must.Until(t, "the connection", func() bool { return sub.NumPublishers() == 1 })
		if offers {
			must.Until(t, "the question", p.asked.Load)
			if peers := sub.Connections(); len(peers) != 0 {
				t.Errorf("connections %v, none of which the publisher lists", peers)
			}
			p.knows.Store(true)
		}
		must.Until(t, "the peer", func() bool {
			peers := sub.Connections()
			return len(peers) == 1 && peers[0].Node == "/slow"
		})
	}
}

// The master's answer to a registration may be older than an update that it sent meanwhile.
func TestUpdatesBeforeTheAnswerOfARegistrationCount(t *testing.T) {
	publisher := &slowPublisher{offers: true}
	publisher.knows.Store(true)
	m := newMaster(t)
	publisher.start(t, m, newNode(t, m.URI(), "/sim"), "/x")
	v := must.Get(graph.Call(t.Context(), m.URI(), "lookupNode", "/slow", "/slow"))(t)
	rpc := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	stub := xmlrpc.Serve(rpc, access.Rule{}.Guard("test", nil), func(ctx context.Context, method string,
		args []any) (any, error) {
		if method != "registerSubscriber" {
			return []any{1, "", 0}, nil
		}
		if _, err := graph.Call(ctx, args[3].(string), "publisherUpdate", "/master", args[1], []any{v}); err != nil {
			t.Error(err)
		}
		return []any{1, "", []any{}}, nil
	})
	defer stub.Close()
	n := newNode(t, "http://"+rpc.Addr().String()+"/", "/sim")
	sub := must.Get(Subscribe(n, "/x", "std_msgs/String", func(*msg.String) {}))(t)
	must.Until(t, "the publisher", func() bool { return sub.NumPublishers() == 1 })
}

// After Announce, subscribers receive the publisher's address again.
func TestAnnounce(t *testing.T) {
	m := newMaster(t)
	sim := newNode(t, m.URI(), "/sim")
	updates := make(chan string, 10)
	rpc := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	subscriber := xmlrpc.Serve(rpc, access.Rule{}.Guard("test", nil), func(_ context.Context, method string,
		args []any) (any, error) {
		if list, _ := args[2].([]any); method == "publisherUpdate" && len(list) == 1 {
			updates <- args[1].(string) + " at " + list[0].(string)
		}
		return []any{1, "", 0}, nil
	})
	defer subscriber.Close()
	must.Get(graph.Call(t.Context(), m.URI(), "registerSubscriber", "/slow", "/x", "std_msgs/String",
		"http://"+rpc.Addr().String()+"/"))(t)
	must.Get(Advertise[msg.String](sim, "/x", "std_msgs/String", PubOptions{}))(t)
	first := recv(t, updates)
	sim.Announce([]string{"/nothing", "/x"})
	if again := recv(t, updates); again != first || first != "/x at "+sim.URI() {
		t.Errorf("updates %q and %q", first, again)
	}
}

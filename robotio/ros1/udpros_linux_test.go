package ros1

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestUDPROS trusts roscpp: a subscriber that prefers UDP falls back to TCP, and one that takes nothing else is refused
// in words, gets nothing, and harms nobody.
func TestUDPROS(t *testing.T) {
	program := roscppPeer(t)
	uri := embedded(t)
	n := newNode(t, uri, "/omnipitch")
	pub := must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	repeat(t, func() { pub.Publish(&msg.Int32{Data: 5}) })
	only := start(t, uri, program, "udp", "/t", "__name:=only")
	only.says("ready")
	either := start(t, uri, program, "udptcp", "/t", "__name:=either")
	either.says("got 5")
	if pub.NumSubscribers() != 1 || only.count("got") > 0 {
		t.Errorf("%d subscribers: the one that takes UDP only must not be one", pub.NumSubscribers())
	}
	select {
	case <-only.done:
		t.Errorf("the refused subscriber ended: %v", only.err)
	default:
	}
	// What roscpp asked, asked again, to see our words.
	_, err := graph.Call(t.Context(), n.URI(), "requestTopic", "/only", "/t",
		[]any{[]any{"UDPROS", []byte("header"), "127.0.0.1", 9, 1500}})
	if want := n.URI() + ": requestTopic: no supported protocol: this node offers TCPROS only"; err == nil ||
		err.Error() != want {
		t.Errorf("err = %v, want %s", err, want)
	}
}

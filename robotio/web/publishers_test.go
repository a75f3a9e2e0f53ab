package web_test

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestPublishers checks that messages published right after advertising arrive, in order. Clients share a topic, and
// the last one to close it unregisters it.
func TestPublishers(t *testing.T) {
	uri := webtest.Master(t)
	sim, node := webtest.Node(t, uri, "/sim"), webtest.Node(t, uri, "/web")
	got := make(chan int32, 100)
	must.Get(ros1.Subscribe(sim, "/n", "std_msgs/Int32", func(m *msg.Int32) { got <- m.Data }))(t)
	pubs := web.NewPublishers(node)
	def := must.Get(node.MessageType("std_msgs/Int32"))(t)
	a := must.Get(pubs.Advertise("/n", def, ros1.PubOptions{}))(t)
	b := must.Get(pubs.Advertise("/n", def, ros1.PubOptions{}))(t)
	for i := range byte(5) {
		a.Publish([]byte{i, 0, 0, 0})
	}
	for i := range int32(5) {
		if n := <-got; n != i {
			t.Errorf("message %d came where %d was due", n, i)
		}
	}
	text := must.Get(node.MessageType("std_msgs/String"))(t)
	if _, err := pubs.Advertise("/n", text, ros1.PubOptions{}); err == nil || !strings.Contains(err.Error(),
		"must be std_msgs/Int32, the type that another client advertises") {
		t.Errorf("err = %v", err)
	}
	a.Close()
	b.Publish([]byte{9, 0, 0, 0})
	if n := <-got; n != 9 {
		t.Errorf("got %d", n)
	}
	b.Close()
	if g := must.Get(node.Graph(t.Context()))(t); len(g.Publishers["/n"]) != 0 {
		t.Errorf("publishers = %v", g.Publishers["/n"])
	}
	must.Get(pubs.Advertise("/n", text, ros1.PubOptions{}))(t).Close()
}

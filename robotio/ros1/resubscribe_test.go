package ros1

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A subscriber that joins after the last one has left, while the topic is still registered, receives messages.
func TestSubscriberBetweenLeavingAndUnregistering(t *testing.T) {
	m := newMaster(t)
	pub := must.Get(Advertise[msg.Int32](newNode(t, m.URI(), "/talker"), "/n", "std_msgs/Int32", PubOptions{}))(t)
	n := newNode(t, m.URI(), "/listener")
	last := subscribeNumbers(t, n, "/n")
	must.Until(t, "a connection", func() bool { return pub.NumSubscribers() == 1 })
	last.sub.topic.leave(last.sub)
	next := subscribeNumbers(t, n, "/n")
	must.Do(t, last.sub.topic.unregister())
	must.Until(t, "a message", func() bool {
		pub.Publish(&msg.Int32{Data: 1})
		return len(next.now()) > 0
	})
}

package ros1

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// diary collects the messages of subscribers, in order.
type diary struct{ must.List[string] }

func (d *diary) subscribe(t testing.TB, n *Node, topics ...string) (subs []*Subscriber) {
	t.Helper()
	for _, topic := range topics {
		subs = append(subs, must.Get(Subscribe(n, topic, "std_msgs/String",
			func(m *msg.String) { d.Add(topic + " " + m.Data) }))(t))
	}
	return subs
}

// A subscriber with a sequence gets one message at a time, over all topics, in the order of publication. Other topics
// and subscribers are not affected.
func TestSequence(t *testing.T) {
	m := newMaster(t)
	sim, robot, viewer := newNode(t, m.URI(), "/sim"), newNode(t, m.URI(), "/robot"), newNode(t, m.URI(), "/viewer")
	topics := []string{"/x", "/y", "/free"}
	pubs := map[string]*Publisher[msg.String]{}
	for _, topic := range topics {
		pubs[topic] = must.Get(Advertise[msg.String](sim, topic, "std_msgs/String", PubOptions{}))(t)
	}
	var mine, theirs diary
	subs := mine.subscribe(t, robot, "/x", "/free")
	theirs.subscribe(t, viewer, topics...)
	sequence := sim.Sequence("/robot", []string{"/x", "/y"})
	must.Until(t, "the first subscribers", func() bool { return slices.Equal(sequence.Missing(), []string{"/y"}) })
	mine.subscribe(t, robot, "/y") // joins the sequence later
	must.Until(t, "all subscribers", func() bool {
		return sequence.Missing() == nil && pubs["/x"].NumSubscribers() == 2 && pubs["/y"].NumSubscribers() == 2 &&
			pubs["/free"].NumSubscribers() == 2
	})
	say := func(topic, text string) { pubs[topic].Publish(&msg.String{Data: text}) }
	say("/x", "1")
	say("/y", "2")
	say("/y", "3")
	say("/x", "4")
	say("/free", "5")
	want := []string{"/x 1", "/y 2", "/y 3", "/x 4"}
	must.Until(t, "others to get everything", func() bool { return len(theirs.All()) == 5 })
	for i, entry := range want {
		topic := entry[:2]
		must.Until(t, entry, func() bool { return slices.Contains(mine.All(), entry) })
		if got := slices.DeleteFunc(mine.All(), func(s string) bool { return s == "/free 5" }); !slices.Equal(got,
			want[:i+1]) || sequence.Pending() != topic {
			t.Fatalf("the subscriber has %v, pending %s; want %v", got, sequence.Pending(), want[:i+1])
		}
		if err := sequence.Acknowledge("/z"); err == nil {
			t.Error("a topic was acknowledged of which there is no message")
		}
		must.Do(t, sequence.Acknowledge(topic))
	}
	must.Equal(t, sequence.Pending(), "", "pending topic")

	// A broken connection drops its queued messages.
	say("/x", "6")
	say("/y", "7")
	say("/x", "8")
	subs[0].Close()
	must.Until(t, "the next message", func() bool { return slices.Contains(mine.All(), "/y 7") })
	must.Do(t, sequence.Acknowledge("/y"))
	if sequence.Pending() != "" || !slices.Equal(sequence.Missing(), []string{"/x"}) {
		t.Errorf("%q is pending, missing %v", sequence.Pending(), sequence.Missing())
	}

	// After Close the subscriber gets the queued messages.
	say("/y", "9")
	say("/y", "10")
	sim.Sequence("/robot", nil)
	must.Until(t, "what has waited", func() bool { return slices.Contains(mine.All(), "/y 10") })
}

// A subscriber that does not acknowledge loses the oldest messages, and memory stays bounded.
func TestSequenceIsBounded(t *testing.T) {
	m := newMaster(t)
	sim, robot := newNode(t, m.URI(), "/sim"), newNode(t, m.URI(), "/robot")
	pub := must.Get(Advertise[msg.String](sim, "/x", "std_msgs/String", PubOptions{}))(t)
	sequence := sim.Sequence("/robot", []string{"/x"})
	var mine diary
	mine.subscribe(t, robot, "/x")
	must.Until(t, "the subscriber", func() bool { return sequence.Missing() == nil })
	const most = 1024 // queued messages
	for range 3 * most {
		pub.Publish(&msg.String{})
	}
	must.Equal(t, pub.Dropped(), 2*most-1, "dropped messages")
}

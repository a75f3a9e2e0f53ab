package ros1

import (
	"slices"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// diary is what subscribers have got, in its order.
type diary struct {
	mu      sync.Mutex
	entries []string
}

func (d *diary) subscribe(t testing.TB, n *Node, topics ...string) (subs []*Subscriber) {
	t.Helper()
	for _, topic := range topics {
		subs = append(subs, must(Subscribe(n, topic, "std_msgs/String", func(m *msg.String) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.entries = append(d.entries, topic+" "+m.Data)
		}))(t))
	}
	return subs
}

func (d *diary) now() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.entries)
}

// A subscriber that takes turns gets one message at a time, over topics, in the order of publication; what it does not take in turn and what
// others get comes at once.
func TestTurns(t *testing.T) {
	m := newMaster(t)
	sim, robot, viewer := newNode(t, m.URI(), "/sim"), newNode(t, m.URI(), "/robot"), newNode(t, m.URI(), "/viewer")
	topics := []string{"/x", "/y", "/free"}
	pubs := map[string]*Publisher[msg.String]{}
	for _, topic := range topics {
		pubs[topic] = must(Advertise[msg.String](sim, topic, "std_msgs/String", PubOptions{}))(t)
	}
	var mine, theirs diary
	subs := mine.subscribe(t, robot, "/x", "/free")
	theirs.subscribe(t, viewer, topics...)
	turns := sim.TakeTurns("/robot", []string{"/x", "/y"})
	until(t, "the first subscribers", func() bool { return slices.Equal(turns.Absent(), []string{"/y"}) })
	mine.subscribe(t, robot, "/y") // comes into the turns later
	until(t, "all subscribers", func() bool {
		return turns.Absent() == nil && pubs["/x"].NumSubscribers() == 2 && pubs["/y"].NumSubscribers() == 2 && pubs["/free"].NumSubscribers() == 2
	})
	say := func(topic, text string) { pubs[topic].Publish(&msg.String{Data: text}) }
	say("/x", "1")
	say("/y", "2")
	say("/y", "3")
	say("/x", "4")
	say("/free", "5")
	want := []string{"/x 1", "/y 2", "/y 3", "/x 4"}
	until(t, "others to get everything", func() bool { return len(theirs.now()) == 5 })
	for i, entry := range want {
		topic := entry[:2]
		until(t, entry, func() bool { return slices.Contains(mine.now(), entry) })
		if got := slices.DeleteFunc(mine.now(), func(s string) bool { return s == "/free 5" }); !slices.Equal(got, want[:i+1]) || turns.Pending() != topic {
			t.Fatalf("the subscriber has %v, pending %s; want %v", got, turns.Pending(), want[:i+1])
		}
		if err := turns.Done("/z"); err == nil {
			t.Error("a topic was acknowledged of which there is no message")
		}
		if err := turns.Done(topic); err != nil {
			t.Error(err)
		}
	}
	if turns.Pending() != "" {
		t.Errorf("%s is pending after the last", turns.Pending())
	}

	// A connection that breaks takes with it what it was to bring.
	say("/x", "6")
	say("/y", "7")
	say("/x", "8")
	subs[0].Close()
	until(t, "the next message", func() bool { return slices.Contains(mine.now(), "/y 7") })
	if err := turns.Done("/y"); err != nil {
		t.Error(err)
	}
	if turns.Pending() != "" || !slices.Equal(turns.Absent(), []string{"/x"}) {
		t.Errorf("%q is pending, absent %v", turns.Pending(), turns.Absent())
	}

	// Whoever takes no turns any more gets what waits.
	say("/y", "9")
	say("/y", "10")
	sim.TakeTurns("/robot", nil)
	until(t, "what has waited", func() bool { return slices.Contains(mine.now(), "/y 10") })
}

// Who does not acknowledge loses the oldest messages, and memory stays bounded.
func TestTurnsAreBounded(t *testing.T) {
	m := newMaster(t)
	sim, robot := newNode(t, m.URI(), "/sim"), newNode(t, m.URI(), "/robot")
	pub := must(Advertise[msg.String](sim, "/x", "std_msgs/String", PubOptions{}))(t)
	turns := sim.TakeTurns("/robot", []string{"/x"})
	var mine diary
	mine.subscribe(t, robot, "/x")
	until(t, "the subscriber", func() bool { return turns.Absent() == nil })
	for range 3 * maxTurns {
		pub.Publish(&msg.String{})
	}
	if len(turns.queue) != maxTurns || pub.Dropped() != 2*maxTurns-1 {
		t.Errorf("%d wait, %d were dropped; want %d and %d", len(turns.queue), pub.Dropped(), maxTurns, 2*maxTurns-1)
	}
}

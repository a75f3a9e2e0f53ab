package ros1

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// numbers are the numbers that a subscriber received, in order.
type numbers struct {
	sub *Subscriber
	must.List[int32]
}

func subscribeNumbers(t testing.TB, n *Node, topic string) *numbers {
	t.Helper()
	s := &numbers{}
	s.sub = must.Get(Subscribe(n, topic, "std_msgs/Int32", func(m *msg.Int32) { s.Add(m.Data) }))(t)
	return s
}

// sequence returns the numbers from first to last.
func sequence(first, last int32) (all []int32) {
	for i := first; i <= last; i++ {
		all = append(all, i)
	}
	return all
}

// busLinks returns the connections of a topic in one direction, as the node lists them.
func busLinks(t testing.TB, n *Node, topic, direction string) (all []any) {
	t.Helper()
	v := must.Get(graph.Call(t.Context(), n.URI(), "getBusInfo", "/test"))(t)
	for _, c := range v.([]any) {
		if c.([]any)[2] == direction && c.([]any)[4] == topic {
			all = append(all, c)
		}
	}
	return all
}

// Subscribers of a topic in one node share one connection to a publisher. Each receives the latched message first, and
// then every message until it is closed.
func TestSubscribersShareAConnection(t *testing.T) {
	uri := newMaster(t).URI()
	a, b := newNode(t, uri, "/a"), newNode(t, uri, "/b")
	for _, latch := range []bool{false, true} {
		topic := fmt.Sprintf("/latch_%v", latch)
		pub := must.Get(Advertise[msg.Int32](a, topic, "std_msgs/Int32", PubOptions{Latch: latch, Queue: 1000}))(t)
		var all []*numbers
		for range 5 {
			all = append(all, subscribeNumbers(t, b, topic))
		}
		must.Until(t, "the connection",
			func() bool { return pub.NumSubscribers() > 0 && all[4].sub.NumPublishers() == 1 })
		for i := range int32(100) {
			pub.Publish(&msg.Int32{Data: i + 1})
		}
		for i, s := range all {
			must.Until(t, "messages", func() bool { return len(s.All()) >= 100 })
			must.Equal(t, s.All(), sequence(1, 100), "subscriber %d", i)
			if p := s.sub.Connections(); len(p) != 1 || p[0] != all[0].sub.Connections()[0] || p[0].Node != "/a" {
				t.Errorf("subscriber %d is connected to %v", i, p)
			}
		}
		if n, links := pub.NumSubscribers(), busLinks(t, b, topic, "i"); n != 1 || len(links) != 1 {
			t.Errorf("the publisher has %d connections, the subscriber %v", n, links)
		}

		late := subscribeNumbers(t, b, topic)
		pub.Publish(&msg.Int32{Data: 101})
		want := []int32{101}
		if latch {
			want = []int32{100, 101}
		}
		must.Until(t, "the late subscriber's messages", func() bool { return len(late.All()) >= len(want) })
		must.Equal(t, late.All(), want, "latched %v: a late subscriber", latch)

		for i, s := range append(all[1:], late) { // leave the first alone
			must.Do(t, s.sub.Close())
			before := len(s.All())
			pub.Publish(&msg.Int32{Data: int32(102 + i)})
			must.Until(t, "the first subscriber", func() bool { return len(all[0].All()) == 102+i })
			if len(s.All()) != before || s.sub.NumPublishers() != 0 {
				t.Errorf("a closed subscriber got %v", s.All()[before:])
			}
		}
		must.Equal(t, all[0].All(), sequence(1, 106), "the first subscriber")
		must.Do(t, all[0].sub.Close())
		must.Until(t, "the connection to end", func() bool { return pub.NumSubscribers() == 0 })
		if g := must.Get(a.Graph(t.Context()))(t); len(g.Subscribers[topic]) != 0 {
			t.Errorf("subscribers at the master: %v", g.Subscribers[topic])
		}
	}
}

// The node registers its first subscriber of a topic, and unregisters the last.
func TestOneRegistrationPerTopic(t *testing.T) {
	calls := make(chan string, 100)
	rpc := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	stub := xmlrpc.Serve(rpc, access.Rule{}.Guard("test", nil), func(_ context.Context, method string, args []any) (any,
		error) {
		if strings.HasSuffix(method, "Subscriber") {
			calls <- fmt.Sprint(method, " ", args[1])
		}
		return []any{1, "", []any{}}, nil
	})
	defer stub.Close()
	n := newNode(t, "http://"+rpc.Addr().String()+"/", "/n")
	var subs []*Subscriber
	for range 5 {
		subs = append(subs, subscribeNumbers(t, n, "/x").sub)
	}
	raw, _ := subscribeRaw(t, n, "/x")
	for _, s := range append(subs, raw, raw) {
		must.Do(t, s.Close())
	}
	subscribeNumbers(t, n, "/x")
	for _, want := range []string{"registerSubscriber /x", "unregisterSubscriber /x", "registerSubscriber /x"} {
		must.Equal(t, recv(t, calls), want, "call")
	}
	if len(calls) > 0 {
		t.Errorf("another call: %q", <-calls)
	}
}

// A node has one type for a topic. Raw subscribers accept any type.
func TestSubscribersOfDifferentTypes(t *testing.T) {
	uri := newMaster(t).URI()
	a, b := newNode(t, uri, "/a"), newNode(t, uri, "/b")
	_, raw := subscribeRaw(t, b, "/x")
	typed := subscribeNumbers(t, b, "/x")
	_, err := Subscribe(b, "/x", "std_msgs/String", func(*msg.String) {})
	if err == nil || err.Error() != "ros node /b: topic /x: this node subscribes to it as "+
		"std_msgs/Int32/da5909fbe378aeaf85e547e830cc1bb7: must not be "+
		"std_msgs/String/992ce8a1687cec8c8bd883ec73ca41d1" {
		t.Errorf("err = %v", err)
	}
	text := must.Get(Advertise[msg.String](a, "/x", "std_msgs/String", PubOptions{Latch: true}))(t)
	text.Publish(&msg.String{Data: "hello"})
	if r := recv(t, raw); r.from.Def.Name != "std_msgs/String" || string(r.b[4:]) != "hello" {
		t.Errorf("raw: %+v", r)
	}
	if typed.sub.NumPublishers() != 0 || len(typed.All()) != 0 {
		t.Errorf("the other type's subscriber has %d publishers and got %v", typed.sub.NumPublishers(), typed.All())
	}
	must.Do(t, text.Close())
	number := must.Get(Advertise[msg.Int32](a, "/x", "std_msgs/Int32", PubOptions{Latch: true}))(t)
	number.Publish(&msg.Int32{Data: 5})
	must.Until(t, "the number", func() bool { return len(typed.All()) == 1 })
	if r := recv(t, raw); r.from.Def.Name != "std_msgs/Int32" || r.b[0] != 5 {
		t.Errorf("raw: %+v", r)
	}
	must.Do(t, typed.sub.Close())
	must.Get(Subscribe(b, "/x", "std_msgs/String", func(*msg.String) {}))(t)
}

// A subscriber with a slow callback does not affect the others of its node. It loses its oldest messages, and its queue
// is bounded.
func TestSlowSubscriberOfANode(t *testing.T) {
	uri := newMaster(t).URI()
	a, b := newNode(t, uri, "/a"), newNode(t, uri, "/b")
	const last = 3 * maxWaiting
	pub := must.Get(Advertise[msg.Int32](a, "/x", "std_msgs/Int32", PubOptions{Queue: last}))(t)
	quick := subscribeNumbers(t, b, "/x")
	var slow numbers
	held := make(chan struct{})
	slow.sub = must.Get(Subscribe(b, "/x", "std_msgs/Int32", func(m *msg.Int32) {
		<-held
		slow.Add(m.Data)
	}))(t)
	must.Until(t, "the connection", func() bool { return slow.sub.NumPublishers() == 1 && pub.NumSubscribers() == 1 })
	for i := range int32(last) {
		pub.Publish(&msg.Int32{Data: i + 1})
	}
	must.Until(t, "the others' messages", func() bool { return len(quick.All()) == last })
	must.Equal(t, quick.All(), sequence(1, last), "the quick subscriber's messages are not those that were sent")
	close(held)
	must.Until(t, "the newest message",
		func() bool { got := slow.All(); return len(got) > 0 && got[len(got)-1] == last })
	got := slow.All()
	if len(got) > 1 && got[0] == 1 { // it was being handled
		got = got[1:]
	}
	must.Equal(t, got, sequence(last-maxWaiting+1, last), "the slow subscriber got %d messages from %d to %d", len(got),
		got[0], got[len(got)-1])
	// As the only subscriber, it receives messages as before.
	must.Do(t, quick.sub.Close())
	before := len(slow.All())
	for i := range int32(100) {
		pub.Publish(&msg.Int32{Data: -i})
	}
	must.Until(t, "the rest", func() bool { return len(slow.All()) == before+100 })
	if got := slow.All()[before:]; got[0] != 0 || got[99] != -99 || !slices.IsSortedFunc(got,
		func(a, b int32) int { return int(b - a) }) {
		t.Errorf("got %v", got)
	}
}

// The queue of large messages for a slow subscriber has bounded memory.
func TestSlowSubscriberOfImages(t *testing.T) {
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/n")
	pub := must.Get(AdvertiseImage(n, "/image", 100))(t)
	seqs := make(chan uint32, 100)
	must.Get(SubscribeLent(n, "/image", "sensor_msgs/Image", func(m *msg.Image) { seqs <- m.Header.Seq }))(t)
	held := make(chan struct{})
	slow := must.Get(SubscribeLent(n, "/image", "sensor_msgs/Image", func(*msg.Image) { <-held }))(t)
	defer close(held)
	must.Until(t, "the connection", func() bool { return slow.NumPublishers() == 1 && pub.NumSubscribers() == 1 })
	for i := range uint32(60) {
		must.Do(t, pub.Publish(testImage(1), nil))
		if got := recv(t, seqs); got != i+1 {
			t.Fatalf("image %d, want %d", got, i+1)
		}
	}
	slow.waiting.mu.Lock()
	bytes, dropped := slow.waiting.bytes, slow.waiting.dropped
	slow.waiting.mu.Unlock()
	if bytes > maxWaitingBytes || dropped < 40 {
		t.Errorf("%d bytes wait, %d were dropped", bytes, dropped)
	}
}

// A message for several subscribers allocates only memory that is reused.
func TestSharedMessagesCostNoAllocations(t *testing.T) {
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/n")
	pub := must.Get(AdvertiseRaw(n, "/odo", must.Get(n.MessageType("nubot_common/OdoInfo"))(t), PubOptions{}))(t)
	got := make(chan struct{}, 100)
	var last *Subscriber
	for range 5 {
		last = must.Get(SubscribeRaw(n, "/odo", func(*Source, []byte) { got <- struct{}{} }))(t)
	}
	must.Until(t, "the connection", func() bool { return last.NumPublishers() == 1 && pub.NumSubscribers() == 1 })
	var message [43]byte
	publish := func() {
		pub.Publish(message[:])
		for range 5 {
			recvQuiet(t, got)
		}
	}
	publish()
	least := 1e9
	for range 5 { // the calls to the master, once per second, allocate
		least = min(least, testing.AllocsPerRun(50, publish))
	}
	if !(least < 1) {
		t.Errorf("%v allocations a message", least)
	}
}

// recvQuiet is recv without a timer, because that would allocate.
func recvQuiet(t testing.TB, c <-chan struct{}) {
	select {
	case <-c:
	case <-t.Context().Done():
	}
}

// While others join and leave, every subscriber receives from every publisher an unbroken sequence of messages in
// order. It begins at the latest with the first message published after subscribing, or with the latched one before it.
// It ends with the last message if the subscriber stays.
func TestRandomSubscribers(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	uri := newMaster(t).URI()
	def := must.Get(newNode(t, uri, "/types").MessageType("std_msgs/Header"))(t)
	b := newNode(t, uri, "/b")

	type publisher struct {
		node  *Node
		pub   *Publisher[msg.Header]
		latch bool
		sent  int // number of the last message
	}
	type subscriber struct {
		sub    *Subscriber
		from   map[string]int // by publisher: number of its last message when subscribing began
		mu     sync.Mutex
		got    map[string][]int
		closed bool
	}
	var pubs []*publisher
	var subs []*subscriber
	names := 0
	open := func() {
		names++
		p := &publisher{node: newNode(t, uri, fmt.Sprintf("/p%d", names)), latch: r.IntN(2) == 0}
		p.pub = must.Get(Advertise[msg.Header](p.node, "/x", "std_msgs/Header", PubOptions{Latch: p.latch,
			Queue: maxQueue}))(t)
		pubs = append(pubs, p)
		open := slices.ContainsFunc(subs, func(s *subscriber) bool { return !s.closed })
		must.Until(t, "the connection", func() bool { return !open || p.pub.NumSubscribers() == 1 })
	}
	subscribe := func() {
		s := &subscriber{from: map[string]int{}, got: map[string][]int{}}
		for _, p := range pubs {
			s.from[p.node.Name()] = p.sent
		}
		take := func(m *msg.Header) {
			s.mu.Lock()
			defer s.mu.Unlock()
			var number int
			if _, err := fmt.Sscan(m.FrameID[strings.IndexByte(m.FrameID, ' ')+1:], &number); err != nil {
				t.Error(err)
			}
			name := m.FrameID[:strings.IndexByte(m.FrameID, ' ')]
			s.got[name] = append(s.got[name], number)
		}
		codec := must.Get(msg.Compile[msg.Header](def))(t)
		switch r.IntN(3) {
		case 0:
			s.sub = must.Get(Subscribe(b, "/x", "std_msgs/Header", take))(t)
		case 1:
			s.sub = must.Get(SubscribeEach(b, "/x", "std_msgs/Header",
				func(string) func(*msg.Header) { return take }))(t)
		case 2:
			s.sub = must.Get(SubscribeRaw(b, "/x", func(_ *Source, raw []byte) {
				var m msg.Header
				if err := codec.Decode(raw, &m); err != nil {
					t.Error(err)
				}
				take(&m)
			}))(t)
		}
		subs = append(subs, s)
		must.Until(t, "the subscriber's connections", func() bool { return s.sub.NumPublishers() == len(pubs) })
		for _, p := range pubs {
			must.Until(t, "the publisher to know", func() bool { return p.pub.NumSubscribers() == 1 })
		}
	}
	for range 3 {
		open()
	}
	for range 300 {
		switch r.IntN(8) {
		case 0:
			if len(subs) < 30 {
				subscribe()
			}
		case 1:
			if len(subs) > 0 {
				s := subs[r.IntN(len(subs))]
				s.closed = true
				must.Do(t, s.sub.Close())
			}
		case 2:
			if len(pubs) < 6 {
				open()
			}
		default:
			p := pubs[r.IntN(len(pubs))]
			for range 1 + r.IntN(20) {
				p.sent++
				p.pub.Publish(&msg.Header{FrameID: fmt.Sprintf("%s %d", p.node.Name(), p.sent)})
			}
		}
	}
	for i, s := range subs {
		for _, p := range pubs {
			name := p.node.Name()
			got := func() []int { s.mu.Lock(); defer s.mu.Unlock(); return slices.Clone(s.got[name]) }
			want := s.from[name] + 1
			if from, known := s.from[name]; p.latch && known && from > 0 {
				want = from
			}
			if !s.closed && want <= p.sent {
				must.Until(t, "the last message",
					func() bool { g := got(); return len(g) > 0 && g[len(g)-1] == p.sent })
			}
			numbers := got()
			if len(numbers) > 0 && numbers[0] > want {
				t.Errorf("subscriber %d: messages from %s begin with %d, want at most %d", i, name, numbers[0], want)
			}
			for j := 1; j < len(numbers); j++ {
				if numbers[j] != numbers[j-1]+1 {
					t.Fatalf("subscriber %d got %d of %s after %d", i, numbers[j], name, numbers[j-1])
				}
			}
		}
	}
}

// BenchmarkReceive sends odometry messages over loopback to the callbacks of one and of five subscribers in a node.
func BenchmarkReceive(b *testing.B) {
	for _, subscribers := range []int{1, 5} {
		b.Run(fmt.Sprint(subscribers), func(b *testing.B) {
			uri := newMaster(b).URI()
			a := must.Get(NewNode(NodeConfig{Name: "/a", MasterURI: uri}))(b)
			defer a.Close()
			pub := must.Get(Advertise[msg.OdoInfo](a, "/o", "nubot_common/OdoInfo", PubOptions{}))(b)
			got := make(chan struct{}, 100)
			for range subscribers {
				must.Get(Subscribe(a, "/o", "nubot_common/OdoInfo", func(*msg.OdoInfo) { got <- struct{}{} }))(b)
			}
			odo := &msg.OdoInfo{Header: msg.Header{FrameID: "base_link"}, Vx: 1}
			must.Until(b, "the connections", func() bool {
				pub.Publish(odo)
				return len(got) >= subscribers
			})
			for len(got) > 0 {
				<-got
			}
			b.ReportAllocs()
			for b.Loop() {
				pub.Publish(odo)
				for range subscribers {
					<-got
				}
			}
		})
	}
}

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
		return len(next.All()) > 0
	})
}

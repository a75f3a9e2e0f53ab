package web_test

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// viewer subscribes its client to /image and counts the conversions.
type viewer struct {
	subs *web.Subscriptions
	out  *web.Outbox
}

func (v *viewer) Message(bool, []byte) {}
func (v *viewer) Close()               { v.subs.Unsubscribe("/image", v.out) }

// TestSharedFeed checks that many clients of an image topic cost one subscription and one conversion per message, and
// that a client that never reads does not slow the others.
func TestSharedFeed(t *testing.T) {
	uri := webtest.Master(t)
	sim, node := webtest.Node(t, uri, "/sim"), webtest.Node(t, uri, "/web")
	img := must.Get(ros1.AdvertiseImage(sim, "/image", 100))(t)
	subs := web.NewSubscriptions(node)
	var made, opened atomic.Int64
	s := must.Get(web.Listen(web.Config{Name: "view", Addr: "127.0.0.1:0"}, func(c *web.Client) web.Session {
		v := &viewer{subs: subs}
		v.out = c.NewOutbox(1000, 0, func(m *web.Message) error {
			b, err := m.Form(0, func() ([]byte, error) {
				made.Add(1)
				return m.Codec.AppendJSON(nil, m.Data)
			})
			if err != nil {
				return err
			}
			return c.Write(true, m.Data[:4], b)
		})
		if err := subs.Subscribe("/image", v.out); err != nil {
			t.Error(err)
		}
		opened.Add(1)
		return v
	}))(t)
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var clients []*websocket.Conn
	for i := range 5 {
		c, _, err := websocket.Dial(ctx, "ws://"+s.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		c.SetReadLimit(64 << 20)
		clients = append(clients, c)
		webtest.Until(t, "the client's subscription", func() bool { return opened.Load() == int64(i+1) })
	}
	webtest.Until(t, "the subscription", func() bool { return img.NumSubscribers() > 0 })
	if n := img.NumSubscribers(); n != 1 {
		t.Errorf("5 clients are %d subscribers", n)
	}
	// 150 images of 0.9 MB are more than sockets and the queue of the slow client hold.
	const n = 150
	pixels := make([]byte, 640*480*3)
	for i := range n {
		must.Do(t, img.Publish(&msg.Image{Height: 480, Width: 640, Step: 3 * 640, Data: pixels}, nil))
		for _, c := range clients[1:] { // the first never reads
			_, b, err := c.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if seq := binary.LittleEndian.Uint32(b); seq != uint32(i+1) {
				t.Fatalf("image %d came where %d was due", seq, i+1)
			}
		}
	}
	if got := made.Load(); got != n {
		t.Errorf("%d images were converted %d times", n, got)
	}
	for _, c := range clients {
		c.CloseNow()
	}
	webtest.Until(t, "the topic to be left", func() bool { return img.NumSubscribers() == 0 })
}

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
	must.Refuse(pubs.Advertise("/n", text, ros1.PubOptions{}))(t,
		"must be std_msgs/Int32, the type that another client advertises")
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

// TestClock checks that the clock is sim time while the parameter /use_sim_time is true, and wall time before and
// after.
func TestClock(t *testing.T) {
	uri := webtest.Master(t)
	sim, node := webtest.Node(t, uri, "/sim"), webtest.Node(t, uri, "/web")
	ticks := make(chan msg.Time, 1000)
	c := web.NewClock(node, func(now msg.Time) { ticks <- now })
	defer c.Close()
	if now := c.Now(); c.Sim() || time.Since(time.Unix(int64(now.Sec), 0)).Abs() > time.Minute {
		t.Errorf("now = %v", now)
	}
	must.Do(t, sim.SetParam("/use_sim_time", true))
	clock := must.Get(ros1.Advertise[msg.Clock](sim, "/clock", "rosgraph_msgs/Clock",
		ros1.PubOptions{Latch: true}))(t)
	clock.Publish(&msg.Clock{Clock: msg.Time{Sec: 3, Nsec: 4}})
	webtest.Until(t, "sim time", func() bool { return c.Sim() && c.Now() == msg.Time{Sec: 3, Nsec: 4} })
	clock.Publish(&msg.Clock{Clock: msg.Time{Sec: 5}})
	webtest.Until(t, "a tick", func() bool { return len(ticks) > 0 && <-ticks == msg.Time{Sec: 5} })
	must.Do(t, sim.SetParam("/use_sim_time", false))
	webtest.Until(t, "wall time", func() bool { return !c.Sim() && c.Now().Sec > 1e9 })
}

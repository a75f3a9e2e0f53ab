package web_test

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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

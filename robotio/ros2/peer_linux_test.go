package ros2

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestMain(m *testing.M) { ddspeer.Main(m) }

func eachPeer(t *testing.T, run func(t *testing.T, kind string, n *Node, domain int)) {
	eachKind(t, []string{"cyclone", "fastdds"}, run)
}

func eachKind(t *testing.T, kinds []string, run func(t *testing.T, kind string, n *Node, domain int)) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			d := must.Domain(t)
			run(t, kind, must.Get(open(t, Config{Domain: d}).NewNode("/omni"))(t), d)
		})
	}
}

// Others receive our messages, also those published before they started.
func TestPeerSubscribers(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		latch := must.Get(Advertise[blob](n, "/blob1", "test/Blob", PubOptions{Latch: true}))(t)
		latch.Publish(&blob{Text: "latched", Data: []byte{1, 2, 3}})
		pub := must.Get(Advertise[blob](n, "/blob0", "test/Blob", PubOptions{}))(t)
		sub := ddspeer.Start(t, kind, "sub", d, 1, 1, 2) // its reader of blob0 asks for more than pub offers
		must.Until(t, "a latched message", func() bool { return len(sub.Starting("got latched 3 1026 ")) == 1 })
		must.Equal(t, pub.NumSubscribers(), 0, "subscribers with another QoS")
		plain := ddspeer.Start(t, kind, "sub", d, 1, 0, 1)
		must.Until(t, "a message", func() bool {
			pub.Publish(&blob{Text: "plain"})
			return len(plain.Starting("got plain 0 0 ")) > 0
		})
	})
}

// We receive the messages of others.
func TestPeerPublishers(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		var got must.List[blob]
		codec := must.Get(messageCodec[blob](n, "test/Blob"))(t)
		q := QoS{Reliable: true, Depth: 100}
		reliable := must.Get(SubscribeAs(n, "/blob0", codec.Def(), q, func(b []byte) error {
			var m blob
			err := codec.Decode(b, &m)
			got.Add(m)
			return err
		}))(t)
		ddspeer.Start(t, kind, "pub", d, 1, 0, 1, 3, 5)
		must.Until(t, "messages", func() bool { return len(got.All()) == 5 })
		for i, m := range got.All() {
			must.Equal(t, m, blob{fmt.Sprint("n", i), []byte{0, 7, 14}}, "message %d", i)
		}
		must.Equal(t, reliable.NumPublishers(), 1, "publishers")
	})
}

// Clients of both dialects call the same server at the same time, two of each, and get their own answers only.
func TestPeerClients(t *testing.T) {
	const calls = 20
	d := must.Domain(t)
	n := must.Get(open(t, Config{Domain: d}).NewNode("/omni"))(t)
	must.Get(Serve(n, "/blob0", "test/Blob", func(_ context.Context, r *blob) (*blob, error) { return r, nil }))(t)
	var clients []*ddspeer.Peer
	for range 2 {
		clients = append(clients, ddspeer.Start(t, "cyclone", "call", d, 1, 0, 1, 3, calls),
			ddspeer.Start(t, "fastdds", "call", d, 1, 0, 1, 3, calls))
	}
	for i := range 2 {
		must.Until(t, "the answers of CycloneDDS", func() bool { return len(clients[2*i].Starting("done")) == 1 })
		must.Until(t, "the answers of Fast DDS", func() bool { return len(clients[2*i+1].Starting("got n")) == calls })
	}
	for i, c := range clients {
		for k := range calls {
			want := fmt.Sprintf("answer n%d 3 for %d of mine", k, k+1)
			if i%2 == 1 {
				want = fmt.Sprintf("got n%d 3 ", k)
			}
			must.Equal(t, len(c.Starting(want)), 1, "answers %q of client %d", want, i)
		}
		must.Equal(t, len(c.Starting("answer"))+len(c.Starting("got")), calls, "answers of client %d", i)
	}
}

// We call servers of both dialects.
func TestPeerServers(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		ddspeer.Start(t, kind, "serve", d, 1, 0, 1)
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		c := must.Get(NewClient[blob, blob](n, "/blob0", "test/Blob"))(t)
		other := must.Get(NewClient[blob, blob](n, "/blob0", "test/Blob"))(t)
		for i := range 20 {
			want := blob{fmt.Sprint("n", i), []byte{byte(i), 2, 3}}
			must.Equal(t, *must.Get(c.Call(ctx, &want))(t), want, "answer %d", i)
			want.Text = "other"
			must.Equal(t, *must.Get(other.Call(ctx, &want))(t), want, "answer %d", i)
		}
	})
}

package ros2

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/zenohpeer"
)

// What holds over DDS holds over Zenoh.
func TestOverZenoh(t *testing.T) {
	router = "127.0.0.1:" + zenohpeer.Start(t, "router", "").Port(t)
	t.Cleanup(func() { router = "" })
	for _, c := range []struct {
		name string
		f    func(*testing.T)
	}{{"topics", TestTopics}, {"borrowed bytes", TestBorrowedBytes}, {"no garbage", TestFillAllocatesNothing},
		{"latch", TestLatch}, {"slow subscriber", TestSlowSubscriber}, {"services", TestServices}, {"close", TestClose},
		{"mismatches", TestMismatches}, {"graph", TestGraphState}, {"raw calls", TestCallRaw}, {"rosout", TestRosout},
		{"parameters", TestParams}, {"action", TestAction}, {"cancel", TestCancelGoals}} {
		t.Run(c.name, c.f)
	}
}

// rmw is a node /other of Eclipse Zenoh that uses the keys, tokens and attachments of rmw_zenoh_cpp.
type rmw struct {
	*zenohpeer.Peer
	entity int
	seq    int64
}

// declare declares the token of a node's endpoint, and returns the key of the samples and the endpoint's identifier.
// Topic is without slashes.
func (p *rmw) declare(t *testing.T, kind, topic, typ, hash, qos string) (key string, id rtps.GUID) {
	t.Helper()
	p.entity++
	session := strings.TrimPrefix(p.Starting("ready ")[0], "ready ")
	token := fmt.Sprintf("@ros2_lv/%d/%s/0/%d/%s/%%/%%/other/%%%s/%s/%s/%s", peerDomain, session, p.entity, kind, topic,
		typ, hash, qos)
	p.Do(t, "token %s", token)
	return fmt.Sprintf("%d/%s/%s/%s", peerDomain, topic, typ, hash), tokenID(token)
}

// attachment returns the attachment of the next sample of an endpoint.
func (p *rmw) attachment(id rtps.GUID) string {
	p.seq++
	return fmt.Sprintf("0x%x%s10%x", le.AppendUint64(nil, uint64(p.seq)), strings.Repeat("0", 16), id[:])
}

// encodedBlob returns a blob with two letters and no data, in hexadecimal digits.
func encodedBlob(text string) string {
	return "0x00010000" + "03000000" + hex.EncodeToString([]byte(text)) + "0000" + "00000000"
}

// Types, QoS and domain of the tests with a peer.
const (
	blobType, blobService = "test::msg::dds_::Blob_", "test::srv::dds_::Blob_"
	reliable, latching    = "::,10:,:,:,,", ":1:,3:,:,:,,"
	peerDomain            = 5
)

// eachZenohPeer runs a test with our node /omni and a node /other of Eclipse Zenoh, which is a peer or a client of the
// router.
func eachZenohPeer(t *testing.T, f func(t *testing.T, n *Node, other *rmw)) {
	address := "127.0.0.1:" + zenohpeer.Start(t, "router", "").Port(t)
	for _, mode := range []string{"peer", "client"} {
		t.Run(mode, func(t *testing.T) {
			other := &rmw{Peer: zenohpeer.Start(t, mode, "tcp/"+address)}
			session := strings.TrimPrefix(other.Starting("ready ")[0], "ready ")
			other.Do(t, "token @ros2_lv/%d/%s/0/0/NN/%%/%%/other", peerDomain, session)
			other.Do(t, "watch @ros2_lv/%d/**", peerDomain)
			c := open(t, Config{Domain: peerDomain, Transport: Zenoh, Router: address, Distribution: "jazzy"})
			f(t, must.Get(c.NewNode("/omni"))(t), other)
		})
	}
}

// We receive their topics: a volatile one, and one that is latched before we come.
func TestZenohPublishers(t *testing.T) {
	eachZenohPeer(t, func(t *testing.T, n *Node, other *rmw) {
		def := must.Get(n.MessageType("test/Blob"))(t)
		late, latcher := other.declare(t, "MP", "latched", blobType, def.Hash, latching)
		other.Do(t, "latch %s %s %s", late, encodedBlob("l1"), other.attachment(latcher))
		other.Do(t, "latch %s %s %s", late, encodedBlob("l2"), other.attachment(latcher))
		plain, talker := other.declare(t, "MP", "theirs", blobType, def.Hash, "2"+reliable)
		var got must.List[string]
		sub := must.Get(SubscribeRaw(n, "/theirs", func(from *Source, b []byte) {
			got.Add(fmt.Sprintf("%s %s %s", from.Publisher, from.Def.TypeName, b[8:10]))
		}))(t)
		must.Until(t, "their publisher", func() bool { return slices.Equal(nodeNames(sub.Connections()), []string{"/other"}) })
		must.Until(t, "a message", func() bool {
			other.Do(t, "put %s %s %s", plain, encodedBlob("hi"), other.attachment(talker))
			return slices.Contains(got.All(), "/other test/msg/Blob hi")
		})
		other.Do(t, "put %s %s none", plain, encodedBlob("no"))
		var latched must.List[string]
		must.Get(SubscribeAs(n, "/latched", def, SubscriptionQoS("/map"), func(b []byte) error {
			latched.Add(string(b[8:10]))
			return nil
		}))(t)
		must.Until(t, "latched messages", func() bool { return slices.Equal(latched.All(), []string{"l1", "l2"}) })
		must.Equal(t, slices.Contains(got.All(), "/other test/msg/Blob no"), false, "a message without attachment")
	})
}

// They receive our topics: a volatile one, and one that is latched before they come.
func TestZenohSubscribers(t *testing.T) {
	eachZenohPeer(t, func(t *testing.T, n *Node, other *rmw) {
		pub := must.Get(Advertise[blob](n, "/ours", "test/Blob", PubOptions{BestEffort: true}))(t)
		latch := must.Get(Advertise[blob](n, "/kept", "test/Blob", PubOptions{Latch: true}))(t)
		latch.Publish(&blob{Text: "k1"})
		latch.Publish(&blob{Text: "k2"})
		own, def := ownTokens(n), pub.Def()
		other.Wait(t, own+"/1/1/NN/%/%/omni PUT")
		wantToken := "MP/%/%/omni/%ours/" + blobType + "/" + def.Hash + "/2::,10:,:,:,, PUT"
		must.Until(t, wantToken, func() bool { return count(other, own, wantToken) == 1 })
		must.Equal(t, pub.NumSubscribers(), 0, "subscribers")
		ours, _ := other.declare(t, "MS", "ours", blobType, def.Hash, reliable)
		other.Do(t, "sub %s", ours)
		must.Until(t, "their subscriber", func() bool { return slices.Equal(pub.Subscribers(), []string{"/other"}) })
		sample := "sample " + ours + " PUT " + encodedBlob("o1") + " 0x"
		must.Until(t, "a sample", func() bool { // the router may know the token first
			pub.Publish(&blob{Text: "o1"})
			return len(other.Starting(sample)) > 0
		})
		id := pub.writer.GUID()
		if line := other.Starting(sample)[0]; !strings.HasSuffix(line, "10"+hex.EncodeToString(id[:])) {
			t.Errorf("got %s, want the identifier %x", line, id[:])
		}
		kept, _ := other.declare(t, "MS", "kept", blobType, def.Hash, latching)
		other.Do(t, "late %s", kept)
		other.Wait(t, "sample "+kept+" PUT "+encodedBlob("k2"))
		must.Equal(t, len(other.Starting("sample "+kept)), 1, "samples of a topic that keeps one")
	})
}

// ownTokens returns the start of a peer's lines about the tokens of our session.
func ownTokens(n *Node) string {
	return fmt.Sprint("token @ros2_lv/", peerDomain, "/", n.c.transport.(*zenohTransport).session.ID())
}

// Requests are answered both ways, and both graphs know both sides.
func TestZenohServices(t *testing.T) {
	eachZenohPeer(t, func(t *testing.T, n *Node, other *rmw) {
		srv := must.Get(n.ServiceType("test/Blob"))(t)
		must.Get(Serve(n, "/double", "test/Blob", func(_ context.Context, r *blob) (*blob, error) {
			return &blob{Text: r.Text[1:] + r.Text[:1]}, nil
		}))(t)
		asked, client := other.declare(t, "SC", "double", blobService, srv.Hash, reliable)
		must.Until(t, "our answer", func() bool {
			replied := len(other.Starting("replied"))
			a := other.attachment(client)
			other.Do(t, "get %s %s %s", asked, encodedBlob("ab"), a)
			must.Until(t, "the end of a call", func() bool { return len(other.Starting("replied")) > replied })
			return slices.ContainsFunc(other.Starting("reply "+asked+" "+encodedBlob("ba")), func(s string) bool {
				return strings.Contains(s, a[:18]) && strings.HasSuffix(s, a[len(a)-34:]) // its number and identifier
			})
		})
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		echo, _ := other.declare(t, "SS", "echo", blobService, srv.Hash, reliable)
		other.Do(t, "echo %s", echo)
		must.Until(t, "their answer", func() bool {
			answer, err := Call[blob, blob](ctx, n, "/echo", "test/Blob", &blob{Text: "xy"})
			if err != nil && !errors.Is(err, errNoAnswer) { // the router may know the token first
				t.Fatal(err)
			}
			return err == nil && answer.Text == "xy"
		})

		must.Equal(t, *n.Graph(), Graph{
			Publishers: map[string][]string{}, Subscribers: map[string][]string{}, Types: map[string][]string{},
			Services:     map[string][]string{"/double": {"/omni"}, "/echo": {"/other"}},
			Clients:      map[string][]string{"/double": {"/other"}},
			ServiceTypes: map[string][]string{"/double": {"test/srv/Blob"}, "/echo": {"test/srv/Blob"}},
			Nodes:        []string{"/omni", "/other"},
		}, "graph")
		must.Do(t, n.Close())
		must.Until(t, "no token of ours", func() bool {
			return count(other, ownTokens(n), "PUT") == count(other, ownTokens(n), "DELETE")
		})
		other.Kill()
		must.Until(t, "an empty graph", func() bool { g := n.Graph(); return len(g.Nodes)+len(g.ServiceTypes) == 0 })
	})
}

func count(p *rmw, start, end string) (n int) {
	for _, line := range p.Starting(start) {
		if strings.HasSuffix(line, end) {
			n++
		}
	}
	return n
}

// A context says when its router goes and returns, and then works as before. Without a router, it does not open.
func TestRouterReturns(t *testing.T) {
	var port atomic.Pointer[string]
	nowhere := "1"
	port.Store(&nowhere)
	address := zenohpeer.Forward(t, &port)
	_, err := Open(Config{Transport: Zenoh, Router: address})
	must.Fail(t, err, "ros 2: zenoh router "+address+": ")
	must.Fail(t, err, ": start a router first: ros2 run rmw_zenoh_cpp rmw_zenohd")
	must.Refuse(Open(Config{Transport: Zenoh, Router: "localhost"}))(t, "router = \"localhost\": must be an address with a port")
	must.Refuse(Open(Config{Transport: Zenoh, Domain: 300}))(t, "domain = 300")
	var states must.List[bool]
	var a, b *Node
	var pub *Publisher[blob]
	var got must.List[string]
	for round := range 2 {
		r := zenohpeer.Start(t, "router", "")
		p := r.Port(t)
		port.Store(&p)
		if round == 0 {
			cfg := Config{Transport: Zenoh, Router: address, OnRouter: func(lost error) { states.Add(lost == nil) }}
			a, b = must.Get(open(t, cfg).NewNode("/a"))(t), must.Get(open(t, cfg).NewNode("/b"))(t)
			pub = must.Get(Advertise[blob](a, "/x", "test/Blob", PubOptions{}))(t)
			must.Get(Subscribe(b, "/x", "test/Blob", func(m *blob) { got.Add(m.Text) }))(t)
		}
		must.Until(t, "a message", func() bool {
			pub.Publish(&blob{Text: fmt.Sprint("round ", round)})
			return slices.Contains(got.All(), fmt.Sprint("round ", round))
		})
		must.Equal(t, len(states.All()), 4*round, "changes")
		port.Store(&nowhere)
		r.Kill()
		must.Until(t, "no subscriber", func() bool { return pub.NumSubscribers() == 0 && len(b.Graph().Nodes) == 1 })
		must.Until(t, "the loss", func() bool { return len(states.All()) == 4*round+2 })
	}
	must.Equal(t, states.All(), []bool{false, false, true, true, false, false}, "changes")
}

// Nodes of Humble have keys without hashes.
func TestZenohHumble(t *testing.T) {
	address := "127.0.0.1:" + zenohpeer.Start(t, "router", "").Port(t)
	cfg := Config{Transport: Zenoh, Router: address, Distribution: "humble"}
	a, b := must.Get(open(t, cfg).NewNode("/a"))(t), must.Get(open(t, cfg).NewNode("/b"))(t)
	pub := must.Get(Advertise[blob](a, "/x", "test/Blob", PubOptions{}))(t)
	must.Equal(t, pub.writer.(*zenohWriter).key, "0/x/test::msg::dds_::Blob_/TypeHashNotSupported", "key")
	var got must.List[string]
	sub := must.Get(Subscribe(b, "/x", "test/Blob", func(m *blob) { got.Add(m.Text) }))(t)
	must.Until(t, "a message", func() bool {
		pub.Publish(&blob{Text: "hi"})
		return slices.Contains(got.All(), "hi") && sub.NumPublishers() == 1
	})
	must.Equal(t, len(sub.Mismatches()), 0, "mismatches")
	old := must.Get(must.Get(msg.Load("std"))(t).Service("std_srvs/Trigger"))(t)
	must.Refuse(ServeRaw(a, "/old", old, nil))(t, "must be a type of ROS 2")
	must.Refuse(CallRaw(t.Context(), a, "/old", old, nil))(t, "must be a type of ROS 2")
}

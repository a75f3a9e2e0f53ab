package ros2

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A raw subscriber receives messages of all types, from publishers of any QoS, each once.
func TestSubscribeRaw(t *testing.T) {
	a, b := pair(t)
	latched := must.Get(Advertise[blob](a, "/x", "test/Blob", PubOptions{Latch: true}))(t)
	latched.Publish(&blob{Text: "latched"})
	plain := must.Get(Advertise[blob](a, "/x", "test/Blob", PubOptions{}))(t)
	fast := must.Get(Advertise[blob](a, "/x", "test/Blob", PubOptions{BestEffort: true}))(t)
	text := must.Get(Advertise[msg.String](a, "/x", "std_msgs/String", PubOptions{}))(t)
	var got must.List[string]
	sub := must.Get(SubscribeRaw(b, "/x", func(from *Source, m []byte) {
		if from.Publisher != "" && from.Publisher != "/a" {
			t.Errorf("publisher = %q", from.Publisher)
		}
		n := m[4]
		got.Add(fmt.Sprintf("%s %s %v", from.Def.TypeName, m[8:8+n-1], from.Latched))
	}))(t)
	must.Until(t, "the readers of all kinds", func() bool {
		return sub.NumPublishers() == 4 && latched.NumSubscribers() == 3 && plain.NumSubscribers() == 2 &&
			fast.NumSubscribers() == 1 && text.NumSubscribers() == 1
	})
	must.Until(t, "the names of nodes", func() bool {
		return slices.Equal(latched.Subscribers(), []string{"/team/b", "/team/b", "/team/b"}) &&
			!slices.ContainsFunc(sub.Connections(), func(c Connection) bool { return c.Node != "/a" })
	})
	must.Until(t, "a latched message", func() bool { return len(got.All()) == 1 })
	latched.Publish(&blob{Text: "second"})
	plain.Publish(&blob{Text: "plain"})
	text.Publish(&msg.String{Data: "text"})
	must.Until(t, "messages of best effort", func() bool {
		fast.Publish(&blob{Text: "fast"})
		return slices.Contains(got.All(), "test/msg/Blob fast false")
	})
	must.Until(t, "all messages", func() bool { return len(unique(got.All())) == 5 })
	var others []string
	for _, s := range got.All() {
		if s != "test/msg/Blob fast false" {
			others = append(others, s)
		}
	}
	slices.Sort(others)
	must.Equal(t, others, []string{"std_msgs/msg/String text false", "test/msg/Blob latched true",
		"test/msg/Blob plain false", "test/msg/Blob second true"}, "messages")
	must.Do(t, text.Close())
	must.Do(t, latched.Close())
	must.Until(t, "two publishers", func() bool { return sub.NumPublishers() == 2 })
	must.Do(t, sub.Close())
	must.Until(t, "no subscribers", func() bool { return plain.NumSubscribers()+fast.NumSubscribers() == 0 })
	must.Equal(t, len(b.c.graph.watchers), 0, "watched topics")
}

func unique(all []string) []string { slices.Sort(all); return slices.Compact(all) }

// Messages that a publisher has sent just before it was closed arrive.
func TestRawFarewell(t *testing.T) {
	a, b := pair(t)
	var got must.List[string]
	must.Get(SubscribeRaw(b, "/x", func(_ *Source, m []byte) { got.Add(string(m[8:10])) }))(t)
	for i := range 5 {
		pub := must.Get(Advertise[blob](a, "/x", "test/Blob", PubOptions{}))(t)
		must.Until(t, "a subscriber", func() bool { return pub.NumSubscribers() == 1 })
		pub.Publish(&blob{Text: fmt.Sprint("n", i)})
		must.Until(t, "an acknowledgement", pub.writer.(*rtps.Writer).Acknowledged)
		must.Do(t, pub.Close())
	}
	must.Until(t, "all messages", func() bool { return slices.Equal(got.All(), []string{"n0", "n1", "n2", "n3", "n4"}) })
}

// Publishers with unknown types, other types and other definitions are reported once.
func TestMismatches(t *testing.T) {
	a, b := pair(t)
	must.Do(t, a.c.types.AddMessage("test/New", "string text\n"))
	must.Do(t, a.c.types.AddMessage("test/Blob", "string text\nuint8[] other\n"))
	newer := must.Get(AdvertiseRaw(a, "/x", must.Get(a.MessageType("test/New"))(t), PubOptions{}))(t)
	other := must.Get(AdvertiseRaw(a, "/x", must.Get(a.MessageType("test/Blob"))(t), PubOptions{}))(t)
	var raw, typed must.List[string]
	anyType := must.Get(SubscribeRaw(b, "/x", func(*Source, []byte) {}))(t)
	anyType.OnMismatch(func(e *MismatchError) { raw.Add(e.Error()) })
	ofBlob := must.Get(Subscribe(b, "/x", "test/Blob", func(*blob) {}))(t)
	ofBlob.OnMismatch(func(e *MismatchError) { typed.Add(e.Error()) })
	hash := must.Get(b.MessageType("test/Blob"))(t).Hash
	another := fmt.Sprintf("topic /x: /a publishes another test/msg/Blob (hash %s, here %s): its messages ",
		other.Def().Hash, hash) + map[bool]string{true: "may be misread", false: "are not taken"}[router == ""]
	sorted := func(l *must.List[string]) []string { all := l.All(); slices.Sort(all); return all }
	wantRaw := []string{"topic /x: /a publishes test/msg/New, whose definition is unknown here: its messages are not " +
		"taken", another}
	wantTyped := []string{another, "topic /x: /a publishes test/msg/New, here it is test/msg/Blob: its messages are not " +
		"taken"}
	slices.Sort(wantRaw)
	slices.Sort(wantTyped)
	must.Until(t, "reports", func() bool { return len(raw.All()) == 2 && len(typed.All()) == 2 })
	must.Equal(t, sorted(&raw), wantRaw, "reports of the raw subscriber")
	must.Equal(t, sorted(&typed), wantTyped, "reports of the typed subscriber")
	must.Equal(t, len(anyType.Mismatches()), 2, "mismatches")
	must.Do(t, newer.Close())
	must.Until(t, "one mismatch", func() bool { return len(anyType.Mismatches())+len(ofBlob.Mismatches()) == 2 })
	must.Equal(t, ofBlob.Mismatches()[0].Error(), another, "mismatch")
}

// A participant that announces very many publishers of a topic does not make a raw subscriber grow.
func TestHostilePublishers(t *testing.T) {
	c := open(t, Config{Domain: must.Domain(t)})
	n := must.Get(c.NewNode("/n"))(t)
	sub := must.Get(SubscribeRaw(n, "/x", func(*Source, []byte) {}))(t)
	known := c.types.Messages()
	for i := range 5000 {
		typ := "test::msg::dds_::Unknown_"
		if i%2 == 0 {
			typ = ddsType(must.Get(n.MessageType(known[i%len(known)]))(t).TypeName)
		}
		e := rtps.Endpoint{GUID: rtps.GUID{1, byte(i >> 8), byte(i), 15: 3}, Writer: true, Topic: "rt/x", Type: typ}
		c.graph.changed(e, true)
		if i%3 == 0 {
			c.graph.changed(e, false)
		}
	}
	c.mu.Lock()
	must.Equal(t, len(sub.ends), maxRawReaders, "readers")
	c.mu.Unlock()
	must.Equal(t, len(sub.wrong.all), maxMismatches, "mismatches")
}

// The graph has the endpoints of this process and of others.
func TestGraphState(t *testing.T) {
	a, b := pair(t)
	must.Get(Advertise[blob](a, "/x", "test/Blob", PubOptions{}))(t)
	must.Get(Advertise[msg.String](b, "/x", "std_msgs/String", PubOptions{}))(t)
	must.Get(Subscribe(b, "/x", "test/Blob", func(*blob) {}))(t)
	must.Get(Subscribe(b, "/y", "test/Blob", func(*blob) {}))(t)
	must.Get(Serve(a, "/s", "test/Blob", func(_ context.Context, r *blob) (*blob, error) { return r, nil }))(t)
	must.Get(NewClient[blob, blob](b, "/s", "test/Blob"))(t)
	must.Get(a.c.NewNode("/idle"))(t)
	want := Graph{
		Publishers:   map[string][]string{"/x": {"/a", "/team/b"}},
		Subscribers:  map[string][]string{"/x": {"/team/b"}, "/y": {"/team/b"}},
		Services:     map[string][]string{"/s": {"/a"}},
		Clients:      map[string][]string{"/s": {"/team/b"}},
		Types:        map[string][]string{"/x": {"std_msgs/msg/String", "test/msg/Blob"}, "/y": {"test/msg/Blob"}},
		ServiceTypes: map[string][]string{"/s": {"test/srv/Blob"}},
		Nodes:        []string{"/a", "/idle", "/team/b"},
	}
	for _, n := range []*Node{a, b} {
		must.Until(t, "the graph", func() bool { return fmt.Sprint(*n.Graph()) == fmt.Sprint(want) })
		must.Equal(t, n.Graph().Topics(), []string{"/x", "/y"}, "topics")
	}
	must.Do(t, b.c.Close())
	must.Until(t, "the graph without the other node", func() bool {
		g := a.Graph()
		return len(g.Nodes) == 2 && len(g.Subscribers)+len(g.Clients) == 0
	})
}

// CallRaw calls a service with encoded messages.
func TestCallRaw(t *testing.T) {
	a, b := pair(t)
	must.Get(Serve(a, "/s", "test/Blob", func(_ context.Context, r *blob) (*blob, error) {
		return &blob{Text: r.Text + r.Text}, nil
	}))(t)
	def := must.Get(b.ServiceType("test/Blob"))(t)
	codec := must.Get(codecFor[blob](b, def.Request))(t)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	answer := must.Get(CallRaw(ctx, b, "/s", def, codec.Append(nil, &blob{Text: "ab"})))(t)
	var got blob
	must.Do(t, must.Get(codecFor[blob](b, def.Response))(t).Decode(answer, &got))
	must.Equal(t, got.Text, "abab", "answer")
	must.Equal(t, len(b.Graph().Clients), 0, "clients after the call")
}

// Raw subscribers receive the messages of others, with their types.
func TestPeerRaw(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		var got must.List[string]
		sub := must.Get(SubscribeRaw(n, "/blob0", func(from *Source, b []byte) {
			got.Add(from.Def.TypeName + " " + strings.TrimRight(string(b[8:10]), "\x00") + fmt.Sprint(from.Latched))
		}))(t)
		ddspeer.Start(t, kind, "pub", d, 1, 1, 1, 3, 3)
		want := []string{"test/msg/Blob n0true", "test/msg/Blob n1true", "test/msg/Blob n2true"}
		must.Until(t, "messages", func() bool { return slices.Equal(got.All(), want) })
		must.Equal(t, sub.NumPublishers(), 1, "publishers")
		g := n.Graph()
		must.Equal(t, g.Types["/blob0"], []string{"test/msg/Blob"}, "types")
		must.Equal(t, g.Publishers["/blob0"] == nil && g.Nodes[0] == "/omni", true, "the graph %v", *g)
	})
}

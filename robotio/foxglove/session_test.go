package foxglove

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// client is a WebSocket client whose tests write the protocol's messages themselves.
type client struct{ webtest.Client }

func dial(t testing.TB, s *Server) client {
	t.Helper()
	return client{webtest.Dial(t, s.URL(), protocols[:1]...)}
}

// channel waits for the channel of a topic.
func (k client) channel(topic string) (found channel) {
	k.T.Helper()
	k.Receive("the channel of "+topic, func(binary bool, b []byte) bool {
		var m struct {
			Op       string
			Channels []channel
		}
		if binary || json.Unmarshal(b, &m) != nil || m.Op != "advertise" {
			return false
		}
		for _, c := range m.Channels {
			if c.Topic == topic {
				found = c
			}
		}
		return found.Topic == topic
	})
	return found
}

// TestLeave checks that a client's advertisements and subscriptions end when it disconnects.
func TestLeave(t *testing.T) {
	uri := webtest.Master(t)
	sim := webtest.Sim(t, uri)
	k := dial(t, newServer(t, uri, web.Config{}))
	k.ReceiveText(`"name":"omnipitch"`)
	c := k.channel("/odo")
	k.Send(`{"op":"subscribe","subscriptions":[{"id":7,"channelId":%d}]}`, c.ID)
	k.Send(`{"op":"advertise","channels":[{"id":1,"topic":"/web/a","encoding":"ros1","schemaName":"std_msgs/Int32"}]}`)
	b := k.Receive("a message", func(binary bool, b []byte) bool { return binary })
	if b[0] != opMessage || le.Uint32(b[1:]) != 7 {
		t.Errorf("message % x: must be of subscription 7", b[:13])
	}
	if at := time.Unix(0, int64(le.Uint64(b[5:]))); time.Since(at).Abs() > time.Hour {
		t.Errorf("message of %v: must be wall time where nothing is simulated", at)
	}
	count := func() (pubs, subs int) {
		g := must.Get(sim.Graph(t.Context()))(t)
		return len(g.Publishers["/web/a"]), len(g.Subscribers["/odo"])
	}
	webtest.Until(t, "the client's registrations", func() bool { p, s := count(); return p == 1 && s == 1 })
	k.Conn.CloseNow()
	webtest.Until(t, "them to go", func() bool { p, s := count(); return p+s == 0 })
}

// A client cannot exceed its limits.
func TestLimits(t *testing.T) {
	uri := webtest.Master(t)
	sim := webtest.Sim(t, uri)
	must.Get(ros1.Serve(sim, "/slow", "nubot_common/Shoot", func(ctx context.Context,
		_ *msg.ShootRequest) (*msg.ShootResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}))(t)
	srv := newServer(t, uri, web.Config{Limits: web.Limits{Subscriptions: 1, Calls: 1, Message: 10000}})
	k := dial(t, srv)
	k.Send(`{"op":"advertise","channels":[{"id":1,"topic":"/a","encoding":"json","schemaName":"std_msgs/Int32"},{"id":2,"topic":"/b","encoding":"json","schemaName":"std_msgs/Int32"}]}`)
	k.ReceiveText("topic /b: 1 channels are advertised: must be at most 1")
	k.Send(`{"op":"unadvertise","channelIds":[1]}`)
	k.Send(`{"op":"advertise","channels":[{"id":1,"topic":"/a","encoding":"json","schemaName":"a/A","schema":"uint8[20000] x","schemaEncoding":"ros1msg"}]}`)
	must.Do(t, k.Conn.Write(t.Context(), websocket.MessageBinary, []byte("\x01\x01\x00\x00\x00{}")))
	k.ReceiveText("message takes 20000 bytes: must be at most 10000")
	k.Send(`{"op":"subscribeParameterUpdates","parameterNames":["/a","/b"]}`)
	k.ReceiveText("1 parameters are watched: must be at most 1")
	var id uint32
	other := dial(t, srv) // receives all services again
	other.Receive("the service /slow", func(binary bool, b []byte) bool {
		var m struct{ Services []service }
		if binary || json.Unmarshal(b, &m) != nil {
			return false
		}
		for _, s := range m.Services {
			if s.Name == "/slow" {
				id = s.ID
			}
		}
		return id != 0
	})
	for i := range uint32(2) {
		must.Do(t, k.Conn.Write(t.Context(), websocket.MessageBinary,
			call{id, i, "json", []byte("{}")}.append([]byte{opServiceRequest})))
	}
	k.ReceiveText("1 calls are in progress: must be at most 1")
}

// TestRefuses checks that invalid messages are answered with one sentence that names the place, the value and the rule.
func TestRefuses(t *testing.T) {
	uri := webtest.Master(t)
	k := dial(t, newServer(t, uri, web.Config{}))
	for in, want := range map[string]string{
		`{`:          `message \"{\": must be a JSON object`,
		`{"op":"x"}`: `op = \"x\": must be one of the protocol's`,
		`{"op":"advertise","channels":[{"id":1,"topic":"/a","encoding":"cdr","schemaName":"std_msgs/Int32"}]}`:                                                     `advertise: topic /a: encoding = \"cdr\": must be ros1 or json`,
		`{"op":"advertise","channels":[{"id":1,"topic":"/a","encoding":"ros1","schemaName":"no_msgs/Thing"}]}`:                                                     `type = \"no_msgs/Thing\": must be known to the library or to a publisher`,
		`{"op":"advertise","channels":[{"id":1,"topic":"/a b","encoding":"ros1","schemaName":"std_msgs/Int32"}]}`:                                                  `name \"/a b\": must be letters, digits, / and _`,
		`{"op":"setParameters","parameters":[{"name":"/x","value":null}]}`:                                                                                         `parameter /x`,
		`{"op":"advertise","channels":[{"id":1,"topic":"/a","encoding":"ros1","schemaName":"a/A","schemaEncoding":"ros1msg","schema":"B[1048576] x\nfloat64 y"}]}`: `a/A.msg: field a/B[1048576] x: unknown type`,
	} {
		k.Send("%s", in)
		k.ReceiveText(want)
	}
}

// newServer starts a server that allows the origin https://good.example.
func newServer(t testing.TB, uri string, cfg web.Config) *Server {
	t.Helper()
	cfg.Addr, cfg.Access.Origins = "127.0.0.1:0", []string{"https://good.example"}
	s := must.Get(Listen(webtest.Node(t, uri, "/foxglove"), cfg))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// Neither disconnected clients nor a closed server leave goroutines behind.
func TestNothingIsLeft(t *testing.T) {
	uri := webtest.Master(t)
	webtest.Sim(t, uri)
	before := runtime.NumGoroutine()
	s := newServer(t, uri, web.Config{})
	for range 30 {
		k := dial(t, s)
		k.Send(`{"op":"subscribe","subscriptions":[{"id":7,"channelId":%d}]}`, k.channel("/image").ID)
		k.Send(`{"op":"advertise","channels":[{"id":1,"topic":"/cmd","encoding":"json","schemaName":"nubot_common/OdoInfo"}]}`)
		k.Send(`{"op":"subscribeConnectionGraph"}`)
		k.Send(`{"op":"subscribeParameterUpdates","parameterNames":["/speed"]}`)
		k.Receive("an image", func(binary bool, _ []byte) bool { return binary })
		k.Conn.CloseNow()
	}
	must.Do(t, s.Close())
	must.Do(t, s.Node.Close())
	webtest.Until(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

// TestClient runs the client of npm's @foxglove/ws-protocol the way Foxglove uses it, with both subprotocols. The
// checks are in testdata/web/foxglove.mjs.
func TestClient(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			uri := webtest.Master(t)
			sim := webtest.Sim(t, uri)
			must.Do(t, sim.SetParam("/use_sim_time", true))
			clock := must.Get(ros1.Advertise[msg.Clock](sim, "/clock", "rosgraph_msgs/Clock", ros1.PubOptions{}))(t)
			now := 200 * time.Second
			webtest.Repeat(t, 10*time.Millisecond, func() {
				now += 10 * time.Millisecond
				clock.Publish(&msg.Clock{Clock: msg.TimeFrom(now)})
			})
			p := webtest.Start(t, "foxglove.mjs", newServer(t, uri, web.Config{}).URL(), protocol)
			p.Prints("watching /web/x")
			must.Do(t, sim.SetParam("/web/x", 9.5))
			p.Prints("watching the graph")
			late := must.Get(ros1.Advertise[msg.Int32](sim, "/late", "std_msgs/Int32", ros1.PubOptions{}))(t)
			p.Prints("seen /late")
			must.Do(t, late.Close())
			p.Prints("ok connection graph")
			again := must.Get(ros1.Advertise[msg.String](sim, "/late", "std_msgs/String",
				ros1.PubOptions{Latch: true}))(t)
			again.Publish(&msg.String{Data: "later"})
			p.End()
		})
	}
}

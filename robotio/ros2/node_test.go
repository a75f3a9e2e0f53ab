package ros2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// blob is test/Blob, which the peers' programs know.
type blob struct {
	Text string
	Data []byte
}

// router is the address of a Zenoh router. If it is set, open and pair use Zenoh.
var router string

func open(t testing.TB, cfg Config) *Context {
	t.Helper()
	if router != "" {
		cfg.Transport, cfg.Router, cfg.Distribution = Zenoh, router, "jazzy"
	}
	cfg.Types = must.Get(msg.LoadROS2(max(cfg.Distribution, "humble")))(t)
	const text = "string text\nuint8[] data\n"
	must.Do(t, cfg.Types.AddMessage("test/Blob", text))
	must.Do(t, cfg.Types.AddService("test/Blob", text+"---\n"+text))
	c := must.Get(Open(cfg))(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// pair returns nodes of two contexts, over DDS of different distributions.
func pair(t testing.TB) (a, b *Node) {
	t.Helper()
	d := must.Domain(t)
	return must.Get(open(t, Config{Domain: d, Distribution: "humble"}).NewNode("/a"))(t),
		must.Get(open(t, Config{Domain: d, Distribution: "jazzy"}).NewNode("team/b"))(t)
}

func TestTopics(t *testing.T) {
	a, b := pair(t)
	var got must.List[string]
	sub := must.Get(Subscribe(b, "words", "test/Blob", func(m *blob) { got.Add(m.Text) }))(t)
	must.Equal(t, sub.Topic(), "/team/words", "the topic in the node's namespace")
	pub := must.Get(Advertise[blob](a, "/team/words", "test/msg/Blob", PubOptions{}))(t)
	raw := must.Get(AdvertiseRaw(a, "/team/words", pub.Def(), PubOptions{Queue: 3}))(t)
	must.Until(t, "matches", func() bool {
		return pub.NumSubscribers() == 1 && raw.NumSubscribers() == 1 && sub.NumPublishers() == 2
	})
	must.Until(t, "the names of nodes", func() bool {
		all := pub.Connections()
		return len(all) == 1 && all[0].Node == "/team/b"
	})
	must.Until(t, "the names of nodes", func() bool {
		all := sub.Connections()
		return len(all) == 2 && all[0].Node == "/a" && all[1] == (Connection{Node: "/a", ID: all[0].ID + 1})
	})
	must.Until(t, "a message", func() bool { // the subscriber asks for best effort
		pub.Publish(&blob{Text: "typed"})
		return slices.Contains(got.All(), "typed")
	})
	encoded := must.Get(codecFor[blob](a, pub.Def()))(t)
	must.Until(t, "a raw message", func() bool {
		raw.Publish(encoded.Append(nil, &blob{Text: "raw"}))
		return slices.Contains(got.All(), "raw")
	})
	must.Do(t, sub.Close())
	must.Do(t, sub.Close())
	must.Until(t, "no match", func() bool { return pub.NumSubscribers() == 0 && len(pub.Connections()) == 0 })
}

// Borrowed bytes are released once, also if nobody subscribes or the context is closed.
func TestBorrowedBytes(t *testing.T) {
	a, b := pair(t)
	got := make(chan int, 10)
	width, height := 640, 480
	if router != "" { // a router that is busy drops large messages
		width, height = 64, 48
	}
	pixels := make([]byte, width*height*3)
	pub := must.Get(Advertise[msg.Image](a, "/image", "sensor_msgs/Image", PubOptions{}))(t)
	raw := must.Get(AdvertiseRaw(a, "/image", pub.Def(), PubOptions{}))(t)
	var released, sent atomic.Int32
	release := func() { released.Add(1) }
	m := &msg.Image{Height: uint32(height), Width: uint32(width), Step: uint32(width * 3), Encoding: "bgr8",
		Data: pixels}
	codec := must.Get(codecFor[msg.Image](a, pub.Def()))(t)
	publish := func() {
		pub.PublishLent(m, release)
		raw.Fill(func(b []byte) []byte {
			all, at, _ := codec.AppendParts(b, m)
			return all[:at]
		}, pixels, release)
		sent.Add(2)
	}
	publish()
	must.Equal(t, released.Load(), 2, "releases without subscribers")
	sub := must.Get(SubscribeLent(b, "/image", "sensor_msgs/Image", func(m *msg.Image) {
		select {
		case got <- len(m.Data):
		default:
		}
	}))(t)
	must.Until(t, "matches", func() bool { return pub.NumSubscribers()+raw.NumSubscribers()+sub.NumPublishers() == 4 })
	must.Until(t, "images", func() bool { publish(); return len(got) >= 4 })
	must.Equal(t, <-got, len(pixels), "bytes of an image")
	must.Until(t, "releases", func() bool { return released.Load() == sent.Load() })
	must.Do(t, a.c.Close())
	publish()
	must.Equal(t, released.Load(), sent.Load(), "releases after the end")
}

// A raw publisher makes no garbage.
func TestFillAllocatesNothing(t *testing.T) {
	a, b := pair(t)
	raw := must.Get(AdvertiseRaw(a, "/blob", must.Get(a.MessageType("test/Blob"))(t), PubOptions{}))(t)
	sub := must.Get(SubscribeAs(b, "/blob", raw.Def(), QoS{Reliable: true}, func([]byte) error { return nil }))(t)
	must.Until(t, "matches", func() bool { return raw.NumSubscribers() == 1 && sub.NumPublishers() == 1 })
	tail, release := make([]byte, 1000), func() {}
	fill := func(b []byte) []byte {
		return append(b, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xe8, 3, 0, 0)
	}
	must.Until(t, "a message without an allocation", func() bool { // other goroutines allocate, too
		return testing.AllocsPerRun(1, func() { raw.Fill(fill, tail, release) }) == 0
	})
}

// Late subscribers of latched topics get the last message.
func TestLatch(t *testing.T) {
	a, b := pair(t)
	for _, c := range []struct {
		topic string
		o     PubOptions
	}{{"/tf_static", PubOptions{}}, {"/cyan1/robot_description", PubOptions{}}, {"/map", PubOptions{Latch: true}}} {
		pub := must.Get(Advertise[blob](a, c.topic, "test/Blob", c.o))(t)
		for i := range 3 {
			pub.Publish(&blob{Text: fmt.Sprint("n", i)})
		}
		var early, got must.List[string]
		first := must.Get(Subscribe(b, c.topic, "test/Blob", func(m *blob) { early.Add(m.Text) }))(t)
		// Until then, a router may still hold messages, which it sends to every new subscriber.
		must.Until(t, "the last message", func() bool { return slices.Contains(early.All(), "n2") })
		must.Do(t, first.Close())
		must.Get(Subscribe(b, c.topic, "test/Blob", func(m *blob) { got.Add(m.Text) }))(t)
		must.Until(t, c.topic, func() bool { return len(got.All()) > 0 })
		must.Equal(t, got.All(), []string{"n2"}, "messages of %s", c.topic)
	}
}

func TestQoSByConvention(t *testing.T) {
	for _, c := range []struct {
		topic, typ string
		o          PubOptions
		want, ask  QoS
	}{
		{"/odom", "nav_msgs/Odometry", PubOptions{}, QoS{Reliable: true, Depth: 10}, QoS{Depth: 10}},
		{"/camera/image", "sensor_msgs/Image", PubOptions{}, QoS{Reliable: true, Depth: 5}, QoS{Depth: 10}},
		{"/scan", "sensor_msgs/LaserScan", PubOptions{BestEffort: true, Queue: 2}, QoS{Depth: 2}, QoS{Depth: 10}},
		{"/tf", "tf2_msgs/TFMessage", PubOptions{}, QoS{Reliable: true, Depth: 100}, QoS{Reliable: true, Depth: 100}},
		{"/r/tf_static", "tf2_msgs/TFMessage", PubOptions{}, QoS{Reliable: true, TransientLocal: true, Depth: 1},
			QoS{Reliable: true, TransientLocal: true, Depth: 10}},
		{"/clock", "rosgraph_msgs/Clock", PubOptions{}, QoS{Reliable: true, Depth: 10}, QoS{Depth: 1}},
		{"/rosout", "rcl_interfaces/Log", PubOptions{},
			QoS{Reliable: true, TransientLocal: true, Depth: 1000, Lifespan: 10 * time.Second}, QoS{Depth: 10}},
	} {
		must.Equal(t, offered(c.o, c.topic, c.typ), c.want, "offered for %s", c.topic)
		must.Equal(t, SubscriptionQoS(c.topic), c.ask, "asked for %s", c.topic)
	}
}

// A slow callback loses the oldest messages, and other callbacks continue.
func TestSlowSubscriber(t *testing.T) {
	a, b := pair(t)
	pub := must.Get(Advertise[blob](a, "/blob", "test/Blob", PubOptions{Queue: 100}))(t)
	var slow, fast must.List[string]
	block := make(chan struct{})
	sub := must.Get(SubscribeAs(b, "/blob", pub.Def(), QoS{Reliable: true, Depth: 2}, func(m []byte) error {
		<-block
		slow.Add(string(m[8:10]))
		return errors.New("is logged")
	}))(t)
	must.Get(SubscribeAs(b, "/blob", pub.Def(), QoS{Reliable: true, Depth: 100}, func(m []byte) error {
		fast.Add(string(m[8:10]))
		return nil
	}))(t)
	must.Until(t, "matches", func() bool { return pub.NumSubscribers() == 2 && sub.NumPublishers() == 1 })
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprint(10+i))
		pub.Publish(&blob{Text: want[i]})
	}
	must.Until(t, "all messages", func() bool { return len(fast.All()) == 20 })
	must.Equal(t, fast.All(), want, "messages of the fast subscriber")
	close(block)
	must.Until(t, "the last message", func() bool { return slices.Contains(slow.All(), "29") })
	if got := slow.All(); len(got) > 10 || !slices.IsSorted(got) {
		t.Errorf("the slow subscriber got %v", got)
	}
	must.Until(t, "room", func() bool { return b.c.held.Load() < 100 })
}

func TestNames(t *testing.T) {
	c := open(t, Config{Domain: must.Domain(t)})
	for _, bad := range []struct{ name, want string }{
		{"", "after each slash"}, {"/", "after each slash"}, {"a b", "letters, digits, underscores and slashes"},
		{"/a//b", "after each slash"}, {"a/", "after each slash"}, {"a__b", "two underscores"},
		{"1a", "begin with a digit"},
		{"ä", "letters, digits"}, {strings.Repeat("a", 300), "must have at most"},
	} {
		must.Refuse(c.NewNode(bad.name))(t, bad.want, bad.name)
	}
	n := must.Get(c.NewNode("/a/b"))(t)
	must.Refuse(c.NewNode("a/b"))(t, "ros 2 node /a/b: this process has a node of that name already")
	for name, want := range map[string]string{"x": "/a/x", "/x": "/x", "~/x": "/a/b/x", "x/y": "/a/x/y"} {
		must.Equal(t, must.Get(n.resolve(name))(t), want, "%s", name)
	}
	must.Refuse(Advertise[blob](n, "/1", "test/Blob", PubOptions{}))(t,
		`ros 2 node /a/b: topic: name = "/1": no part between slashes must begin with a digit`)
	must.Refuse(Advertise[blob](n, "/x", "test/Bob", PubOptions{}))(t, "test/Bob")
	must.Refuse(Subscribe(n, "~", "test/Blob", func(*blob) {}))(t, "must consist of letters")
	must.Refuse(Advertise[msg.Imu](n, "/x", "test/Blob", PubOptions{}))(t, "Go type")
	old := must.Get(must.Get(msg.Load("std"))(t).Message("std_msgs/String"))(t)
	must.Refuse(AdvertiseRaw(n, "/x", old, PubOptions{}))(t, "std_msgs/String: must be a type of ROS 2")
	must.Refuse(Open(Config{Distribution: "noetic"}))(t, "must be humble or jazzy")
	must.Refuse(Open(Config{Domain: 300}))(t, "domain")
	must.Do(t, n.Close())
	must.Refuse(Advertise[blob](n, "/x", "test/Blob", PubOptions{}))(t, "closed")
	must.Get(c.NewNode("/a/b"))(t)
}

func TestFromEnv(t *testing.T) {
	env := map[string]string{"ROS_DISTRO": "humble", "ROS_DOMAIN_ID": "7", "ROS_LOCALHOST_ONLY": "1"}
	var c Config
	must.Do(t, c.FromEnv(func(k string) string { return env[k] }))
	must.Equal(t, c, Config{Distribution: "humble", Domain: 7, Range: Localhost, Multicast: true}, "configuration")
	env["ROS_DOMAIN_ID"] = "x"
	must.Fail(t, c.FromEnv(func(k string) string { return env[k] }), "ros 2: ROS_DOMAIN_ID = x")
}

// Services work between contexts, with several clients and calls at the same time.
func TestServices(t *testing.T) {
	a, b := pair(t)
	type trigger = msg.TriggerRequest
	srv := must.Get(Serve(a, "~/sum", "test/Blob", func(_ context.Context, r *blob) (*blob, error) {
		if r.Text == "fail" {
			return nil, errors.New("is logged")
		}
		return &blob{"sum of " + r.Text, r.Data}, nil
	}))(t)
	must.Get(Serve(a, "/trigger", "std_srvs/srv/Trigger",
		func(context.Context, *trigger) (*msg.TriggerResponse, error) {
			return &msg.TriggerResponse{Success: true, Message: "done"}, nil
		}))(t)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	one := must.Get(NewClient[blob, blob](b, "/a/sum", "test/Blob"))(t)
	two := must.Get(NewClient[blob, blob](b, "/a/sum", "test/Blob"))(t)
	failed := make(chan error, 40)
	for i := range 40 {
		go func() {
			c, text := one, strconv.Itoa(i)
			if i%2 == 1 {
				c = two
			}
			got, err := c.Call(ctx, &blob{Text: text})
			if err == nil && got.Text != "sum of "+text {
				err = fmt.Errorf("got %q, want the sum of %s", got.Text, text)
			}
			failed <- err
		}()
	}
	for range 40 {
		must.Do(t, <-failed)
	}
	got := must.Get(Call[trigger, msg.TriggerResponse](ctx, b, "/trigger", "std_srvs/Trigger", &trigger{}))(t)
	must.Equal(t, *got, msg.TriggerResponse{Success: true, Message: "done"}, "response")
	must.Equal(t, must.Get(one.Call(ctx, &blob{Text: "fail"}))(t).Text, "", "response of a failure")
	must.Do(t, srv.Close())
	must.Until(t, "no server", func() bool { return len(one.servers.list()) == 0 })
	short, stop := context.WithTimeout(ctx, time.Millisecond)
	defer stop()
	_, err := one.Call(short, &blob{})
	must.Equal(t, errors.Is(err, ErrNoService) && errors.Is(err, context.DeadlineExceeded), true, "%v", err)
	if c, ok := one.asker.(*ddsClient); ok {
		must.Equal(t, len(c.pending)+len(two.asker.(*ddsClient).pending), 0, "pending calls")
	}
	must.Until(t, "room", func() bool { return a.c.held.Load() == 0 })
}

// Close ends the contexts of callbacks, and the calls that wait.
func TestClose(t *testing.T) {
	a, b := pair(t)
	entered := make(chan struct{})
	must.Get(Serve(a, "/wait", "test/Blob", func(ctx context.Context, r *blob) (*blob, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	}))(t)
	failed := make(chan error, 1)
	go func() {
		_, err := Call[blob, blob](context.Background(), b, "/wait", "test/Blob", &blob{})
		failed <- err
	}()
	<-entered
	for _, n := range []*Node{a, b} {
		must.Do(t, n.c.Close())
		must.Do(t, n.c.Close())
	}
	if err := <-failed; !errors.Is(err, errNoAnswer) { // over Zenoh, the end of the service may end the call
		must.Fail(t, err, net.ErrClosed.Error())
	}
	must.Refuse(a.c.NewNode("/late"))(t, net.ErrClosed.Error())
	must.Refuse(Advertise[blob](a, "/late", "test/Blob", PubOptions{}))(t, net.ErrClosed.Error())
}

func TestServiceHeader(t *testing.T) {
	const little, big = "\x00\x01\x00\x00", "\x00\x00\x00\x00"
	one, two := "\x01\x00\x00\x00\x00\x00\x00\x00", "\x02\x00\x00\x00\x00\x00\x00\x00"
	back := "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02"
	for _, c := range []struct {
		b    string
		id   callID
		rest string
		ok   bool
	}{
		{little + one + two + "abc", callID{1, 2}, little + "abc", true},
		{big + back + "abc", callID{1, 2}, big + "abc", true},
		{"\x00\x03\x00\x00" + one + two, callID{}, "", false},
		{little + one + two[:7], callID{}, "", false},
	} {
		id, rest, ok := cutCallID([]byte(c.b))
		if ok != c.ok || ok && (id != c.id || string(rest) != c.rest) {
			t.Errorf("%q: got %v %q %v, want %v %q %v", c.b, id, rest, ok, c.id, c.rest, c.ok)
		}
	}
	o := withCallID([]byte(little+"abc"), callID{1, 2})
	must.Equal(t, string(o.Head)+string(o.Body), little+one+two+"abc", "message")
}

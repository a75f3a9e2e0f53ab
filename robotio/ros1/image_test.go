package ros1

import (
	"bytes"
	"math"
	"sync/atomic"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func testImage(fill byte) *msg.Image {
	return &msg.Image{Header: msg.Header{FrameID: "cam"}, Height: 480, Width: 640, Encoding: "bgr8", Step: 640 * 3,
		Data: bytes.Repeat([]byte{fill}, 480*640*3)}
}

// TestImageHeader uses the general encoder as the oracle.
func TestImageHeader(t *testing.T) {
	lib := must.Get(msg.Load("nubot"))(t)
	codec := must.Get(msg.Compile[msg.Image](must.Get(lib.Message("sensor_msgs/Image"))(t)))(t)
	m := testImage(7)
	m.Header.Stamp, m.IsBigendian = msg.Time{Sec: 1, Nsec: 2}, 1
	got := append(appendImageHeader(nil, m), m.Data...)
	must.Equal(t, got, codec.Append(nil, m), "differs from the general encoder")
}

func TestImage(t *testing.T) {
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/a"), newNode(t, m.URI(), "/b")
	pub := must.Get(AdvertiseImage(a, "/camera/image_raw", 0))(t)
	released := 0
	if err := pub.Publish(testImage(1), func() { released++ }); err != nil || released != 1 {
		t.Errorf("without a subscriber: released %d times, %v", released, err)
	}
	bad := testImage(1)
	bad.Height--
	if err := pub.Publish(bad, func() { released++ }); err == nil || released != 2 {
		t.Errorf("wrong size: released %d times, %v", released, err)
	}
	got := received[msg.Image](t, b, "/camera/image_raw", "sensor_msgs/Image")
	second := must.Get(Subscribe(b, "/camera/image_raw", "sensor_msgs/Image", func(m *msg.Image) { got <- m }))(t)
	must.Until(t, "the connection of both",
		func() bool { return pub.NumSubscribers() == 1 && second.NumPublishers() == 1 })
	var freed atomic.Int32
	for i := range byte(20) {
		want := testImage(i)
		must.Do(t, pub.Publish(want, func() { freed.Add(1) }))
		for range 2 {
			if m := recv(t, got); !bytes.Equal(m.Data, want.Data) || m.Header.FrameID != "cam" || m.Step != 1920 ||
				m.Header.Seq == 0 {
				t.Errorf("image %d: seq %d, %d bytes of %d", i, m.Header.Seq, len(m.Data), m.Data[0])
			}
		}
	}
	must.Until(t, "every image to be released once", func() bool { return freed.Load() == 20 })
	must.Do(t, pub.Close())
}

// TestStalledSubscriber checks that a peer that does not read affects no others, and uses no buffers beyond its queue.
// Pixels are released when it leaves.
func TestStalledSubscriber(t *testing.T) {
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/a"), newNode(t, m.URI(), "/b")
	pub := must.Get(AdvertiseImage(a, "/i", 2))(t)
	stalled := dialTopic(t, a, tcpros.Header{"topic": "/i", "type": "sensor_msgs/Image", "md5sum": "*",
		"callerid": "/stalled"})
	got := make(chan uint32, 1)
	must.Get(Subscribe(b, "/i", "sensor_msgs/Image", func(m *msg.Image) { got <- m.Header.Seq }))(t)
	must.Until(t, "both", func() bool { return pub.NumSubscribers() == 2 })
	var held atomic.Int32
	img := testImage(0)
	for i := range uint32(60) {
		held.Add(1)
		must.Do(t, pub.Publish(img, func() { held.Add(-1) }))
		if seq := recv(t, got); seq != i+1 {
			t.Fatalf("seq = %d, want %d", seq, i+1)
		}
	}
	if pub.Dropped() == 0 {
		t.Error("the stalled peer dropped nothing")
	}
	if n := held.Load(); n > 4 {
		t.Errorf("%d images held, want at most the queue, one under way and the newest", n)
	}
	// When it reads again, the last image that it gets is the newest.
	wantDropped, last := pub.Dropped(), uint32(0)
	for last != 60 {
		block := must.Get(tcpros.ReadBlock(stalled, nil, 1<<20))(t)
		last = le.Uint32(block)
	}
	must.Equal(t, pub.Dropped(), wantDropped, "waking dropped more")
	stalled.Close()
	must.Until(t, "the peer to go", func() bool { return pub.NumSubscribers() == 1 })
	must.Until(t, "all images to be released", func() bool { return held.Load() == 0 })
}

// TestPublishAllocatesNothing checks images and small messages, once buffers exist.
func TestPublishAllocatesNothing(t *testing.T) {
	n := newNode(t, newMaster(t).URI(), "/a")
	images := must.Get(AdvertiseImage(n, "/i", 0))(t)
	odometry := must.Get(Advertise[msg.OdoInfo](n, "/o", "nubot_common/OdoInfo", PubOptions{}))(t)
	img, odo := testImage(1), &msg.OdoInfo{Header: msg.Header{FrameID: "base_link"}}
	for topic, publish := range map[string]func(){
		"/i": func() { _ = images.Publish(img, nil) },
		"/o": func() { odometry.Publish(odo) },
	} {
		conn := dialTopic(t, n, tcpros.Header{"topic": topic, "type": "*", "md5sum": "*", "callerid": "/sub"})
		must.Until(t, "the subscriber", func() bool { return images.NumSubscribers()+odometry.NumSubscribers() == 1 })
		buf := make([]byte, 1<<20)
		// The node's calls to the master, once per second, allocate. So take the best of several runs.
		least := math.Inf(1)
		for range 5 {
			least = min(least, testing.AllocsPerRun(50, func() {
				publish()
				buf = must.Get(tcpros.ReadBlock(conn, buf, 1<<20))(t)
			}))
		}
		must.Equal(t, least, 0, "%s", topic)
		conn.Close()
		must.Until(t, "the subscriber to go",
			func() bool { return images.NumSubscribers()+odometry.NumSubscribers() == 0 })
	}
}

// BenchmarkTransport sends 640×480 bgr8 images, and odometry, to one subscriber over loopback, one at a time.
func BenchmarkTransport(b *testing.B) {
	n := must.Get(NewNode(NodeConfig{Name: "/a", MasterURI: newMaster(b).URI()}))(b)
	defer n.Close()
	images := must.Get(AdvertiseImage(n, "/i", 0))(b)
	odometry := must.Get(Advertise[msg.OdoInfo](n, "/o", "nubot_common/OdoInfo", PubOptions{}))(b)
	img, odo := testImage(3), &msg.OdoInfo{Header: msg.Header{FrameID: "base_link"}, Vx: 1}
	for topic, publish := range map[string]func(){
		"/i": func() { _ = images.Publish(img, nil) },
		"/o": func() { odometry.Publish(odo) },
	} {
		conn := dialTopic(b, n, tcpros.Header{"topic": topic, "type": "*", "md5sum": "*", "callerid": "/sub"})
		must.Until(b, "the subscriber", func() bool { return images.NumSubscribers()+odometry.NumSubscribers() == 1 })
		b.Run(topic, func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				publish()
				buf = must.Get(tcpros.ReadBlock(conn, buf, 1<<20))(b)
			}
			b.SetBytes(int64(len(buf)))
		})
		conn.Close()
		must.Until(b, "it to leave", func() bool { return images.NumSubscribers()+odometry.NumSubscribers() == 0 })
	}
}

// SubscribeLent decodes each message into the same memory.
func TestSubscribeLent(t *testing.T) {
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/n")
	pub := must.Get(AdvertiseImage(n, "/image", 0))(t)
	type seen struct {
		at    *byte
		value byte
	}
	got := make(chan seen, 10)
	must.Get(SubscribeLent(n, "/image", "sensor_msgs/Image",
		func(m *msg.Image) { got <- seen{&m.Data[0], m.Data[len(m.Data)-1]} }))(t)
	must.Until(t, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	var first *byte
	for i := range byte(5) {
		must.Do(t, pub.Publish(testImage(i), nil))
		s := recv(t, got)
		if first == nil {
			first = s.at
		}
		if s.value != i || s.at != first {
			t.Errorf("message %d: value %d, in the same memory: %v", i, s.value, s.at == first)
		}
	}
}

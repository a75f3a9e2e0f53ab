package webtest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Master starts a master and returns its URI.
func Master(t testing.TB) string {
	t.Helper()
	m := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { m.Close() })
	return m.URI()
}

// Node starts a node.
func Node(t testing.TB, uri, name string) *ros1.Node {
	t.Helper()
	n := must.Get(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: uri}))(t)
	t.Cleanup(func() { n.Close() })
	return n
}

// Repeat calls f periodically until the test ends.
func Repeat(t testing.TB, every time.Duration, f func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			f()
			select {
			case <-stop:
				return
			case <-time.After(every):
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
}

// picture returns an image of 320×240 pixels with a known pattern.
func picture() *msg.Image {
	m := &msg.Image{Width: 320, Height: 240, Step: 3 * 320, Encoding: "bgr8", Data: make([]byte, 3*320*240)}
	for i := range m.Data {
		m.Data[i] = byte(i * 7)
	}
	return m
}

// Sim starts a node /sim with publishers, an echo topic, a service and a parameter.
func Sim(t testing.TB, uri string) *ros1.Node {
	t.Helper()
	n := Node(t, uri, "/sim")
	odo := must.Get(ros1.Advertise[msg.OdoInfo](n, "/odo", "nubot_common/OdoInfo", ros1.PubOptions{Latch: true}))(t)
	odo.Publish(&msg.OdoInfo{Header: msg.Header{Stamp: msg.Time{Sec: 12, Nsec: 34}, FrameID: `base "ä"`}, Vx: 120.5,
		PowerState: true})
	image := must.Get(ros1.AdvertiseImage(n, "/image", 0))(t)
	scan := must.Get(ros1.Advertise[msg.LaserScan](n, "/scan", "sensor_msgs/LaserScan", ros1.PubOptions{Latch: true}))(
		t)
	scan.Publish(&msg.LaserScan{Ranges: []float32{1.5, float32(math.Inf(1)), 2.5}})
	fast := must.Get(ros1.Advertise[msg.Int32](n, "/fast", "std_msgs/Int32", ros1.PubOptions{}))(t)
	i, pixels := int32(0), picture()
	Repeat(t, 10*time.Millisecond, func() {
		i++
		fast.Publish(&msg.Int32{Data: i})
		_ = image.Publish(pixels, nil)
	})
	echo := must.Get(ros1.Advertise[msg.OdoInfo](n, "/echo", "nubot_common/OdoInfo", ros1.PubOptions{Latch: true}))(t)
	must.Get(ros1.Subscribe(n, "/cmd", "nubot_common/OdoInfo", echo.Publish))(t)
	must.Get(ros1.Serve(n, "/Shoot", "nubot_common/Shoot",
		func(_ context.Context, r *msg.ShootRequest) (*msg.ShootResponse,
			error) {
			if r.Strength < 0 {
				return nil, fmt.Errorf("strength = %v: must not be negative", r.Strength)
			}
			return &msg.ShootResponse{ShootIsDone: int64(r.Strength)}, nil
		}))(t)
	must.Do(t, n.SetParam("/speed", 2.5))
	return n
}

// Client is a plain WebSocket client; tests write the protocol's messages themselves.
type Client struct {
	T    testing.TB
	Conn *websocket.Conn
}

// receiveTime is the maximum wall time of waiting for a message; a guess, far more than a busy machine needs.
const receiveTime = time.Minute

// Dial connects to a server and offers subprotocols. The connection is closed when the test ends.
func Dial(t testing.TB, url string, protocols ...string) Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), receiveTime)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(64 << 20)
	t.Cleanup(func() { c.CloseNow() })
	return Client{t, c}
}

// Send sends a text message.
func (k Client) Send(format string, args ...any) {
	k.T.Helper()
	must.Do(k.T, k.Conn.Write(k.T.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)))
}

// Receive waits for a message for which ok returns true. what describes the message in the failure message.
func (k Client) Receive(what string, ok func(binary bool, b []byte) bool) []byte {
	k.T.Helper()
	ctx, cancel := context.WithTimeout(k.T.Context(), receiveTime)
	defer cancel()
	for {
		kind, b, err := k.Conn.Read(ctx)
		if err != nil {
			k.T.Fatalf("waiting for %s: %v", what, err)
		}
		if ok(kind == websocket.MessageBinary, b) {
			return b
		}
	}
}

// ReceiveText waits for a text message that contains text.
func (k Client) ReceiveText(text string) []byte {
	k.T.Helper()
	return k.Receive(text, func(binary bool, b []byte) bool { return !binary && strings.Contains(string(b), text) })
}

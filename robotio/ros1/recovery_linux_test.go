package ros1

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestMasterRecovery kills the master and starts a new one at the same address. Our node must register everything
// again: its topics, subscriptions and service, its parameter cache, and the kept parameter.
func TestMasterRecovery(t *testing.T) {
	needROS(t)
	for _, core := range []string{"embedded", "roscore"} {
		t.Run(core, func(t *testing.T) {
			t.Parallel()
			port := rostest.FreePort(t)
			uri := "http://127.0.0.1:" + port + "/"
			run := func() (kill func()) {
				if core == "embedded" {
					var m *Master
					// a process that forks meanwhile holds the socket for a moment longer
					must.Until(t, "the port", func() (ok bool) {
						var err error
						m, err = ListenMaster(MasterConfig{Addr: "127.0.0.1:" + port})
						return err == nil
					})
					return func() { m.Close() }
				}
				_, p := roscore(t, port)
				return func() { p.signal(syscall.SIGKILL); <-p.done }
			}
			kill := run()
			n := newNode(t, uri, "/n")
			pub := must.Get(Advertise[msg.Int32](n, "/out", "std_msgs/Int32", PubOptions{}))(t)
			got := receivedNumbers(t, n, "/in")
			serveEcho(t, n, "/s")
			must.Do(t, n.KeepParam("/kept", 7))
			kill()
			defer run()()
			start := time.Now()
			took := func(what string) {
				d := time.Since(start)
				t.Logf("recovery: %s after %.2f s", what, d.Seconds())
				if d > recoveryTime {
					t.Errorf("%s came back after %v: must be within %v", what, d, recoveryTime)
				}
			}
			other := newNode(t, uri, "/other")
			heard := receivedNumbers(t, other, "/out")
			in := must.Get(Advertise[msg.Int32](other, "/in", "std_msgs/Int32", PubOptions{Latch: true}))(t)
			in.Publish(&msg.Int32{Data: 3})
			must.Until(t, "the publisher", func() bool { pub.Publish(&msg.Int32{Data: 2}); return len(heard) > 0 })
			took("what it publishes")
			must.Equal(t, recv(t, got), 3, "received")
			took("what it subscribes to")
			must.Until(t, "the service", func() bool { return callBallHandle(t, other, "/s") == nil })
			took("its service")
			must.Until(t, "the parameter that it keeps",
				func() bool { v, err := other.GetParam("/kept"); return err == nil && v == 7 })
			took("the parameter that it keeps")
		})
	}
}

// TestMasterOutOfReach checks that after an unreachable time, the node asks a master that still knows it for
// publishers, because it may have missed updates.
func TestMasterOutOfReach(t *testing.T) {
	t.Parallel()
	addr := "127.0.0.1:" + rostest.FreePort(t)
	m := must.Get(ListenMaster(MasterConfig{Addr: addr}))(t)
	uri := m.URI()
	n := newNode(t, uri, "/n")
	got := receivedNumbers(t, n, "/t")
	must.Do(t, m.Close())
	l := listenAgain(t, func() (net.Listener, error) { return net.Listen("tcp", addr) })
	for range 2 { // the first calls fail; when the second arrives, the node has noticed
		must.Get(l.Accept())(t).Close()
	}
	l.Close()
	again := listenAgain(t, func() (*Master, error) { return ListenMaster(MasterConfig{Addr: addr}) })
	t.Cleanup(func() { again.Close() })
	// The master knows the node, but not its topic.
	must.Get(graph.Call(t.Context(), uri, "registerSubscriber", "/n", "/x", "std_msgs/Int32", n.URI()))(t)
	other := newNode(t, uri, "/other")
	pub := must.Get(Advertise[msg.Int32](other, "/t", "std_msgs/Int32", PubOptions{Latch: true}))(t)
	pub.Publish(&msg.Int32{Data: 4})
	must.Equal(t, recv(t, got), 4, "received")
}

// TestPeerRestart kills and restarts a publisher and a service, with the same names at other ports. A subscriber and a
// persistent client find them again.
func TestPeerRestart(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n := newPeerNode(t, uri, "/n")
		got := receivedNumbers(t, n, "/t")
		c := must.Get(NewClient[setLevelRequest, setLevelResponse](n, "/s", "roscpp/SetLoggerLevel"))(t)
		for life := int32(1); life <= 2; life++ {
			p := python(t, uri, fmt.Sprintf(`
import rospy
from std_msgs.msg import Int32
from roscpp.srv import SetLoggerLevel, SetLoggerLevelResponse
rospy.init_node('peer')
pub = rospy.Publisher('/t', Int32, queue_size=1)
rospy.Service('/s', SetLoggerLevel, lambda r: SetLoggerLevelResponse())
print('ready')
r = rospy.Rate(100)
while not rospy.is_shutdown(): pub.publish(%d); r.sleep()
`, life))
			p.says("ready")
			start := time.Now()
			for recv(t, got) != life {
				continue
			}
			must.Until(t, "the service", func() bool {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := c.Call(ctx, &setLevelRequest{})
				return err == nil
			})
			if d := time.Since(start); d > recoveryTime {
				t.Errorf("life %d: %v: must be within %v", life, d, recoveryTime)
			} else if life > 1 {
				t.Logf("recovery: a killed peer after %.2f s", d.Seconds())
			}
			p.signal(syscall.SIGKILL)
			<-p.done
		}
	})
}

// TestStoppedForLong stops a subscriber for longer than an unreachable one is kept. Its kernel still answers, so it
// stays. Another subscriber gets every message meanwhile. When the stopped one continues, it gets the newest message.
func TestStoppedForLong(t *testing.T) {
	needROS(t)
	t.Parallel()
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/omnipitch")
	img := must.Get(AdvertiseImage(n, "/image", 2))(t)
	small := must.Get(Advertise[msg.Int32](n, "/small", "std_msgs/Int32", PubOptions{}))(t)
	got := received[msg.Image](t, newNode(t, uri, "/other"), "/image", "sensor_msgs/Image")
	p := python(t, uri, `
import rospy
from sensor_msgs.msg import Image
from std_msgs.msg import Int32
rospy.init_node('stopped')
rospy.Subscriber('/image', Image, lambda m: print('seq', m.header.seq), queue_size=1, buff_size=1 << 22)
rospy.Subscriber('/small', Int32, lambda m: None)
rospy.spin()
`)
	must.Until(t, "the subscribers", func() bool { return img.NumSubscribers() == 2 && small.NumSubscribers() == 1 })
	picture, seq := testImage(1), uint32(0)
	publish := func() {
		t.Helper()
		must.Do(t, img.Publish(picture, nil))
		if seq++; recv(t, got).Header.Seq != seq {
			t.Fatalf("the other subscriber missed a message before %d", seq)
		}
	}
	publish()
	p.says("seq 1")
	p.signal(syscall.SIGSTOP)
	for end := time.Now().Add(3 * tcpros.LostTime); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		publish()
		small.Publish(&msg.Int32{})
		if img.NumSubscribers() != 2 || small.NumSubscribers() != 1 {
			t.Fatalf("a stopped subscriber was given up after %d images", seq)
		}
	}
	if img.Dropped() == 0 {
		t.Errorf("%d images of 0.9 MB to a stopped process: dropped none", seq)
	}
	p.signal(syscall.SIGCONT)
	p.says(fmt.Sprintf("seq %d", seq))
}

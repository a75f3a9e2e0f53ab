package ros1

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// rospyPeer is a node that subscribes to odometry with the definition in our connection header, echoes images, calls a
// service once and persistently, and serves one.
const rospyPeer = `
import rospy, genpy.dynamic
from sensor_msgs.msg import Image
from roscpp.srv import SetLoggerLevel, SetLoggerLevelResponse
rospy.init_node('peer', anonymous=False)
types = {}
def odo(raw):
    h = raw._connection_header
    cls = types.setdefault(h['type'], genpy.dynamic.generate_dynamic(h['type'], h['message_definition'])[h['type']])
    m = cls(); m.deserialize(raw._buff)
    print('odo', m.header.seq, m.header.stamp, m.header.frame_id, m.Vx, m.PowerState, m._md5sum == h['md5sum'])
rospy.Subscriber('/odo', rospy.AnyMsg, odo)
out = rospy.Publisher('/echo', Image, queue_size=5)
rospy.Subscriber('/image', Image, out.publish)
def serve(r):
    if r.level == 'bad': raise ValueError('no such level')
    print('served', r.logger, r.level)
    return SetLoggerLevelResponse()
rospy.Service('~set', SetLoggerLevel, serve)
rospy.wait_for_service('/ours', 20)
once = rospy.ServiceProxy('/ours', SetLoggerLevel)
once('a', '0')
many = rospy.ServiceProxy('/ours', SetLoggerLevel, persistent=True)
for i in range(1, 6): many('a', str(i))
try: once('a', 'bad')
except rospy.ServiceException as e: print('refused', e)
print('param', rospy.get_param('/general/x'), rospy.search_param('general/x'))
print('ready')
rospy.spin()
`

func TestRospy(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n := newPeerNode(t, uri, "/omnipitch")
		levels := make(chan string, 100)
		must.Get(Serve(n, "/ours", "roscpp/SetLoggerLevel", func(_ context.Context,
			r *setLevelRequest) (*setLevelResponse,
			error) {
			if r.Level == "bad" {
				return nil, errors.New("level = bad: must be a number")
			}
			levels <- r.Level
			return &setLevelResponse{}, nil
		}))(t)
		must.Do(t, n.SetParam("/general/x", 1.5))
		odo := must.Get(Advertise[msg.OdoInfo](n, "/odo", "nubot_common/OdoInfo", PubOptions{Latch: true}))(t)
		odo.Publish(&msg.OdoInfo{Header: msg.Header{Stamp: msg.Time{Sec: 12, Nsec: 34}, FrameID: "base"}, Vx: -2.5,
			PowerState: true})
		img := must.Get(AdvertiseImage(n, "/image", 0))(t)
		echo := make(chan *msg.Image, 10000)
		must.Get(Subscribe(n, "/echo", "sensor_msgs/Image", func(m *msg.Image) { echo <- m }))(t)
		p := python(t, uri, rospyPeer)
		p.says("ready")
		p.says("refused service [/ours] responded with an error: b'level = bad: must be a number'")
		p.says("param 1.5 /general/x")
		p.says("odo 1 12000000034 base -2.5 True True")
		for i := range 6 {
			if l := recv(t, levels); l != strconv.Itoa(i) {
				t.Errorf("call %d: level %s", i, l)
			}
		}
		must.Until(t, "rospy to subscribe", func() bool { return img.NumSubscribers() == 1 })
		want := testImage(200)
		// rospy drops messages that it publishes before we have connected
		must.Until(t, "the echo of an image", func() bool {
			must.Do(t, img.Publish(want, nil))
			return len(echo) > 0
		})
		if got := recv(t, echo); !bytes.Equal(got.Data, want.Data) || got.Encoding != "bgr8" ||
			got.Header.FrameID != "cam" {
			t.Errorf("the image came back changed: %d×%d %s", got.Width, got.Height, got.Encoding)
		}
		c := must.Get(NewClient[setLevelRequest, setLevelResponse](n, "/peer/set", "roscpp/SetLoggerLevel"))(t)
		for i := range 3 {
			must.Get(c.Call(t.Context(), &setLevelRequest{"x", strconv.Itoa(i)}))(t)
		}
		p.says("served x 2")
		must.Refuse(c.Call(t.Context(), &setLevelRequest{"x", "bad"}))(t, "no such level")
		p.signal(syscall.SIGINT)
		must.Until(t, "rospy to leave", func() bool { return img.NumSubscribers() == 0 && odo.NumSubscribers() == 0 })
	})
}

const rospyCounter = `
import sys, rospy
from sensor_msgs.msg import Image
rospy.init_node(sys.argv[1])
rospy.Subscriber('/image', Image, lambda m: print('seq', m.header.seq), queue_size=1, buff_size=1 << 22)
rospy.spin()
`

// TestStoppedProcess checks that a subscriber under SIGSTOP does not affect another one, and receives the newest
// message when it continues.
func TestStoppedProcess(t *testing.T) {
	needROS(t)
	uri := newMaster(t).URI()
	n, other := newNode(t, uri, "/omnipitch"), newNode(t, uri, "/other")
	img := must.Get(AdvertiseImage(n, "/image", 2))(t)
	got := make(chan uint32, 1)
	must.Get(Subscribe(other, "/image", "sensor_msgs/Image", func(m *msg.Image) { got <- m.Header.Seq }))(t)
	p := python(t, uri, rospyCounter, "stopped")
	must.Until(t, "both subscribers", func() bool { return img.NumSubscribers() == 2 })
	picture, seq := testImage(1), uint32(0)
	publish := func() {
		t.Helper()
		must.Do(t, img.Publish(picture, nil))
		if seq++; recv(t, got) != seq {
			t.Fatalf("the other subscriber missed a message before %d", seq)
		}
	}
	publish()
	p.says("seq 1")
	p.signal(syscall.SIGSTOP)
	for range 60 {
		publish()
	}
	dropped := img.Dropped()
	if dropped == 0 {
		t.Error("60 images of 0.9 MB to a stopped process: dropped none")
	}
	before := p.count("seq")
	p.signal(syscall.SIGCONT)
	p.says("seq 61")
	t.Logf("stopped process: %d of 60 images dropped, %d received after waking", dropped, p.count("seq")-before)
	publish()
	p.says("seq 62")
}

// TestWrongType checks that a rospy subscriber with another type is refused and logs our reason, and that one with the
// right type is served.
func TestWrongType(t *testing.T) {
	needROS(t)
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/omnipitch")
	pub := must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	repeat(t, func() { pub.Publish(&msg.Int32{Data: 5}) })
	wrong := python(t, uri, `
import rospy
from std_msgs.msg import String
rospy.init_node('wrong')
rospy.Subscriber('/t', String, print)
rospy.spin()
`)
	must.Until(t, "rospy to log our words", func() bool {
		files, _ := filepath.Glob(wrong.home + "/*.log")
		for _, f := range files {
			text, _ := os.ReadFile(f)
			if strings.Contains(string(text), "remote error reported: Client [/wrong] wants topic /t to have "+
				"datatype/md5sum [std_msgs/String/992ce8a1687cec8c8bd883ec73ca41d1], but our version has "+
				"[std_msgs/Int32/da5909fbe378aeaf85e547e830cc1bb7]. Dropping connection.") {
				return true
			}
		}
		return false
	})
	wantAll(t, "echo", run(t, uri, "rostopic", "echo", "-n", "1", "/t"), "data: 5")
}

// TestRoscppRelay uses topic_tools' relay, written with roscpp, as the oracle: it relays our image unchanged.
func TestRoscppRelay(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n := newNode(t, uri, "/omnipitch")
		img := must.Get(AdvertiseImage(n, "/image", 0))(t)
		got := make(chan *msg.Image, 10000)
		must.Get(Subscribe(n, "/image2", "sensor_msgs/Image", func(m *msg.Image) { got <- m }))(t)
		start(t, uri, "/usr/lib/topic_tools/relay", "/image", "/image2")
		must.Until(t, "relay to subscribe", func() bool { return img.NumSubscribers() == 1 })
		// The relay advertises at its first message, so that message reaches nobody.
		want := testImage(77)
		must.Until(t, "an image through the relay", func() bool {
			must.Do(t, img.Publish(want, nil))
			return len(got) > 0
		})
		if m := recv(t, got); !bytes.Equal(m.Data, want.Data) || m.Encoding != "bgr8" || m.Width != 640 {
			t.Errorf("the image came back changed: %d×%d %s", m.Width, m.Height, m.Encoding)
		}
	})
}

// TestRoscoreRestart checks that our nodes register again with a restarted roscore.
func TestRoscoreRestart(t *testing.T) {
	needROS(t)
	port := rostest.FreePort(t)
	uri, core := roscore(t, port)
	n := newNode(t, uri, "/omnipitch")
	pub := must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	repeat(t, func() { pub.Publish(&msg.Int32{Data: 5}) })
	core.signal(syscall.SIGKILL)
	<-core.done
	uri, _ = roscore(t, port)
	wantAll(t, "echo", run(t, uri, "rostopic", "echo", "-n", "1", "/t"), "data: 5")
}

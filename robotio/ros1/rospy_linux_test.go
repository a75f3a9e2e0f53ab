package ros1

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
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
		echo := received[msg.Image](t, n, "/echo", "sensor_msgs/Image")
		p := python(t, uri, rospyPeer)
		p.says("ready")
		p.says("refused service [/ours] responded with an error: b'level = bad: must be a number'")
		p.says("param 1.5 /general/x")
		p.says("odo 1 12000000034 base -2.5 True True")
		for i := range 6 {
			must.Equal(t, recv(t, levels), strconv.Itoa(i), "call %d: level", i)
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

// TestRawWithROS connects raw subscribers, publishers and calls with rospy and roscpp programs.
func TestRawWithROS(t *testing.T) {
	needROS(t)
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/omnipitch")
	p := python(t, uri, `
import rospy
from rosgraph_msgs.msg import TopicStatistics
from std_msgs.msg import String
from std_srvs.srv import SetBool, SetBoolResponse
rospy.init_node('talker')
rospy.Service('/switch', SetBool, lambda r: SetBoolResponse(r.data, 'is %s' % r.data))
rospy.Subscriber('/ours', String, lambda m: print('got', m.data))
pub = rospy.Publisher('/chatter', TopicStatistics, latch=True, queue_size=1)
pub.publish(TopicStatistics(topic='x', dropped_msgs=3))
print('published')
rospy.spin()
`)
	// rospy registers a publisher before it latches: a subscriber that connects in between is told that it does not
	// latch
	p.says("published")
	_, chatter := subscribeRaw(t, n, "/chatter")
	r := recv(t, chatter)
	if r.from.Def.Name != "rosgraph_msgs/TopicStatistics" || r.from.Publisher != "/talker" || !r.from.Latched {
		t.Errorf("source = %+v", r.from)
	}
	if _, err := n.MessageType("rosgraph_msgs/TopicStatistics"); err == nil {
		t.Error("the library knows the type, so this test proves nothing")
	}
	raw := must.Get(AdvertiseRaw(n, "/ours", must.Get(n.MessageType("std_msgs/String"))(t), PubOptions{Latch: true}))(t)
	raw.Publish([]byte("\x05\x00\x00\x00hello"))
	p.says("got hello")
	must.Until(t, "the service", func() bool { _, err := ProbeService(t.Context(), n, "/switch"); return err == nil })
	if h := must.Get(ProbeService(t.Context(), n, "/switch"))(t); h.Type != "std_srvs/SetBool" {
		t.Errorf("probed %+v", h)
	}
	if got := must.Get(CallRaw(t.Context(), n, "/switch", nil, []byte{1}))(t); string(
		got) != "\x01\x07\x00\x00\x00is True" {
		t.Errorf("response = %q", got)
	}
	start(t, uri, "/usr/lib/topic_tools/relay", "/odo", "/odo2")
	_, relayed := subscribeRaw(t, n, "/odo2")
	odo := must.Get(Advertise[msg.OdoInfo](n, "/odo", "nubot_common/OdoInfo", PubOptions{}))(t)
	must.Until(t, "a message through the relay", func() bool {
		odo.Publish(&msg.OdoInfo{Vx: 1})
		return len(relayed) > 0
	})
	if r := recv(t, relayed); r.from.Def.Name != "nubot_common/OdoInfo" {
		t.Errorf("source = %+v", r.from)
	}
}

// TestUDPROS trusts roscpp: a subscriber that prefers UDP falls back to TCP, and one that takes nothing else is refused
// in words, gets nothing, and harms nobody.
func TestUDPROS(t *testing.T) {
	program := roscppPeer(t)
	uri := embedded(t)
	n := newNode(t, uri, "/omnipitch")
	pub := must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	repeat(t, func() { pub.Publish(&msg.Int32{Data: 5}) })
	only := start(t, uri, program, "udp", "/t", "__name:=only")
	only.says("ready")
	either := start(t, uri, program, "udptcp", "/t", "__name:=either")
	either.says("got 5")
	if pub.NumSubscribers() != 1 || only.count("got") > 0 {
		t.Errorf("%d subscribers: the one that takes UDP only must not be one", pub.NumSubscribers())
	}
	select {
	case <-only.done:
		t.Errorf("the refused subscriber ended: %v", only.err)
	default:
	}
	// What roscpp asked, asked again, to see our words.
	_, err := graph.Call(t.Context(), n.URI(), "requestTopic", "/only", "/t",
		[]any{[]any{"UDPROS", []byte("header"), "127.0.0.1", 9, 1500}})
	if want := n.URI() + ": requestTopic: no supported protocol: this node offers TCPROS only"; err == nil ||
		err.Error() != want {
		t.Errorf("err = %v, want %s", err, want)
	}
}

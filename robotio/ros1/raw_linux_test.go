package ros1

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

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

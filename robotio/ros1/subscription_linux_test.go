package ros1

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// rospyOnce publishes one number on a topic, latched or not, when the parameter TOPIC/go is set.
const rospyOnce = `
import rospy, sys
from std_msgs.msg import Int32
rospy.init_node('peer')
pub = rospy.Publisher(sys.argv[1], Int32, latch=sys.argv[2] == 'latch', queue_size=10)
print('ready')
while not rospy.has_param(sys.argv[1] + '/go'): rospy.rostime.wallsleep(0.01)
pub.publish(7)
rospy.spin()
`

// A message that a rospy or roscpp program publishes once reaches every subscriber of a node once, and also one that
// subscribes later if it was latched.
func TestPublishedOnceReachesAll(t *testing.T) {
	cpp := roscppPeer(t)
	withMasters(t, func(t *testing.T, uri string) {
		n, other := newPeerNode(t, uri, "/omnipitch"), newPeerNode(t, uri, "/other")
		for _, mode := range []string{"once", "latch"} {
			for _, language := range []string{"rospy", "roscpp"} {
				topic := "/" + mode + "/" + language
				var p *peer
				if language == "rospy" {
					p = python(t, uri, rospyOnce, topic, mode, "__name:="+mode+"_rospy")
				} else {
					p = start(t, uri, cpp, mode, topic, "__name:="+mode+"_roscpp")
				}
				p.says("ready") // before that, rospy does not say that it latches
				var all []*numbers
				for range 5 {
					all = append(all, subscribeNumbers(t, n, topic))
				}
				all[0].sub.Confirm()
				must.Until(t, "the connection", func() bool {
					return len(all[0].sub.Connections()) == 1 && all[4].sub.NumPublishers() == 1
				})
				must.Do(t, n.SetParam(topic+"/go", true))
				must.Until(t, topic+" to arrive", func() bool {
					return !slices.ContainsFunc(all, func(s *numbers) bool { return len(s.All()) == 0 })
				})
				for _, late := range []*numbers{subscribeNumbers(t, n, topic), subscribeNumbers(t, other, topic),
					subscribeNumbers(t, other, topic)} {
					must.Until(t, "the late subscriber's connection",
						func() bool { return late.sub.NumPublishers() == 1 })
					if mode == "latch" {
						must.Until(t, "what was latched", func() bool { return len(late.All()) > 0 })
						all = append(all, late)
					} else if got := late.All(); len(got) > 0 {
						t.Errorf("%s: a late subscriber got %v", topic, got)
					}
				}
				for i, s := range all {
					must.Equal(t, s.All(), []int32{7}, "%s: subscriber %d", topic, i)
				}
				if links := busLinks(t, n, topic, "i"); len(links) != 1 {
					t.Errorf("%s: connections %v", topic, links)
				}
			}
		}
	})
}

const (
	int32Sum  = "da5909fbe378aeaf85e547e830cc1bb7"
	stringSum = "992ce8a1687cec8c8bd883ec73ca41d1"
)

// A publisher with another type, of ours, rospy or roscpp, refuses the connection or is refused. The subscriber is
// notified once of its name and type, and again only after a change.
func TestSubscriberLearnsOfMismatch(t *testing.T) {
	cpp := roscppPeer(t)
	withMasters(t, func(t *testing.T, uri string) {
		n := newPeerNode(t, uri, "/omnipitch")
		notified := make(chan *MismatchError, 100)
		on := func(topic string) *Subscriber {
			s := must.Get(Subscribe(n, topic, "std_msgs/String", func(*msg.String) { t.Error("a message") }))(t)
			s.OnMismatch(func(e *MismatchError) { notified <- e })
			return s
		}
		all := map[string]*Subscriber{"/ours": on("/ours"), "/rospy": on("/rospy"), "/roscpp": on("/roscpp")}
		other := newPeerNode(t, uri, "/ours_node")
		pub := must.Get(Advertise[msg.Int32](other, "/ours", "std_msgs/Int32", PubOptions{}))(t)
		python(t, uri, rospyOnce, "/rospy", "once", "__name:=rospy_node").says("ready")
		start(t, uri, cpp, "once", "/roscpp", "__name:=roscpp_node").says("ready")
		got := map[string]MismatchError{}
		for range 3 {
			e := <-notified
			got[e.Topic] = *e
		}
		for topic, s := range all {
			want := MismatchError{Topic: topic, Publisher: topic + "_node", Type: "std_msgs/Int32", MD5: int32Sum,
				WantType: "std_msgs/String", WantMD5: stringSum}
			must.Equal(t, got[topic], want, "%s", topic)
			if list := s.Mismatches(); len(list) != 1 || *list[0] != want || s.NumPublishers() != 0 {
				t.Errorf("%s: mismatches %v, %d publishers", topic, list, s.NumPublishers())
			}
			late := make(chan *MismatchError, 1)
			s.OnMismatch(func(e *MismatchError) { late <- e }) // replaces the first callback
			must.Equal(t, len(late), 0, "%s: second notifications", topic)
		}
		must.Do(t, pub.Close())
		must.Until(t, "the publisher to be forgotten", func() bool { return len(all["/ours"].Mismatches()) == 0 })
		must.Get(Advertise[msg.String](other, "/ours", "std_msgs/String", PubOptions{}))(t)
		must.Until(t, "the right type's connection", func() bool { return all["/ours"].NumPublishers() == 1 })
		if len(notified) != 0 || len(all["/ours"].Mismatches()) != 0 {
			t.Errorf("of what fits: %v", all["/ours"].Mismatches())
		}
	})
}

// If a raw subscriber makes the connection succeed, another subscriber of the wrong type is still notified.
func TestMismatchBesideRawSubscriber(t *testing.T) {
	uri := newMaster(t).URI()
	a, b := newNode(t, uri, "/a"), newNode(t, uri, "/b")
	must.Get(Advertise[msg.Int32](a, "/x", "std_msgs/Int32", PubOptions{}))(t)
	raw, _ := subscribeRaw(t, b, "/x")
	must.Until(t, "the raw connection", func() bool { return raw.NumPublishers() == 1 })
	s := must.Get(Subscribe(b, "/x", "std_msgs/String", func(*msg.String) {}))(t)
	notified := make(chan *MismatchError, 1)
	s.OnMismatch(func(e *MismatchError) { notified <- e })
	if e := <-notified; e.Publisher != "/a" || e.Error() != "topic /x: /a publishes std_msgs/Int32, here it is "+
		"std_msgs/String: its messages are not taken" {
		t.Error(e)
	}
	e := MismatchError{Topic: "/x", Publisher: "/a", Type: "m/M", MD5: "11", WantType: "m/M", WantMD5: "22"}
	must.Equal(t, e.Error(), "topic /x: /a publishes another m/M (md5 11, here 22): its messages are not taken",
		"e.Error()")
}

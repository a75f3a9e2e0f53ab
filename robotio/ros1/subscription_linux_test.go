package ros1

import (
	"slices"
	"testing"

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
					return !slices.ContainsFunc(all, func(s *numbers) bool { return len(s.now()) == 0 })
				})
				for _, late := range []*numbers{subscribeNumbers(t, n, topic), subscribeNumbers(t, other, topic),
					subscribeNumbers(t, other, topic)} {
					must.Until(t, "the late subscriber's connection",
						func() bool { return late.sub.NumPublishers() == 1 })
					if mode == "latch" {
						must.Until(t, "what was latched", func() bool { return len(late.now()) > 0 })
						all = append(all, late)
					} else if got := late.now(); len(got) > 0 {
						t.Errorf("%s: a late subscriber got %v", topic, got)
					}
				}
				for i, s := range all {
					must.Equal(t, s.now(), []int32{7}, "%s: subscriber %d", topic, i)
				}
				if links := busLinks(t, n, topic, "i"); len(links) != 1 {
					t.Errorf("%s: connections %v", topic, links)
				}
			}
		}
	})
}

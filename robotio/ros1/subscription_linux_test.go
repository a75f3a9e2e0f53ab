package ros1

import (
	"slices"
	"testing"
)

// rospyOnce publishes one number on a topic: as soon as somebody is connected, or latched.
const rospyOnce = `
import rospy, sys
from std_msgs.msg import Int32
rospy.init_node('peer')
latch = sys.argv[2] == 'latch'
pub = rospy.Publisher(sys.argv[1], Int32, latch=latch, queue_size=10)
while not latch and pub.get_num_connections() == 0: rospy.rostime.wallsleep(0.01)
pub.publish(7)
rospy.spin()
`

// What a rospy or roscpp program publishes once reaches every subscriber of a node once, also one that subscribes when it was latched.
func TestPublishedOnceReachesAll(t *testing.T) {
	cpp := roscppPeer(t)
	withMasters(t, func(t *testing.T, uri string) {
		for _, mode := range []string{"once", "latch"} {
			for _, language := range []string{"rospy", "roscpp"} {
				topic := "/" + mode + "/" + language
				n := newPeerNode(t, uri, "/omnipitch_"+mode+language)
				var all []*numbers
				for range 5 {
					all = append(all, subscribeNumbers(t, n, topic))
				}
				if language == "rospy" {
					python(t, uri, rospyOnce, topic, mode, "__name:="+mode+"_rospy")
				} else {
					start(t, uri, cpp, mode, topic, "__name:="+mode+"_roscpp")
				}
				until(t, topic+" to arrive", func() bool {
					return !slices.ContainsFunc(all, func(s *numbers) bool { return len(s.now()) == 0 })
				})
				late := subscribeNumbers(t, n, topic)
				until(t, "the late subscriber's connection", func() bool { return late.sub.NumPublishers() == 1 })
				if mode == "latch" {
					until(t, "what was latched", func() bool { return len(late.now()) > 0 })
					all = append(all, late)
				}
				for i, s := range all {
					if got := s.now(); !slices.Equal(got, []int32{7}) {
						t.Errorf("%s: subscriber %d got %v", topic, i, got)
					}
				}
				if links := busLinks(t, n, topic, "i"); len(links) != 1 {
					t.Errorf("%s: connections %v", topic, links)
				}
			}
		}
	})
}

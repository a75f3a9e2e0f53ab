package ros2

import (
	"fmt"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// BenchmarkNobodySubscribes publishes on 20 topics of each of ten robots, to which nobody subscribes, over ROS 2 and
// over ROS 1. An operation is one message on each topic. Goal: at most 1.1 times the time of ROS 1.
func BenchmarkNobodySubscribes(b *testing.B) {
	const topics = 10 * 20
	image := make([]byte, 640*480*3)
	fill, release := func(b []byte) []byte { return append(b, 0, 1, 0, 0) }, func() {}
	run := func(b *testing.B, advertise func(topic string) (publish func())) {
		var all []func()
		for i := range topics {
			all = append(all, advertise(fmt.Sprintf("/robot%d/camera%d/image", i/20, i%20)))
		}
		b.ReportAllocs()
		for b.Loop() {
			for _, publish := range all {
				publish()
			}
		}
	}
	b.Run("ros2", func(b *testing.B) {
		n := must.Get(open(b, Config{Domain: must.Domain(b)}).NewNode("/omni"))(b)
		def := must.Get(n.MessageType("sensor_msgs/Image"))(b)
		run(b, func(topic string) func() {
			pub := must.Get(AdvertiseRaw(n, topic, def, PubOptions{}))(b)
			return func() { pub.Fill(fill, image, release) }
		})
	})
	b.Run("ros1", func(b *testing.B) {
		master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(b)
		defer master.Close()
		n := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/omni", MasterURI: master.URI()}))(b)
		defer n.Close()
		def := must.Get(must.Get(msg.Load("std"))(b).Message("sensor_msgs/Image"))(b)
		run(b, func(topic string) func() {
			pub := must.Get(ros1.AdvertiseRaw(n, topic, def, ros1.PubOptions{}))(b)
			return func() { pub.Fill(0, fill, image, release) }
		})
	})
}

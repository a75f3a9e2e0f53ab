package ros2

import (
	"cmp"
	"path"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// QoS is what a publisher offers, or what a subscriber asks for.
type QoS = rtps.QoS

// PubOptions configures a publisher. The zero value means the convention for the topic. Then the publisher is reliable,
// so it also fits subscribers that ask for best effort, such as those of sensor data.
type PubOptions = wire.PubOptions

// sensorQueue is the queue of topics with sensor data. Source: rmw_qos_profile_sensor_data.
const sensorQueue = 5

var sensorTypes = map[string]bool{
	"sensor_msgs/Image": true, "sensor_msgs/CompressedImage": true, "sensor_msgs/CameraInfo": true,
	"sensor_msgs/LaserScan": true, "sensor_msgs/PointCloud2": true, "sensor_msgs/Imu": true,
}

// latched reports whether a topic is latched by convention.
func latched(topic string) bool {
	switch path.Base(topic) {
	case "tf_static", "robot_description", "map":
		return true
	}
	return false
}

// offered returns what a publisher of a topic offers.
func offered(o PubOptions, topic, typ string) QoS {
	q := QoS{Reliable: !o.BestEffort, Depth: 10}
	switch base := path.Base(topic); {
	case o.Latch || latched(topic):
		q.TransientLocal, q.Depth = true, 1
	case sensorTypes[typ]:
		q.Depth = sensorQueue
	case base == "tf":
		q.Depth = 100
	case base == "rosout":
		q.TransientLocal, q.Depth, q.Lifespan = true, 1000, 10*time.Second
	case base == "parameter_events":
		q.Depth = 1000
	}
	q.Depth = cmp.Or(o.Queue, q.Depth)
	return q
}

// SubscriptionQoS returns what a subscriber of a topic asks for by convention: best effort, which fits all publishers,
// except that transforms and latched topics are reliable.
func SubscriptionQoS(topic string) QoS {
	switch base := path.Base(topic); {
	case latched(topic):
		return QoS{Reliable: true, TransientLocal: true, Depth: 10}
	case base == "tf":
		return QoS{Reliable: true, Depth: 100}
	case base == "clock":
		return QoS{Depth: 1}
	}
	return QoS{Depth: 10}
}

// serviceQoS is that of requests and answers. The depth is that of parameter services.
var serviceQoS = QoS{Reliable: true, Depth: 1000}

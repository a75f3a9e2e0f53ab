package robotio

import (
	"fmt"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// If two profiles name the same topic of a robot's further camera, only one of them feeds it. This holds for the
// default profiles, for the shipped world with six cameras, and for a profile that includes another.
func TestATopicOfASensorIsFedOnce(t *testing.T) {
	own := must.File(t, "own.toml", `types = ["std"]
include = ["standard"]
[[publish]]
topic = "eye/image_raw"
more = "{sensor}/image_raw"
type = "sensor_msgs/Image"
from = "camera"
levels = ["raw", "ideal"]
message = { encoding = "bgr8", data = "color.bgr8" }
`)
	for _, c := range []struct {
		profiles     []string // nil: the default
		topic, wants string   // a topic, and the profile that feeds it
	}{
		{nil, "/cyan1/barrel/image_raw", "nubot"},
		{[]string{"standard", "nubot"}, "/cyan1/barrel/image_raw", "standard"},
		{[]string{own, "standard"}, "/cyan1/barrel/image_raw", own},
		{[]string{own, "standard"}, "/cyan1/front/image_raw", "standard"}, // own calls it eye/image_raw
	} {
		w := must.Get(worlds.Load("lenses"))(t)
		if c.profiles != nil {
			w.Robots[0].ROS1.Profiles = c.profiles
		}
		for i := range w.Robots[0].Sensors {
			w.Robots[0].Sensors[i].Level = abstraction.Truth
		}
		r := newRigIn(t, w, omnipitch.Options{})
		rows := map[string]int{}
		for _, row := range r.bridge.Topics() {
			if row.Sensor != "" && row.Type != "tf2_msgs/TFMessage" {
				if rows[row.Topic+" of "+row.Sensor]++; rows[row.Topic+" of "+row.Sensor] == 2 {
					t.Errorf("profiles %v: %s of %s is fed twice", c.profiles, row.Topic, row.Sensor)
				}
			}
		}
		must.Equal(t, r.publisher(c.topic).Profile, c.wants, "profiles %v: %s is fed by", c.profiles, c.topic)
	}
}

// A profile may not feed a topic of a profile that it includes with messages of another type.
func TestATopicOfASensorHasOneType(t *testing.T) {
	own := must.File(t, "own.toml", `types = ["std"]
include = ["standard"]
[[publish]]
topic = "eye/image_raw"
more = "{sensor}/image_raw"
type = "sensor_msgs/CompressedImage"
from = "camera"
levels = ["raw", "ideal"]
message = { data = "color.jpeg" }
`)
	w := must.Get(worlds.Load("lenses"))(t)
	w.Robots[0].ROS1.Profiles = []string{own}
	const want = "topic /cyan1/barrel/image_raw has type sensor_msgs/CompressedImage here, and sensor_msgs/Image in " +
		"profile"
	must.Fail(t, Check(w), want)
}

// Each image of a robot's second camera is published once, and so is each message that describes it.
func TestEachStampOfASecondCameraComesOnce(t *testing.T) {
	r := newRigWith(t, omnipitch.Options{NewRenderer: backend.RayCaster}, func(w *worlds.World) {
		w.Robots = w.Robots[:1]
		add(&w.Robots[0], "rear", sensors.CameraKind, abstraction.Ideal)
		rear := &w.Robots[0].Sensors[len(w.Robots[0].Sensors)-1]
		rear.Image.Width, rear.Image.Height = 32, 24
	})
	var mu sync.Mutex
	came := map[string]int{}
	for topic, typ := range map[string]string{"/cyan1/rear/image_raw": "sensor_msgs/Image",
		"/cyan1/rear/camera_info": "sensor_msgs/CameraInfo"} {
		def := must.Get(r.bridge.Types().Message(typ))(t)
		stamp := must.Get(dynamic.NewPicker(def, []string{"header.stamp"}))(t)
		must.Get(ros1.SubscribeAs(r.robot, topic, def, func(b []byte) error {
			v, err := stamp.Pick(b)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				came[fmt.Sprintf("%s at %.3f s", topic, v[0].Number)]++
			}
			return err
		}))(t)
	}
	r.until("images and what describes them", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(came) > 10
	})
	mu.Lock()
	defer mu.Unlock()
	for what, n := range came {
		must.Equal(t, n, 1, "%s came", what)
	}
}

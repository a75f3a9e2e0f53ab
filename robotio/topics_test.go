package robotio

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// newTopicsRig starts a rig that evaluates conditions on topics. The function that it returns reports whether a
// condition has passed.
func newTopicsRig(t *testing.T, conditions map[string]condition.Choice) (r *rig, passed func(name string) bool) {
	verdicts := map[string]expectation.Outcome{}
	r = newRigWith(t, omnipitch.Options{Topics: NewTopics(),
		OnVerdict: func(v expectation.Verdict) { verdicts[v.Name] = v.Outcome }}, func(w *worlds.World) {
		for name, c := range conditions {
			w.Expect = append(w.Expect, expectation.Expectation{Name: name, Eventually: &c})
		}
	})
	return r, func(name string) bool { return verdicts[name] == expectation.Passed }
}

// publishUntil publishes messages during a simulation until ok returns true.
func publishUntil[T any](r *rig, topic, typ string, m func() *T, what string, ok func() bool) {
	r.t.Helper()
	pub := advertise[T](r, topic, typ)
	defer pub.Close()
	r.until(what, func() bool {
		pub.Publish(m())
		return ok()
	})
}

// Conditions see the messages of other nodes, whatever their type, and the simulator's own.
func TestConditionsOnTopics(t *testing.T) {
	least := func(x float64) *float64 { return &x }
	value := func(topic, field string, is any) condition.Choice {
		return condition.Choice{TopicValue: &condition.TopicValue{Topic: topic, Field: field, Is: is}}
	}
	r, passed := newTopicsRig(t, map[string]condition.Choice{
		"text": value("/plan", "data", "attack"),
		"number": {TopicValue: &condition.TopicValue{Topic: "/estimate", Field: "pose.pose.position.y",
			Over: least(1.5)}},
		"header":  value("/estimate", "header.frame_id", "map"),
		"nowhere": value("/estimate", "no.such.field", "map"),
		"later":   value("/plan", "data", "defend"),
		"right": {TopicError: &condition.TopicError{Topic: "/estimate", Of: "cyan1", Under: 0.02, Angle: 0.02,
			Frame: "map"}},
		"own": {TopicError: &condition.TopicError{Topic: "/cyan1/ground_truth/odom", Of: "cyan1", Under: 1e-6,
			Frame: "map"}},
		"delay": {TopicDelay: &condition.TopicDelay{Topic: "/estimate", Under: time.Second}},
		"rate": {TopicRate: &condition.TopicRate{Topic: "/cyan1/odom", Over: least(50),
			Window: 300 * time.Millisecond}},
	})
	publishUntil(r, "/plan", "std_msgs/String", func() *msg.String { return &msg.String{Data: "attack"} }, "text",
		func() bool { return passed("text") })
	wrong := func() *msg.Odometry {
		m := &msg.Odometry{Header: msg.Header{Stamp: msg.TimeFrom(r.sim.Truth().Time), FrameID: "map"}}
		p := r.sim.Truth().Robots[0].PoseWB
		m.Pose.Pose.Position = msg.Point{X: p.Pos[0], Y: p.Pos[1] + 9}
		m.Pose.Pose.Orientation = msg.Quaternion{Z: math.Sin(p.Heading() / 2), W: math.Cos(p.Heading() / 2)}
		return m
	}
	publishUntil(r, "/estimate", "nav_msgs/Odometry", wrong, "number", func() bool {
		return passed("number") && passed("header") && passed("delay")
	})
	if passed("right") {
		t.Error("9 m beside the robot is right")
	}
	publishUntil(r, "/estimate", "nav_msgs/Odometry", func() *msg.Odometry {
		m := wrong()
		m.Pose.Pose.Position.Y -= 9
		return m
	}, "right", func() bool { return passed("right") })
	r.until("the simulator's own", func() bool { return passed("rate") && passed("own") })
	for _, name := range []string{"nowhere", "later"} {
		if passed(name) {
			t.Errorf("%s passed", name)
		}
	}
}

// A message that arrives while the simulation is paused is queued. The queue is bounded.
func TestTopicsAreBounded(t *testing.T) {
	topics := NewTopics()
	var got []float64
	remove := topics.Subscribe("/t", []string{"data", "more"}, func(m *condition.Message) {
		if m.Arrived != time.Second || m.Stamp != time.Second || m.Stamped || !m.Values[0].Known || m.Values[1].Known {
			t.Fatalf("%+v", m)
		}
		got = append(got, m.Values[0].Number)
	})
	lib := &msg.Library{}
	must.Do(t, lib.AddMessage("a/B", "float64 data"))
	def := must.Get(lib.Message("a/B"))(t)
	readers := map[*msg.Definition]*topicReader{}
	one := make([]byte, 8)
	for i := range maxQueued + 10 {
		le := math.Float64bits(float64(i))
		for k := range one {
			one[k] = byte(le >> (8 * k))
		}
		topics.enqueue(topics.topics[topicKey{name: "/t"}], readers, def, one)
	}
	topics.enqueue(topics.topics[topicKey{name: "/t"}], readers, def, one[:5]) // truncated
	topics.Take(time.Second)
	if n := len(got); n < maxQueued/2 || n > maxQueued || got[n-1] != maxQueued+9 ||
		got[0] != maxQueued+9-float64(n-1) {
		t.Errorf("%d messages, the last %v", n, got[n-1])
	}
	got = nil
	topics.enqueue(topics.topics[topicKey{name: "/t"}], readers, def, one)
	remove()
	topics.Take(time.Second)
	if got != nil {
		t.Errorf("%v after the end", got)
	}
}

// A topic's rate is that of its messages. It drops to zero soon after they end.
func TestRateEndsWithMessages(t *testing.T) {
	for _, c := range []struct {
		period time.Duration
		rate   float64
		ends   time.Duration // time after the last message
	}{
		{100 * time.Millisecond, 10, time.Second},
		{2 * time.Second, 0.5, 8 * time.Second},
	} {
		var f flow
		now := 5 * time.Second
		for range 20 {
			now += c.period
			f.count(now, now)
		}
		must.Near(t, "rate", f.rateAt(now), c.rate, 1e-9)
		must.Near(t, "rate before the end", f.rateAt(now+c.ends), c.rate, 1e-9)
		must.Near(t, "rate after it", f.rateAt(now+c.ends+1), 0, 0)
	}
}

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

package robotio

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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

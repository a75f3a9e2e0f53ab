package dynamic

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestCDRRoundTrip checks that random messages of every type of ROS 2 survive conversion to JSON and back, that all
// readers accept them, and that none of their bytes may be missing.
func TestCDRRoundTrip(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	l := must.Get(msg.LoadROS2("jazzy"))(t)
	var defs []*msg.Definition
	for _, name := range l.Messages() {
		defs = append(defs, must.Get(l.Message(name))(t))
	}
	for _, name := range l.Services() {
		s := must.Get(l.Service(name))(t)
		defs = append(defs, s.Request, s.Response)
	}
	for _, def := range defs {
		c := compiled(t, def)
		for range 5 {
			want := random(nil, c.root, r)
			text := must.Get(c.AppendJSON(nil, want))(t)
			got, err := c.AppendROS(nil, text, msg.Time{})
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v\n%s\ngot  %x\nwant %x", def.TypeName, err, text, got, want)
			}
			must.Do(t, c.Check(append(want[:len(want):len(want)], 0, 0, 0)))
			must.Get(c.AppendCBOR(nil, want))(t)
			must.Do(t, c.Values(want, func(*Value) {}))
			must.Do(t, tableOf(t, c, want))
			for i := range want {
				if c.Check(want[:i]) == nil {
					t.Errorf("%s: %d of %d bytes were accepted", def.TypeName, i, len(want))
				}
			}
		}
	}
}

// TestCDRAgainstStructs checks the values of a message that package msg has encoded.
func TestCDRAgainstStructs(t *testing.T) {
	c := codec(t, "tf2_msgs/msg/TFMessage")
	structs := must.Get(msg.Compile[msg.TFMessage](c.Def()))(t)
	b := structs.Append(nil, &msg.TFMessage{Transforms: []msg.TransformStamped{
		{Header: msg.Header{Stamp: msg.Time{Sec: 1, Nsec: 2}, FrameID: "odom"}, ChildFrameID: "a",
			Transform: msg.Transform{Translation: msg.Vector3{X: 0.5}, Rotation: msg.Quaternion{W: 1}}},
		{ChildFrameID: "bc", Transform: msg.Transform{Rotation: msg.Quaternion{W: -1}}},
	}})
	want := `{"transforms":[{"header":{"stamp":{"sec":1,"nanosec":2},"frame_id":"odom"},"child_frame_id":"a",` +
		`"transform":{"translation":{"x":0.5,"y":0,"z":0},"rotation":{"x":0,"y":0,"z":0,"w":1}}},` +
		`{"header":{"stamp":{"sec":0,"nanosec":0},"frame_id":""},"child_frame_id":"bc",` +
		`"transform":{"translation":{"x":0,"y":0,"z":0},"rotation":{"x":0,"y":0,"z":0,"w":-1}}}]}`
	must.Equal(t, string(must.Get(c.AppendJSON(nil, b))(t)), want, "JSON")

	odometry := codec(t, "nav_msgs/msg/Odometry")
	b = must.Get(odometry.AppendROS(nil, []byte(`{"header": {"frame_id": "map"}, "child_frame_id": "base_link",
		"twist": {"twist": {"angular": {"z": 0.25}}}}`), msg.Time{Sec: 7, Nsec: 8}))(t)
	var m msg.Odometry
	must.Do(t, must.Get(msg.Compile[msg.Odometry](odometry.Def()))(t).Decode(b, &m))
	must.Equal(t, m, msg.Odometry{Header: msg.Header{Stamp: msg.Time{Sec: 7, Nsec: 8}, FrameID: "map"},
		ChildFrameID: "base_link", Twist: msg.TwistWithCovariance{Twist: msg.Twist{Angular: msg.Vector3{Z: 0.25}}}},
		"Odometry of JSON")
	must.Equal(t, string(must.Get(odometry.AppendROS(nil, []byte("{}"), msg.Time{}))(t)),
		string(must.Get(msg.Compile[msg.Odometry](odometry.Def()))(t).Append(nil, &msg.Odometry{})), "empty Odometry")
	p := must.Get(NewPicker(odometry.Def(), []string{"header.stamp", "child_frame_id", "twist.twist.angular.z",
		"twist.covariance[35]"}))(t)
	must.Equal(t, must.Get(p.Pick(b))(t), []Scalar{{Number: 7 + 8e-9}, {Text: "base_link", IsText: true},
		{Number: 0.25}, {}}, "picked values")
}

func TestCDRErrors(t *testing.T) {
	text := codec(t, "std_msgs/msg/String")
	for _, bad := range []struct{ message, want string }{
		{"\x00\x01", "ends too early"},
		{"\x00\x00\x00\x00\x00\x00\x00\x01\x00", "encapsulation = 0, 0: must be 0, 1: CDR in little-endian order"},
		{"\x00\x01\x00\x00\x01\x00\x00\x00a", "data: a string must end with a byte 0"},
		{"\x00\x01\x00\x00\x01\x00\x00\x00\x00abcd", "4 bytes left over"},
	} {
		must.Fail(t, text.Check([]byte(bad.message)), bad.want, bad.message)
	}
	def := must.Get(msg.ParseFull("a/msg/A", "string<=3 s\nuint8[<=2] b\nint8[<=1] i"))(t)
	for _, bad := range []struct{ text, want string }{
		{`{"s":"abcd"}`, "s: \"abcd\": must have at most 3 bytes"},
		{`{"b":"AQID"}`, "b: 3 bytes: must be at most 2"},
		{`{"i":[1,2]}`, "i: 2 elements: must be at most 1"},
	} {
		must.Refuse(compiled(t, def).AppendROS(nil, []byte(bad.text), now))(t, bad.want, bad.text)
	}
	must.Do(t, compiled(t, def).Check(must.Get(compiled(t, def).AppendROS(nil, []byte(strings.Repeat(" ", 3)+
		`{"s":"abc","b":"AQI=","i":[1]}`), now))(t)))
}

package dynamic

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// converterOf returns a Converter from a type of ROS 1 to ROS 2, and one back, which is nil if ROS 2 has more fields.
func converterOf(t testing.TB, from *msg.Definition) (to, back *Converter) {
	t.Helper()
	def := must.Get(must.Get(msg.LoadROS2("jazzy"))(t).FromROS1(from))(t)
	to = must.Get(NewConverter(from, def))(t)
	if c, err := NewConverter(def, from); err == nil {
		back = c
	}
	return to, back
}

// withoutSeq sets the sequence numbers of headers to 0.
func withoutSeq(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			if _, header := x["frame_id"]; header && k == "seq" {
				x[k] = 0.0
			} else {
				x[k] = withoutSeq(v)
			}
		}
	case []any:
		for i := range x {
			x[i] = withoutSeq(x[i])
		}
	}
	return x
}

func treeOf(t testing.TB, c *Codec, b []byte) (tree any) {
	t.Helper()
	must.Do(t, json.Unmarshal(must.Get(c.AppendJSON(nil, b))(t), &tree))
	return tree
}

// TestConvertTypes converts random messages of every type of ROS 1 to ROS 2, where they must be valid, and back.
func TestConvertTypes(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, seed))
	lib, oneWay := load(t, "std"), []string{}
	for _, name := range lib.Messages() {
		def := must.Get(lib.Message(name))(t)
		c := compiled(t, def)
		to, err := must.Get(msg.LoadROS2("jazzy"))(t).FromROS1(def)
		must.Do(t, err)
		there := must.Get(NewConverter(def, to))(t)
		back, err := NewConverter(to, def)
		if err != nil {
			oneWay = append(oneWay, name)
		}
		for range 5 {
			message := random(nil, c.root, r)
			got := must.Get(there.Append([]byte("before"), message))(t)
			must.Equal(t, string(got[:6]), "before", "%s", name)
			must.Do(t, compiled(t, to).Check(got[6:]))
			if err != nil {
				continue
			}
			again := must.Get(back.Append(nil, got[6:]))(t)
			must.Equal(t, treeOf(t, c, again), withoutSeq(treeOf(t, c, message)), "%s", name)
		}
	}
	must.Equal(t, strings.Join(oneWay, " "), "sensor_msgs/Range vision_msgs/BoundingBox2D vision_msgs/Detection2D "+
		"vision_msgs/Detection2DArray vision_msgs/Detection3D vision_msgs/Detection3DArray "+
		"vision_msgs/ObjectHypothesisWithPose visualization_msgs/Marker visualization_msgs/MarkerArray",
		"types that have other fields in ROS 2")
}

// TestConvertStructs compares converted messages with those that package msg encodes from the same struct.
func TestConvertStructs(t *testing.T) {
	odometry := msg.Odometry{Header: msg.Header{Seq: 7, Stamp: msg.Time{Sec: 1, Nsec: 2}, FrameID: "odom"},
		ChildFrameID: "base", Pose: msg.PoseWithCovariance{Pose: msg.Pose{Position: msg.Point{X: 0.5}}}}
	odometry.Twist.Covariance[35] = 3
	structs(t, "nav_msgs/Odometry", &odometry)
	structs(t, "sensor_msgs/Image", &msg.Image{Header: odometry.Header, Height: 1, Width: 5, Encoding: "mono8", Step: 5,
		Data: []byte("abcde")})
	structs(t, "tf2_msgs/TFMessage", &msg.TFMessage{Transforms: []msg.TransformStamped{{Header: odometry.Header,
		ChildFrameID: "a", Transform: msg.Transform{Rotation: msg.Quaternion{W: 1}}}, {ChildFrameID: "bcd"}}})
	structs(t, "sensor_msgs/CameraInfo", &msg.CameraInfo{Header: odometry.Header, Height: 480, DistortionModel: "x",
		D: []float64{1, 2}, K: [9]float64{3}, P: [12]float64{4}})
}

func structs[T any](t *testing.T, name string, m *T) {
	t.Helper()
	def := must.Get(load(t, "std").Message(name))(t)
	there, _ := converterOf(t, def)
	from := must.Get(msg.Compile[T](def))(t)
	to := must.Get(msg.Compile[T](there.To()))(t)
	must.Equal(t, string(must.Get(there.Append(nil, from.Append(nil, m)))(t)), string(to.Append(nil, m)), "%s", name)
}

// TestConvertDetections checks detections, whose fields have other names and other messages in ROS 2.
func TestConvertDetections(t *testing.T) {
	from := codec(t, "vision_msgs/Detection2DArray")
	there, _ := converterOf(t, from.Def())
	b := must.Get(from.AppendROS(nil, []byte(`{"header":{"seq":9,"frame_id":"camera"},"detections":[{"results":[
		{"id":-12,"score":0.5,"pose":{"pose":{"position":{"z":2}}}},{"id":3}],
		"bbox":{"center":{"x":1,"y":2,"theta":3},"size_x":4,"size_y":5},"source_img":{"data":[1,2,3]}}]}`),
		msg.Time{Sec: 6}))(t)
	to := compiled(t, there.To())
	want := must.Get(to.AppendROS(nil, []byte(`{"header":{"stamp":{"sec":6},"frame_id":"camera"},"detections":[
		{"results":[{"hypothesis":{"class_id":"-12","score":0.5},"pose":{"pose":{"position":
		{"z":2}}}},{"hypothesis":{"class_id":"3"}}],
		"bbox":{"center":{"position":{"x":1,"y":2},"theta":3},"size_x":4,"size_y":5}}]}`), msg.Time{Sec: 6}))(t)
	must.Equal(t, treeOf(t, to, must.Get(there.Append(nil, b))(t)), treeOf(t, to, want), "detections")
}

// TestConvertErrors checks definitions that do not match, and messages that cannot be converted.
func TestConvertErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"int32 a\nint32 b", "int32 a", "message a/A: field int32 b: has no counterpart in the other definition"},
		{"int32 a\nint32 b", "int32 b\nint32 a", "message a/A: field int32 a: has no counterpart"},
		{"int32 a", "uint32 a", "field int32 a: must have the same type in the other definition, where it is uint32"},
		{"int32[] a", "int32[3] a", "field int32[] a: must have the same type"},
		{"int32[2] a", "int32[3] a", "field int32[2] a: must have the same type"},
		{"string a", "int32 a", "field string a: must have the same type"},
		{"time a", "string a", "field time a: must have the same type"},
	} {
		from, to := must.Get(msg.ParseFull("a/A", c.from))(t), must.Get(msg.ParseFull("a/msg/A", c.to))(t)
		must.Refuse(NewConverter(from, to))(t, c.want, c.from)
	}
	from := must.Get(msg.ParseFull("a/A", "string s\nuint8[] b\nint64[] i"))(t)
	to := must.Get(msg.ParseFull("a/msg/A", "string<=3 s\nuint8[<=2] b\nstring<=3[] i"))(t)
	c := must.Get(NewConverter(from, to))(t)
	for text, want := range map[string]string{
		`{"s":"abcd"}`:   "message a/A: 16 bytes: s: abcd: must have at most 3 bytes",
		`{"b":[1,2,3]}`:  "b: 3 elements: must be at most 2",
		`{"i":[1,9999]}`: "i: 9999: must have at most 3 bytes",
	} {
		must.Refuse(c.Append(nil, must.Get(compiled(t, from).AppendROS(nil, []byte(text), now))(t)))(t, want, text)
	}
	whole := must.Get(compiled(t, from).AppendROS(nil, []byte(`{"s":"abc","b":[1],"i":[12,-7]}`), now))(t)
	must.Get(c.Append(nil, whole))(t)
	for i := range whole {
		must.Refuse(c.Append(nil, whole[:i]))(t, "message a/A: ", "a message cut off")
	}
	must.Refuse(c.Append(nil, append(whole, 0)))(t, "left over", "a message with more bytes")
}

// TestConvertHostileDefinitions checks that definitions whose fields multiply are converted in little time.
func TestConvertHostileDefinitions(t *testing.T) {
	const depth = 50
	name := func(i int) string { return "A" + strings.Repeat("x", i) }
	parts := "A[] a\nA[] b"
	for i := range depth {
		body := name(i+1) + "[] a\n" + name(i+1) + "[] b"
		if i == depth-1 {
			body = "int32 a"
		}
		parts += "\n" + strings.Repeat("=", 80) + "\nMSG: a/" + name(i) + "\n" + body
	}
	from, to := must.Get(msg.ParseFull("a/B", parts))(t), must.Get(msg.ParseFull("a/msg/B", parts))(t)
	c := must.Get(NewConverter(from, to))(t)
	must.Equal(t, must.Get(c.Append(nil, make([]byte, 8)))(t), append([]byte(cdrHeader), make([]byte, 8)...), "empty")
}

// FuzzConvert checks that no bytes make a Converter panic, that exactly the valid messages are converted, and that they
// become valid messages of bounded size.
func FuzzConvert(f *testing.F) {
	types := []string{"vision_msgs/Detection2DArray", "visualization_msgs/MarkerArray", "tf2_msgs/TFMessage",
		"sensor_msgs/PointCloud2", "omnipitch_msgs/Truth", "std_msgs/Empty"}
	var from, to []*Codec
	var there, back []*Converter
	for i, name := range types {
		from = append(from, codec(f, name))
		x, y := converterOf(f, from[i].Def())
		to, there, back = append(to, compiled(f, x.To())), append(there, x), append(back, y)
		f.Add(i, random(nil, from[i].root, rand.New(rand.NewPCG(1, 1))))
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		i = int(uint(i) % uint(len(types)))
		from, to, there, back := from[i], to[i], there[i], back[i]
		got, err := there.Append(nil, b)
		if valid := from.Check(b); (err == nil) != (valid == nil) {
			t.Fatalf("converter: %v; check: %v", err, valid)
		}
		if err != nil {
			return
		}
		must.Do(t, to.Check(got))
		if len(got) > 1000+50*len(b) {
			t.Errorf("%d bytes became %d", len(b), len(got))
		}
		if back == nil {
			return
		}
		again := must.Get(there.Append(nil, must.Get(back.Append(nil, got))(t)))(t)
		must.Equal(t, again, got, "message converted back and once more")
	})
}

package msg

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func ros2Definition(t testing.TB, name string) *Definition {
	t.Helper()
	return must.Get(must.Get(LoadROS2("jazzy"))(t).Message(name))(t)
}

// ros2Pairs returns the structs of package msg that are also messages of ROS 2.
func ros2Pairs(t testing.TB) []pair {
	t.Helper()
	trigger := must.Get(must.Get(LoadROS2("jazzy"))(t).Service("std_srvs/Trigger"))(t)
	setBool := must.Get(must.Get(LoadROS2("jazzy"))(t).Service("std_srvs/SetBool"))(t)
	def := func(name string) *Definition { return ros2Definition(t, name) }
	return []pair{
		pairOf[Header]("jazzy", def("std_msgs/Header")), pairOf[String]("jazzy", def("std_msgs/String")),
		pairOf[Bool]("jazzy", def("std_msgs/Bool")), pairOf[Float64]("jazzy", def("std_msgs/Float64")),
		pairOf[Int32]("jazzy", def("std_msgs/Int32")), pairOf[Clock]("jazzy", def("rosgraph_msgs/Clock")),
		pairOf[Image]("jazzy", def("sensor_msgs/Image")), pairOf[CameraInfo]("jazzy", def("sensor_msgs/CameraInfo")),
		pairOf[Imu]("jazzy", def("sensor_msgs/Imu")), pairOf[LaserScan]("jazzy", def("sensor_msgs/LaserScan")),
		pairOf[JointState]("jazzy", def("sensor_msgs/JointState")),
		pairOf[PointCloud2]("jazzy", def("sensor_msgs/PointCloud2")),
		pairOf[BatteryState]("jazzy", def("sensor_msgs/BatteryState")),
		pairOf[JointTrajectory]("jazzy", def("trajectory_msgs/JointTrajectory")),
		pairOf[Twist]("jazzy", def("geometry_msgs/Twist")), pairOf[PoseArray]("jazzy", def("geometry_msgs/PoseArray")),
		pairOf[PointStamped]("jazzy", def("geometry_msgs/PointStamped")), pairOf[Path]("jazzy", def("nav_msgs/Path")),
		pairOf[Odometry]("jazzy", def("nav_msgs/Odometry")), pairOf[TFMessage]("jazzy", def("tf2_msgs/TFMessage")),
		pairOf[TriggerRequest]("jazzy", trigger.Request), pairOf[TriggerResponse]("jazzy", trigger.Response),
		pairOf[SetBoolRequest]("jazzy", setBool.Request), pairOf[SetBoolResponse]("jazzy", setBool.Response),
	}
}

// clearSeq sets every Seq to 0: it is not on the wire in ROS 2.
func clearSeq(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if f := v.FieldByName("Seq"); f.IsValid() {
			f.SetZero()
		}
		for i := range v.NumField() {
			clearSeq(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			clearSeq(v.Index(i))
		}
	}
}

// TestCDRRoundTrip checks that decode(encode(m)) is m, for every struct of ROS 2. Up to 3 bytes of padding may follow a
// message, and nothing may be missing.
func TestCDRRoundTrip(t *testing.T) {
	for _, p := range ros2Pairs(t) {
		want := filled(p)
		clearSeq(reflect.ValueOf(want).Elem())
		b := p.encode(want)
		for pad := range 4 {
			got := p.new()
			must.Do(t, p.decode(append(b[:len(b):len(b)], make([]byte, pad)...), got))
			must.Equal(t, got, want, "%s with %d bytes of padding", p.name, pad)
		}
		must.Fail(t, p.decode(append(b[:len(b):len(b)], 0, 0, 0, 0), p.new()), "4 bytes left over", p.name)
		for i := range b {
			if err := p.decode(b[:i], p.new()); err == nil {
				t.Errorf("%s: %d of %d bytes were accepted", p.name, i, len(b))
			}
		}
	}
}

type (
	gid struct{ Data [16]uint8 }

	nodeEntities struct {
		NodeNamespace, NodeName    string
		ReaderGidSeq, WriterGidSeq []gid
	}
	participantEntities struct {
		Gid                 gid
		NodeEntitiesInfoSeq []nodeEntities
	}
)

// TestCDRBytes compares with bytes written by hand from the format's description.
func TestCDRBytes(t *testing.T) {
	p := pairOf[participantEntities]("jazzy", ros2Definition(t, "rmw_dds_common/ParticipantEntitiesInfo"))
	m := &participantEntities{Gid: gid{[16]uint8{1, 15: 2}}, NodeEntitiesInfoSeq: []nodeEntities{{"/", "/omni", nil,
		[]gid{{[16]uint8{3, 15: 4}}}}}}
	want := "00010000" + "01000000000000000000000000000002" + "01000000" + "02000000" + "2f00" + "0000" + "06000000" +
		"2f6f6d6e6900" + "0000" + "00000000" + "01000000" + "03000000000000000000000000000004"
	must.Equal(t, hex.EncodeToString(p.encode(m)), want, "ParticipantEntitiesInfo")

	scan := pairOf[Odometry]("jazzy", ros2Definition(t, "nav_msgs/Odometry"))
	b := scan.encode(&Odometry{Header: Header{Seq: 9, Stamp: Time{1, 2}, FrameID: "o"}, ChildFrameID: "b",
		Pose: PoseWithCovariance{Pose: Pose{Position: Point{X: 1}}}})
	want = "00010000" + "0100000002000000" + "02000000" + "6f00" + "0000" + "02000000" + "6200" + "0000" +
		"000000000000f03f"
	must.Equal(t, hex.EncodeToString(b[:len(want)/2]), want, "Odometry")

	c := must.Get(Compile[String](ros2Definition(t, "std_msgs/String")))(t)
	for _, bad := range []struct{ hex, want string }{
		{"0001", "ends too early"},
		{"00070000" + "00000000", "encapsulation = 0, 7: must begin with 0"},
		{"00010000" + "02000000" + "6161", "data: a string must end with a byte 0"},
		{"00010000" + "ffffffff" + "6161", "4294967295 elements: 2 bytes are left"},
	} {
		must.Fail(t, c.Decode(must.Get(hex.DecodeString(bad.hex))(t), new(String)), bad.want, bad.hex)
	}
	var s String
	must.Do(t, c.Decode([]byte{0, 0, 0, 0, 0, 0, 0, 2, 'a', 0}, &s))
	must.Equal(t, s.Data, "a", "big-endian string")
	must.Do(t, c.Decode([]byte{0, 1, 0, 0, 0, 0, 0, 0}, &s))
	must.Equal(t, s.Data, "", "string without any byte")
}

// TestCDRBounds checks that a decoder refuses more elements and longer strings than the definition allows.
func TestCDRBounds(t *testing.T) {
	type bounded struct {
		S string
		L []uint8
	}
	l := Library{grammar: ros2}
	must.Do(t, l.AddMessage("p/M", "string<=3 s\nuint8[<=2] l\n"))
	c := must.Get(Compile[bounded](must.Get(l.Message("p/M"))(t)))(t)
	for _, test := range []struct {
		m    bounded
		want string
	}{
		{bounded{"abc", []uint8{1, 2}}, ""},
		{bounded{"abcd", nil}, "s: 5 elements: must be at most 4"},
		{bounded{"", []uint8{1, 2, 3}}, "l: 3 elements: must be at most 2"},
	} {
		err := c.Decode(c.Append(nil, &test.m), new(bounded))
		if test.want == "" {
			must.Do(t, err)
		} else {
			must.Fail(t, err, test.want, fmt.Sprint(test.m))
		}
	}
}

// TestCDRMismatch checks that Compile refuses structs that do not match, and allows fields of ROS 1 alone.
func TestCDRMismatch(t *testing.T) {
	must.Refuse(Compile[struct{ Data int32 }](ros2Definition(t, "std_msgs/String")))(t, "must hold string", "String")
	must.Refuse(Compile[struct{ Stamp Duration }](ros2Definition(t, "std_msgs/Header")))(t, "field Stamp", "Header")
	must.Refuse(Compile[struct {
		Seq, Other uint32
		Stamp      Time
		FrameID    string
	}](ros2Definition(t, "std_msgs/Header")))(t, "field Seq: the message has no such field", "Header")
	must.Refuse(Compile[struct {
		Stamp   Time
		FrameID string
		Seq     uint32 `ros1:""`
		Other   uint32 `ros1:""`
	}](must.Get(must.Get(Load("std"))(t).Message("std_msgs/Header"))(t)))(t, "field Other: the message has no such",
		"Header")
}

// TestAppendParts checks that the parts of a message are the message, and that no pixel is copied.
func TestAppendParts(t *testing.T) {
	image := must.Get(Compile[Image](ros2Definition(t, "sensor_msgs/Image")))(t)
	m := Image{Header: Header{FrameID: "camera"}, Encoding: "rgb8", Data: []byte{1, 2, 3, 4, 5}}
	all, at, bulk := image.AppendParts([]byte("before"), &m)
	must.Equal(t, string(slicesOf(all[6:], at-6, bulk)), string(image.Append(nil, &m)), "Image")
	must.Equal(t, unsafe.SliceData(bulk), unsafe.SliceData(m.Data), "pixels")

	cloud := must.Get(Compile[PointCloud2](ros2Definition(t, "sensor_msgs/PointCloud2")))(t)
	c := PointCloud2{Data: []byte{1, 2, 3}, IsDense: true}
	all, at, bulk = cloud.AppendParts(nil, &c)
	must.Equal(t, string(slicesOf(all, at, bulk)), string(cloud.Append(nil, &c)), "PointCloud2")

	type padded struct {
		Data  []uint8
		After float64
	}
	l := Library{grammar: ros2}
	must.Do(t, l.AddMessage("p/M", "uint8[] data\nfloat64 after\n"))
	before := must.Get(Compile[padded](must.Get(l.Message("p/M"))(t)))(t)
	for n := range 9 {
		p := padded{make([]byte, n), 1}
		all, at, bulk = before.AppendParts(nil, &p)
		must.Equal(t, string(slicesOf(all, at, bulk)), string(before.Append(nil, &p)), "number after %d bytes", n)
	}

	tf := must.Get(Compile[TFMessage](ros2Definition(t, "tf2_msgs/TFMessage")))(t)
	all, at, bulk = tf.AppendParts(nil, &TFMessage{})
	must.Equal(t, fmt.Sprint(at, len(bulk)), fmt.Sprint(len(all), 0), "TFMessage: place and size of its bulk")
}

func slicesOf(all []byte, at int, bulk []byte) []byte {
	return append(append(bytes.Clone(all[:at]), bulk...), all[at:]...)
}

// TestCDRAllocations checks that encoding into a buffer that suffices, and decoding numbers, allocate nothing.
func TestCDRAllocations(t *testing.T) {
	image := must.Get(Compile[Image](ros2Definition(t, "sensor_msgs/Image")))(t)
	scan := must.Get(Compile[LaserScan](ros2Definition(t, "sensor_msgs/LaserScan")))(t)
	m, s := &Image{Data: make([]byte, 1000)}, &LaserScan{Ranges: make([]float32, 1000)}
	var got LaserScan
	b := make([]byte, 0, 1<<16)
	must.Equal(t, testing.AllocsPerRun(100, func() {
		_ = image.Append(b, m)
		_, _, _ = image.AppendParts(b, m)
		if scan.Decode(scan.Append(b, s), &got) != nil {
			t.Error("not decoded")
		}
	}), 0, "allocations")
}

// FuzzCDR checks that no bytes make a decoder panic, that accepted messages encode to at most as many bytes and decode
// to the same value again, and that memory is at most a small multiple of the input.
func FuzzCDR(f *testing.F) {
	ps := append(ros2Pairs(f),
		pairOf[participantEntities]("jazzy", ros2Definition(f, "rmw_dds_common/ParticipantEntitiesInfo")))
	for i, p := range ps {
		b := p.encode(filled(p))
		f.Add(uint8(i), b)
		f.Add(uint8(i), append([]byte{0, 0}, b[2:]...))
	}
	f.Add(uint8(1), []byte("\x00\x01\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, i uint8, b []byte) {
		p := ps[int(i)%len(ps)]
		m := p.new()
		if p.decode(b, m) != nil {
			return
		}
		again := p.encode(m)
		m2 := p.new()
		must.Do(t, p.decode(again, m2))
		if !bytes.Equal(p.encode(m2), again) {
			t.Errorf("%s: %x and then %x", p.name, again, p.encode(m2))
		}
		if n := memory(reflect.ValueOf(m).Elem()); n > 16*len(b)+4096 {
			t.Errorf("%s: %d bytes take %d bytes of memory", p.name, len(b), n)
		}
	})
}

func BenchmarkCDR(b *testing.B) {
	image := must.Get(Compile[Image](ros2Definition(b, "sensor_msgs/Image")))(b)
	scan := must.Get(Compile[LaserScan](ros2Definition(b, "sensor_msgs/LaserScan")))(b)
	m, s := &Image{Encoding: "rgb8", Data: make([]byte, 640*480*3)}, &LaserScan{Ranges: make([]float32, 1080)}
	buf := make([]byte, 0, 1<<20)
	b.Run("Image/parts", func(b *testing.B) {
		for b.Loop() {
			_, _, _ = image.AppendParts(buf, m)
		}
	})
	b.Run("Image/copied", func(b *testing.B) {
		for b.Loop() {
			_ = image.Append(buf, m)
		}
	})
	b.Run("LaserScan", func(b *testing.B) {
		for b.Loop() {
			_ = scan.Append(buf, s)
		}
	})
}

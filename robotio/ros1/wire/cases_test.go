package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/msgdef"
)

// pair is one struct and the definition it stands for, with its type erased for tables.
type pair struct {
	dialect, name string
	def           *msgdef.Message
	new           func() any
	encode        func(m any) []byte
	decode        func(b []byte, m any) error
}

func definition(dialect, name string) (*msgdef.Message, error) {
	lib, err := msgdef.Load(dialect)
	if err != nil {
		return nil, err
	}
	for _, s := range lib.Services() {
		srv, err := lib.Service(s)
		switch {
		case err != nil:
			return nil, err
		case srv.Request.Name == name:
			return srv.Request, nil
		case srv.Response.Name == name:
			return srv.Response, nil
		}
	}
	return lib.Message(name)
}

func of[T any](dialect, name string) pair {
	def, err := definition(dialect, name)
	if err != nil {
		panic(err)
	}
	c, err := Compile[T](def)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", dialect, err))
	}
	return pair{dialect, name, def, func() any { return new(T) },
		func(m any) []byte { return c.Append(nil, m.(*T)) },
		func(b []byte, m any) error { return c.Decode(b, m.(*T)) }}
}

// pairs lists every struct of package msg.
func pairs() []pair {
	return []pair{
		of[msg.Header]("nubot", "std_msgs/Header"),
		of[msg.String]("nubot", "std_msgs/String"),
		of[msg.Bool]("nubot", "std_msgs/Bool"),
		of[msg.Float32]("nubot", "std_msgs/Float32"),
		of[msg.Float64]("nubot", "std_msgs/Float64"),
		of[msg.Int32]("nubot", "std_msgs/Int32"),
		of[msg.Int64]("nubot", "std_msgs/Int64"),
		of[msg.UInt8]("nubot", "std_msgs/UInt8"),
		of[msg.Empty]("nubot", "std_msgs/Empty"),
		of[msg.Point]("nubot", "geometry_msgs/Point"),
		of[msg.Point32]("nubot", "geometry_msgs/Point32"),
		of[msg.Vector3]("nubot", "geometry_msgs/Vector3"),
		of[msg.Quaternion]("nubot", "geometry_msgs/Quaternion"),
		of[msg.Pose]("nubot", "geometry_msgs/Pose"),
		of[msg.PoseStamped]("nubot", "geometry_msgs/PoseStamped"),
		of[msg.Pose2D]("nubot", "geometry_msgs/Pose2D"),
		of[msg.Twist]("nubot", "geometry_msgs/Twist"),
		of[msg.TwistStamped]("nubot", "geometry_msgs/TwistStamped"),
		of[msg.PoseWithCovariance]("nubot", "geometry_msgs/PoseWithCovariance"),
		of[msg.TwistWithCovariance]("nubot", "geometry_msgs/TwistWithCovariance"),
		of[msg.PoseWithCovarianceStamped]("nubot", "geometry_msgs/PoseWithCovarianceStamped"),
		of[msg.Transform]("nubot", "geometry_msgs/Transform"),
		of[msg.TransformStamped]("nubot", "geometry_msgs/TransformStamped"),
		of[msg.Image]("nubot", "sensor_msgs/Image"),
		of[msg.CameraInfo]("nubot", "sensor_msgs/CameraInfo"),
		of[msg.RegionOfInterest]("nubot", "sensor_msgs/RegionOfInterest"),
		of[msg.Imu]("nubot", "sensor_msgs/Imu"),
		of[msg.LaserScan]("nubot", "sensor_msgs/LaserScan"),
		of[msg.JointState]("nubot", "sensor_msgs/JointState"),
		of[msg.MagneticField]("nubot", "sensor_msgs/MagneticField"),
		of[msg.Range]("nubot", "sensor_msgs/Range"),
		of[msg.PointField]("nubot", "sensor_msgs/PointField"),
		of[msg.PointCloud2]("nubot", "sensor_msgs/PointCloud2"),
		of[msg.Odometry]("nubot", "nav_msgs/Odometry"),
		of[msg.Clock]("nubot", "rosgraph_msgs/Clock"),
		of[msg.Log]("nubot", "rosgraph_msgs/Log"),
		of[msg.TFMessage]("nubot", "tf2_msgs/TFMessage"),
		of[msg.VelCmd]("nubot", "nubot_common/VelCmd"),
		of[msg.OdoInfo]("nubot", "nubot_common/OdoInfo"),
		of[msg.Point2d]("nubot", "nubot_common/Point2d"),
		of[msg.Point3d]("nubot", "nubot_common/Point3d"),
		of[msg.PPoint]("nubot", "nubot_common/PPoint"),
		of[msg.Angle]("nubot", "nubot_common/Angle"),
		of[msg.BallInfo]("nubot", "nubot_common/BallInfo"),
		of[msg.BallInfo3d]("nubot", "nubot_common/BallInfo3d"),
		of[msg.FrontBallInfo]("nubot", "nubot_common/FrontBallInfo"),
		of[msg.ObstaclesInfo]("nubot", "nubot_common/ObstaclesInfo"),
		of[msg.RobotInfo]("nubot", "nubot_common/RobotInfo"),
		of[msg.OminiVisionInfo]("nubot", "nubot_common/OminiVisionInfo"),
		of[msg.CoachInfo]("nubot", "nubot_common/CoachInfo"),
		of[msg.PassCommands]("nubot", "nubot_common/PassCommands"),
		of[msg.StrategyInfo]("nubot", "nubot_common/StrategyInfo"),
		of[msg.SimulationStrategy]("nubot", "nubot_common/simulation_strategy"),
		of[msg.WorldModelInfo]("nubot", "nubot_common/WorldModelInfo"),
		of[msg.MotionCmd]("nubot", "nubot_common/MotionCmd"),
		of[msg.MotorInfo]("nubot", "nubot_common/MotorInfo"),
		of[msg.TargetInfo]("nubot", "nubot_common/TargetInfo"),
		of[msg.ShootRequest]("nubot", "nubot_common/ShootRequest"),
		of[msg.ShootResponse]("nubot", "nubot_common/ShootResponse"),
		of[msg.BallHandleRequest]("nubot", "nubot_common/BallHandleRequest"),
		of[msg.BallHandleResponse]("nubot", "nubot_common/BallHandleResponse"),
		of[msg.Logger]("nubot", "roscpp/Logger"),
		of[msg.GetLoggersRequest]("nubot", "roscpp/GetLoggersRequest"),
		of[msg.GetLoggersResponse]("nubot", "roscpp/GetLoggersResponse"),
		of[msg.SetLoggerLevelRequest]("nubot", "roscpp/SetLoggerLevelRequest"),
		of[msg.SetLoggerLevelResponse]("nubot", "roscpp/SetLoggerLevelResponse"),
		of[msg.HawkingVelCmd]("hawking", "nubot_common/VelCmd"),
		of[msg.HawkingOdoInfo]("hawking", "nubot_common/OdoInfo"),
		of[msg.HawkingShootRequest]("hawking", "nubot_common/ShootRequest"),
		of[msg.HawkingShootResponse]("hawking", "nubot_common/ShootResponse"),
		of[msg.HawkingBallHandleRequest]("hawking", "nubot_common/BallHandleRequest"),
		of[msg.HawkingBallHandleResponse]("hawking", "nubot_common/BallHandleResponse"),
	}
}

// fill sets every field below v to a distinct value; slices get two elements.
func fill(v reflect.Value, next *uint64) {
	*next++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(-float64(*next) / 4)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-int64(*next % 120))
	default:
		v.SetUint(*next % 250)
	}
}

func filled(p pair) any {
	m := p.new()
	var n uint64
	fill(reflect.ValueOf(m).Elem(), &n)
	return m
}

// TestRoundTrip: decode(encode(m)) is m, for every struct.
func TestRoundTrip(t *testing.T) {
	for _, p := range pairs() {
		want := filled(p)
		b := p.encode(want)
		got := p.new()
		if err := p.decode(b, got); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", p.dialect, p.name, got, want)
		}
		if err := p.decode(append(b, 0), p.new()); err == nil {
			t.Errorf("%s: a trailing byte was accepted", p.name)
		}
		for i := range b {
			if err := p.decode(b[:i], p.new()); err == nil {
				t.Errorf("%s: %d of %d bytes were accepted", p.name, i, len(b))
			}
		}
	}
}

// TestBytes trusts bytes written by hand from the format's description.
func TestBytes(t *testing.T) {
	p := of[msg.OdoInfo]("nubot", "nubot_common/OdoInfo")
	m := &msg.OdoInfo{Header: msg.Header{Seq: 1, Stamp: msg.Time{Sec: 2, Nsec: 3}, FrameID: "ab"}, Vx: 1, Vy: -2, W: 0.5, PowerState: true}
	want := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 'a', 'b',
		0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f, 0, 1}
	if got := p.encode(m); !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// FuzzDecode: no bytes make a decoder panic; what it accepts encodes to as many bytes, and memory stays
// within a small multiple of the input.
func FuzzDecode(f *testing.F) {
	ps := pairs()
	for i, p := range ps {
		f.Add(uint8(i), p.encode(filled(p)))
	}
	f.Add(uint8(1), []byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, i uint8, b []byte) {
		p := ps[int(i)%len(ps)]
		m := p.new()
		if p.decode(b, m) != nil {
			return
		}
		if got := p.encode(m); len(got) != len(b) {
			t.Errorf("%s: %d bytes encode to %d", p.name, len(b), len(got))
		}
		if n := memory(reflect.ValueOf(m).Elem()); n > 16*len(b)+4096 {
			t.Errorf("%s: %d bytes take %d bytes of memory", p.name, len(b), n)
		}
	})
}

// memory counts the bytes below v that decoding allocated.
func memory(v reflect.Value) int {
	n := 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			n += memory(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			n = v.Cap() * int(v.Type().Elem().Size())
		}
		for i := range v.Len() {
			n += memory(v.Index(i))
		}
	case reflect.String:
		n = v.Len() + int(unsafe.Sizeof(""))
	}
	return n
}

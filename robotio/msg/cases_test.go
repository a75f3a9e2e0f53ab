package msg

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// pair is a struct and its definition, with the type erased for tables.
type pair struct {
	dialect, name string
	def           *Definition
	new           func() any
	encode        func(m any) []byte
	decode        func(b []byte, m any) error
}

func definition(dialect, name string) (*Definition, error) {
	lib, err := Load(dialect)
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

// of returns a pair of a type of dialect nubot, or else of std.
func of[T any](name string) pair {
	dialect := "nubot"
	def, err := definition(dialect, name)
	if err != nil {
		dialect = "std"
		def, err = definition(dialect, name)
	}
	if err != nil {
		panic(err)
	}
	return pairOf[T](dialect, def)
}

func pairOf[T any](dialect string, def *Definition) pair {
	c, err := Compile[T](def)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", dialect, err))
	}
	return pair{dialect, def.Name, def, func() any { return new(T) },
		func(m any) []byte { return c.Append(nil, m.(*T)) },
		func(b []byte, m any) error { return c.Decode(b, m.(*T)) }}
}

// These structs have kinds of fields that the package's structs lack: int16, and arrays of integers.
type (
	coachInfo struct {
		Header                         Header
		MatchMode, MatchType, TestMode uint8
		PointA, PointB                 Point2d
		AngleA, AngleB                 int16
		IDA, IDB, KickForce            uint8
	}
	motionCmd struct {
		Header Header
		Speed  [8]int32
	}
)

// pairs returns every struct of package msg, and the two above.
func pairs() []pair {
	return []pair{
		of[Header]("std_msgs/Header"), of[String]("std_msgs/String"), of[Bool]("std_msgs/Bool"),
		of[Float64]("std_msgs/Float64"), of[Int32]("std_msgs/Int32"), of[Point]("geometry_msgs/Point"),
		of[Vector3]("geometry_msgs/Vector3"), of[Quaternion]("geometry_msgs/Quaternion"),
		of[Pose]("geometry_msgs/Pose"), of[PoseStamped]("geometry_msgs/PoseStamped"), of[Twist]("geometry_msgs/Twist"),
		of[PoseWithCovariance]("geometry_msgs/PoseWithCovariance"),
		of[TwistWithCovariance]("geometry_msgs/TwistWithCovariance"), of[Transform]("geometry_msgs/Transform"),
		of[TransformStamped]("geometry_msgs/TransformStamped"), of[Image]("sensor_msgs/Image"),
		of[CameraInfo]("sensor_msgs/CameraInfo"), of[RegionOfInterest]("sensor_msgs/RegionOfInterest"),
		of[Imu]("sensor_msgs/Imu"), of[LaserScan]("sensor_msgs/LaserScan"), of[JointState]("sensor_msgs/JointState"),
		of[JointTrajectory]("trajectory_msgs/JointTrajectory"), of[PointField]("sensor_msgs/PointField"),
		of[PointCloud2]("sensor_msgs/PointCloud2"), of[Odometry]("nav_msgs/Odometry"), of[Clock]("rosgraph_msgs/Clock"),
		of[Log]("rosgraph_msgs/Log"), of[TFMessage]("tf2_msgs/TFMessage"), of[VelCmd]("nubot_common/VelCmd"),
		of[OdoInfo]("nubot_common/OdoInfo"), of[Point2d]("nubot_common/Point2d"), of[Point3d]("nubot_common/Point3d"),
		of[PPoint]("nubot_common/PPoint"), of[Angle]("nubot_common/Angle"), of[BallInfo]("nubot_common/BallInfo"),
		of[BallInfo3d]("nubot_common/BallInfo3d"), of[FrontBallInfo]("nubot_common/FrontBallInfo"),
		of[ObstaclesInfo]("nubot_common/ObstaclesInfo"), of[RobotInfo]("nubot_common/RobotInfo"),
		of[OminiVisionInfo]("nubot_common/OminiVisionInfo"), of[coachInfo]("nubot_common/CoachInfo"),
		of[motionCmd]("nubot_common/MotionCmd"), of[ShootRequest]("nubot_common/ShootRequest"),
		of[ShootResponse]("nubot_common/ShootResponse"), of[BallHandleRequest]("nubot_common/BallHandleRequest"),
		of[BallHandleResponse]("nubot_common/BallHandleResponse"), of[Logger]("roscpp/Logger"),
		of[GetLoggersRequest]("roscpp/GetLoggersRequest"), of[GetLoggersResponse]("roscpp/GetLoggersResponse"),
		of[SetLoggerLevelRequest]("roscpp/SetLoggerLevelRequest"),
		of[SetLoggerLevelResponse]("roscpp/SetLoggerLevelResponse"), of[Speed]("omnipitch_msgs/Speed"),
		of[Radio]("omnipitch_msgs/Radio"), of[PredictRequest]("omnipitch_msgs/PredictRequest"),
		of[PredictResponse]("omnipitch_msgs/PredictResponse"), of[CoachRequest]("omnipitch_msgs/CoachRequest"),
		of[CoachResponse]("omnipitch_msgs/CoachResponse"), of[SeekRequest]("omnipitch_msgs/SeekRequest"),
		of[SeekResponse]("omnipitch_msgs/SeekResponse"), of[StepRequest]("omnipitch_msgs/StepRequest"),
		of[StepResponse]("omnipitch_msgs/StepResponse"), of[SetBoolRequest]("std_srvs/SetBoolRequest"),
		of[SetBoolResponse]("std_srvs/SetBoolResponse"), of[Command]("omnipitch_msgs/Command"),
		of[Input]("omnipitch_msgs/Input"), of[Body]("omnipitch_msgs/Body"), of[Truth]("omnipitch_msgs/Truth"),
		of[Touch]("omnipitch_msgs/Touch"), of[Level]("omnipitch_msgs/Level"), of[Game]("omnipitch_msgs/Game"),
		of[Recording]("omnipitch_msgs/Recording"), of[Verdict]("omnipitch_msgs/Verdict"),
		of[Decision]("omnipitch_msgs/Decision"), of[Quantity]("omnipitch_msgs/Quantity"),
		of[Hashes]("omnipitch_msgs/Hashes"), of[Exact]("omnipitch_msgs/Exact"), of[Episode]("omnipitch_msgs/Episode"),
		of[KeyFrame]("omnipitch_msgs/KeyFrame"), of[RobotStatus]("omnipitch_msgs/RobotStatus"),
		of[GoalID]("actionlib_msgs/GoalID"), of[GoalStatus]("actionlib_msgs/GoalStatus"),
		of[GoalStatusArray]("actionlib_msgs/GoalStatusArray"),
	}
}

// fill sets every field of v to a distinct value. Slices get two elements.
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

// TestRoundTrip checks that decode(encode(m)) is m, for every struct.
func TestRoundTrip(t *testing.T) {
	for _, p := range pairs() {
		want := filled(p)
		b := p.encode(want)
		got := p.new()
		must.Do(t, p.decode(b, got))
		must.Equal(t, got, want, "%s %s", p.dialect, p.name)
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

// TestBytes compares with bytes written by hand from the format's description.
func TestBytes(t *testing.T) {
	p := of[OdoInfo]("nubot_common/OdoInfo")
	m := &OdoInfo{Header: Header{Seq: 1, Stamp: Time{Sec: 2, Nsec: 3}, FrameID: "ab"}, Vx: 1, Vy: -2, W: 0.5,
		PowerState: true}
	want := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 'a', 'b',
		0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f, 0, 1}
	must.Equal(t, p.encode(m), want, "encoded")
}

// FuzzDecode checks that no bytes make a decoder panic, that accepted messages encode to as many bytes, and that memory
// is at most a small multiple of the input.
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

// memory returns the bytes in v that decoding allocated.
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

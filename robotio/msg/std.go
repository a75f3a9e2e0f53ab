package msg

import (
	"fmt"
	"math"
	"time"
)

// Header is std_msgs/Header. Seq is a count of the publisher's messages in ROS 1, and Stamp is the sim time of capture.
type Header struct {
	Seq     uint32 `ros1:""`
	Stamp   Time
	FrameID string
}

// String is std_msgs/String.
type String struct{ Data string }

// Bool is std_msgs/Bool.
type Bool struct{ Data bool }

// Float64 is std_msgs/Float64.
type Float64 struct{ Data float64 }

// Int32 is std_msgs/Int32.
type Int32 struct{ Data int32 }

// TriggerRequest is the request of std_srvs/Trigger.
type TriggerRequest struct{}

// TriggerResponse is the response of std_srvs/Trigger.
type TriggerResponse struct {
	Success bool
	Message string
}

// SetBoolRequest is the request of std_srvs/SetBool.
type SetBoolRequest struct{ Data bool }

// SetBoolResponse is the response of std_srvs/SetBool.
type SetBoolResponse struct {
	Success bool
	Message string
}

// Clock is rosgraph_msgs/Clock.
type Clock struct{ Clock Time }

// Log is rosgraph_msgs/Log.
type Log struct {
	Header                    Header
	Level                     int8
	Name, Msg, File, Function string
	Line                      uint32
	Topics                    []string
}

// Levels of a Log. Source: rosgraph_msgs/Log.
const (
	LogDebug int8 = 1
	LogInfo  int8 = 2
	LogWarn  int8 = 4
	LogError int8 = 8
	LogFatal int8 = 16
)

// Logger is roscpp/Logger.
type Logger struct {
	Name  string
	Level string // debug, info, warn, error or fatal
}

// GetLoggersRequest is the request of roscpp/GetLoggers.
type GetLoggersRequest struct{}

// GetLoggersResponse is the response of roscpp/GetLoggers.
type GetLoggersResponse struct{ Loggers []Logger }

// SetLoggerLevelRequest is the request of roscpp/SetLoggerLevel.
type SetLoggerLevelRequest struct{ Logger, Level string }

// SetLoggerLevelResponse is the response of roscpp/SetLoggerLevel.
type SetLoggerLevelResponse struct{}

// Time is a ROS time: seconds and nanoseconds since the epoch, or since the start of the simulation if use_sim_time is
// set.
type Time struct{ Sec, Nsec uint32 }

// TimeFrom converts the time since the start of the simulation. ROS has no times before 0 and after 2^32 s, so TimeFrom
// limits d to this range.
func TimeFrom(d time.Duration) Time {
	d = max(d, 0)
	if d/time.Second > math.MaxUint32 {
		return Time{math.MaxUint32, uint32(time.Second - 1)}
	}
	return Time{uint32(d / time.Second), uint32(d % time.Second)}
}

// Since returns the time since 0.
func (t Time) Since() time.Duration {
	return time.Duration(t.Sec)*time.Second + time.Duration(t.Nsec)
}

// String returns seconds with nine decimals.
func (t Time) String() string { return fmt.Sprintf("%d.%09d", t.Sec, t.Nsec) }

// Duration is a ROS duration: Sec + Nsec·1e-9 s. Nsec is in [0, 1e9). Sec may be negative.
type Duration struct{ Sec, Nsec int32 }

// Point is geometry_msgs/Point.
type Point struct{ X, Y, Z float64 }

// Vector3 is geometry_msgs/Vector3.
type Vector3 struct{ X, Y, Z float64 }

// Quaternion is geometry_msgs/Quaternion.
type Quaternion struct{ X, Y, Z, W float64 }

// Pose is geometry_msgs/Pose.
type Pose struct {
	Position    Point
	Orientation Quaternion
}

// PoseStamped is geometry_msgs/PoseStamped.
type PoseStamped struct {
	Header Header
	Pose   Pose
}

// PoseArray is geometry_msgs/PoseArray.
type PoseArray struct {
	Header Header
	Poses  []Pose
}

// PointStamped is geometry_msgs/PointStamped.
type PointStamped struct {
	Header Header
	Point  Point
}

// Twist is geometry_msgs/Twist.
type Twist struct{ Linear, Angular Vector3 }

// PoseWithCovariance is geometry_msgs/PoseWithCovariance.
type PoseWithCovariance struct {
	Pose       Pose
	Covariance [36]float64
}

// TwistWithCovariance is geometry_msgs/TwistWithCovariance.
type TwistWithCovariance struct {
	Twist      Twist
	Covariance [36]float64
}

// Transform is geometry_msgs/Transform.
type Transform struct {
	Translation Vector3
	Rotation    Quaternion
}

// TransformStamped is geometry_msgs/TransformStamped.
type TransformStamped struct {
	Header       Header
	ChildFrameID string
	Transform    Transform
}

// Path is nav_msgs/Path.
type Path struct {
	Header Header
	Poses  []PoseStamped
}

// Odometry is nav_msgs/Odometry.
type Odometry struct {
	Header       Header
	ChildFrameID string
	Pose         PoseWithCovariance
	Twist        TwistWithCovariance
}

// TFMessage is tf2_msgs/TFMessage.
type TFMessage struct{ Transforms []TransformStamped }

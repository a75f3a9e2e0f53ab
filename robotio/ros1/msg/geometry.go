package msg

// Point is geometry_msgs/Point.
type Point struct {
	X float64
	Y float64
	Z float64
}

// Vector3 is geometry_msgs/Vector3.
type Vector3 struct {
	X float64
	Y float64
	Z float64
}

// Quaternion is geometry_msgs/Quaternion.
type Quaternion struct {
	X float64
	Y float64
	Z float64
	W float64
}

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
type Twist struct {
	Linear  Vector3
	Angular Vector3
}

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
type TFMessage struct {
	Transforms []TransformStamped
}

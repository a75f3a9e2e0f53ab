package msg

// Odometry is nav_msgs/Odometry.
type Odometry struct {
	Header       Header
	ChildFrameID string
	Pose         PoseWithCovariance
	Twist        TwistWithCovariance
}

package msg

// Version is a version of ROS.
type Version int

// The versions of ROS.
const (
	ROS1 Version = 1
	ROS2 Version = 2
)

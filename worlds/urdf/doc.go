// Package urdf reads descriptions of robots in URDF, the format of ROS. What it does not read is listed in the robot's
// Skipped.
package urdf

// Package urdf reads descriptions of robots in URDF, the format of ROS, and makes robot models and visible shapes of
// them.
//
//	robot, err := urdf.Parse("robot.urdf", data)
//	poses := robot.Poses(nil) // of all links, at the joints' zero
//
// Lengths are in m, angles in rad, masses in kg. The frame of a link is the frame of the joint that holds it; the root
// link's frame is the robot's. Everything that a file has and the package does not read is listed in [Robot.Skipped].
// No function changes a Robot, so that several goroutines may share it.
package urdf

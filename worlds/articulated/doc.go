// Package articulated describes a robot as links that joints connect, and makes a robot model, visible shapes and the
// joints of engines of it. Readers of formats such as URDF and MJCF fill its [Robot], and call [Robot.Connect].
//
//	robot, err := urdf.Parse("robot.urdf", data)
//	poses := robot.Poses(nil) // of all links, at the joints' zero
//
// Lengths are in m, angles in rad, masses in kg. The frame of a link is the frame of the joint that holds it; the root
// link's frame is the robot's. Everything that a file has and a reader does not read is listed in Robot.Skipped. No
// function changes a Robot that is connected, so that several goroutines may share it.
package articulated

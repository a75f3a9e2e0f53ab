// Package mjcf reads descriptions of robots in MJCF, the format of MuJoCo, as its version 3 does.
//
//	robot, err := mjcf.Parse("robot.xml", data)
//
// The robot is the body of the worldbody that moves freely, or the only body. It is as if it came from a URDF file: its
// bodies are links, and a body with several joints hangs on links without mass. What the package does not read is
// listed in the robot's Skipped.
package mjcf

// Package animation reads files of animations: motions of a robot's joints through key frames, in the format of
// Bestmann, Towards using ROS in the RoboCup humanoid soccer league, 2017, section 5.2: YAML with a header and key
// frames.
//
//	name: wave
//	interpolation: hermite # or linear, the default
//	keyframes:
//	  - {duration: 0.5, pause: 0.2, goals: {right_shoulder_roll: -120, right_elbow: -30}}
//	  - {duration: 0.5, goals: {right_shoulder_roll: -9, right_elbow: -35}}
//
// Durations and pauses are in seconds. Goals are in degrees, or in m for joints that slide. A joint without a goal in a
// key frame is on its way to its next one. The keys name, author, description, version, last_edited and hostname are
// for people.
//
//	script, err := animation.Parse("wave.yaml", data)
//	motion, err := script.Of(robot.Joints)
package animation

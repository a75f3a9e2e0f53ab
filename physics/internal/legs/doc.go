// Package legs lets robots with legs walk: it turns a velocity over the floor into positions of the joints of two legs
// with six joints each. It moves nothing itself, and knows nothing of engines.
//
// # Gait
//
// The trunk sways as a linear inverted pendulum whose centre of pressure goes from foot to foot (Kajita et al., The 3D
// linear inverted pendulum mode, IROS 2001). Feet move along quintic polynomials, in the frame of a trunk that moves at
// the present velocity, as in the walks of Rhoban and of Bestmann and Zhang (Bipedal walking on humanoid robots through
// parameter optimization, RoboCup 2022). The leg's joints follow in closed form (Kajita et al., Introduction to
// humanoid robotics, 2014, section 2.5). The robot stabilises itself by its ankles, and by where it puts the next foot:
// the change of the capture point (Pratt et al., Humanoids 2006; Missura and Behnke, Balanced walking with capture
// steps, RoboCup 2014).
//
// # Frames and units
//
// B is the robot's frame, on the trunk. The walking frame R is on the floor, with z up and x forward. It moves at the
// present velocity, State.Twist, and while the robot stands it is midway between the feet. Feet that support keep
// their place on the floor, so that they move backward in R. Units are SI.
//
//	gait, err := legs.New(robot, gravity) // of a robot with Drive.Walk
//	state := gait.Standing()
//	gait.Advance(&state, wanted, dt)      // each step; R moves by state.Twist
//	poseRB := gait.Trunk(&state)
//	gait.Positions(&state, positions)     // of the joints gait.Joints()
package legs

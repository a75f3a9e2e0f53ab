// Package abstraction holds the ladder of levels that a sensor instance stands on, and computes its upper rungs from
// ground truth: which objects a camera can see (visibility), where the robot's vision would believe them to be
// (noise), and what it would miss. It knows neither engine nor renderer; its inputs are shapes, poses and camera
// models.
//
// Positions are metres, in the robot's body frame B unless a name says otherwise; W is the world. Randomness is
// counter-based (Noise): a value depends on its key alone, not on the order of calls, so functions are pure and safe
// for any number of goroutines.
//
//	eye := abstraction.Eye{Model: cam, PoseWC: poseWB.Mul(poseBC), MaxRange: 8}
//	seen := eye.Visible(ball, everythingElse)      // share of the ball, 0 to 1
package abstraction

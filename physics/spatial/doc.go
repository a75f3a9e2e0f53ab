// Package spatial holds the rigid-body geometry that every other package shares: poses, twists and headings.
//
// It does no dynamics and knows no sensor. Lengths are metres, angles radians, rotations unit quaternions.
// A variable names its frames: poseAB is the pose of frame B, expressed in frame A, so that
//
//	poseWC := poseWB.Mul(poseBC)           // camera C, mounted on body B, in the world W
//	pointInC := poseWC.Inverse().Apply(pointInW)
//
// The world W is the field's map frame: origin at the field's centre on the floor, x towards the goal that the
// cyan team attacks, y to the left, z up (REP-103, REP-105). All values are plain data, safe to copy and to share.
package spatial

// Package locate tells where a robot is on the field by points of lines that its camera sees: anywhere on the field,
// given a compass; and from image to image, fused with odometry. Source of the idea of matching by distances to the
// nearest line: Lauer, Lange and Riedmiller, "Calculating the perfect match: an efficient and accurate approach for
// robot self-localization", RoboCup 2005.
//
//	t := locate.NewTracker(locate.NewField(locate.Markings{…}))
//	t.Compass(heading)              // each reading
//	t.Odometry(stamp, odometryPose) // each reading
//	e := t.Image(stamp, points)     // each image: the pose at the stamp
//	now, ok := t.Pose()             // at the newest odometry
//
// Poses are of the robot on the field, x towards the opponents' goal, metres and radians. Stamps are those of messages:
// no clock is read. A Field is constant; a Tracker is for one goroutine, and allocates nothing.
package locate

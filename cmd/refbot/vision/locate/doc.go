// Package locate finds a robot's pose on the field from points of field lines. With a compass it finds the pose
// anywhere on the field. With odometry it tracks the pose from image to image. It matches points by their distances to
// the nearest line. Source: Lauer, Lange and Riedmiller, "Calculating the perfect match: an efficient and accurate
// approach for robot self-localization", RoboCup 2005.
//
//	t := locate.NewTracker(locate.NewField(locate.Markings{…}))
//	t.Compass(heading)              // each reading
//	t.Odometry(stamp, odometryPose) // each reading
//	e := t.Image(stamp, points)     // each image: the pose at the stamp
//	now, ok := t.Pose()             // the pose at the newest odometry
//
// Poses are those of the robot on the field, x towards the opponents' goal, metres and radians. Stamps are those of
// messages; no clock is read. A Field is constant. A Tracker belongs to one goroutine, and allocates nothing.
package locate

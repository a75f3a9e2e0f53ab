package condition

import "math"

// Field paths at which messages hold a point, and field paths at which they hold an orientation. If a message has
// several of the paths, the first one is read. The paths cover Odometry and PoseWithCovarianceStamped, PoseStamped and
// PoseWithCovariance, Pose, TransformStamped, PointStamped, messages with a Pose2D, Point and Pose2D.
var (
	pointFields = []string{"pose.pose.position.", "pose.position.", "position.", "transform.translation.", "point.",
		"pose.", ""}
	turnFields  = []string{"pose.pose.orientation.", "pose.orientation.", "orientation.", "transform.rotation."}
	angleFields = []string{"pose.theta", "theta"}
)

// posePaths lists all field paths at which a message may hold a pose. If a field is given, the paths start inside that
// field. poseOf reads the values at these paths.
func posePaths(field string) (paths []string) {
	if field != "" {
		field += "."
	}
	for _, p := range pointFields {
		paths = append(paths, field+p+"x", field+p+"y")
	}
	for _, p := range turnFields {
		paths = append(paths, field+p+"x", field+p+"y", field+p+"z", field+p+"w")
	}
	for _, p := range angleFields {
		paths = append(paths, field+p)
	}
	return paths
}

// poseOf returns the pose that a message holds, or only its point. The result ok is false if the message holds neither.
func poseOf(v []Value) (p place, ok bool) {
	p.heading = math.NaN()
	for range pointFields {
		if x, y := v[0], v[1]; !ok && x.Known && y.Known {
			p.x, p.y, ok = x.Number, y.Number, true
		}
		v = v[2:]
	}
	known := false
	for range turnFields {
		if x, y, z, w := v[0], v[1], v[2], v[3]; !known && x.Known && w.Known {
			known = true
			p.heading = math.Atan2(2*(w.Number*z.Number+x.Number*y.Number), 1-2*(y.Number*y.Number+z.Number*z.Number))
		}
		v = v[4:]
	}
	for i := range angleFields {
		if !known && v[i].Known {
			known, p.heading = true, v[i].Number
		}
	}
	return p, ok
}

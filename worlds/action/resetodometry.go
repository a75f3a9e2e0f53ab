package action

// ResetOdometry makes the odometry of a robot begin at the robot's present place: the estimated pose becomes 0, and so
// do its covariances. Level truth does not change: it has the pose in the world.
type ResetOdometry struct {
	Robot string `toml:"robot" required:"true"`
}

func (r *ResetOdometry) Validate(w World) error {
	return violation("robot", r.Robot, w.FindOdometry(r.Robot))
}

func (r *ResetOdometry) Do(s Simulation) error { return s.ResetOdometry(r.Robot) }

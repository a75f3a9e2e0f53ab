package action

// ResetOdometry makes the odometry of a robot begin where the robot was at its last reading: the estimated pose there
// becomes 0, and so do its covariances. It has no effect at level truth, which has the pose in the world.
type ResetOdometry struct {
	Robot string `toml:"robot" required:"true"`
}

func (r *ResetOdometry) Validate(w World) error {
	return violation("robot", r.Robot, w.FindOdometry(r.Robot))
}

func (r *ResetOdometry) Do(s Simulation) error { return s.ResetOdometry(r.Robot) }

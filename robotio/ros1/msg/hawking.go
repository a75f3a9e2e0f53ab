package msg

// HawkingVelCmd is nubot_common/VelCmd in the hawking dialect: Stop halts the robot, Vx, Vy in cm/s, W as
// the sender scales it.
type HawkingVelCmd struct {
	Header Header
	Stop   bool
	Vx     int32
	Vy     int32
	W      int32
}

// HawkingOdoInfo is nubot_common/OdoInfo in the hawking dialect.
type HawkingOdoInfo struct {
	Header        Header
	Vx            float32
	Vy            float32
	W             float32
	Angle         float32
	BallIsHolding bool
	RobotStuck    bool
	PowerState    bool
}

// HawkingShootRequest is the request of nubot_common/Shoot in the hawking dialect.
type HawkingShootRequest struct {
	Strength int32
	ShootPos int32
}

// HawkingShootResponse is the response of nubot_common/Shoot in the hawking dialect.
type HawkingShootResponse struct {
	ShootIsDone int32
}

// HawkingBallHandleRequest is the request of nubot_common/BallHandle in the hawking dialect.
type HawkingBallHandleRequest struct {
	Enable int32
}

// HawkingBallHandleResponse is the response of nubot_common/BallHandle in the hawking dialect.
type HawkingBallHandleResponse struct {
	BallIsHolding int32
}

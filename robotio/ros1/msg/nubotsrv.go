package msg

// ShootRequest is the request of nubot_common/Shoot: Strength in m/s, ShootPos -1 flat, 1 lob, 0 no shot.
type ShootRequest struct {
	Strength float32
	ShootPos int64
}

// ShootResponse is the response of nubot_common/Shoot: 1 when the ball was kicked.
type ShootResponse struct {
	ShootIsDone int64
}

// BallHandleRequest is the request of nubot_common/BallHandle: anything but 0 asks to dribble.
type BallHandleRequest struct {
	Enable int64
}

// BallHandleResponse is the response of nubot_common/BallHandle: 1 while the ball is held.
type BallHandleResponse struct {
	BallIsHolding int64
}

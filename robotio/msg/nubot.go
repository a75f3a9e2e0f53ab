package msg

// VelCmd is nubot_common/VelCmd: Vx, Vy in cm/s in the frame of the robot, W in rad/s.
type VelCmd struct{ Vx, Vy, W float32 }

// OdoInfo is nubot_common/OdoInfo: Vx, Vy in cm/s in the frame of the robot, W in rad/s.
type OdoInfo struct {
	Header                 Header
	Vx, Vy, W              float32
	RobotStuck, PowerState bool
}

// Point2d is nubot_common/Point2d, in cm (as a velocity in cm/s).
type Point2d struct{ X, Y float32 }

// Point3d is nubot_common/Point3d, in cm (as a velocity in cm/s).
type Point3d struct{ X, Y, Z float32 }

// PPoint is nubot_common/PPoint: Angle in rad, Radius in cm.
type PPoint struct{ Angle, Radius float32 }

// Angle is nubot_common/Angle, in rad.
type Angle struct{ Theta float32 }

// BallInfo is nubot_common/BallInfo.
type BallInfo struct {
	Header                  Header
	BallInfoState           int32
	Pos                     Point2d
	RealPos                 PPoint
	Velocity                Point2d
	PosKnown, VelocityKnown bool
}

// BallInfo3d is nubot_common/BallInfo3d.
type BallInfo3d struct {
	Header                                Header
	Pos, Velocity                         Point3d
	PosKnown3d, PosKnown2d, VelocityKnown bool
}

// FrontBallInfo is nubot_common/FrontBallInfo.
type FrontBallInfo struct {
	Header   Header
	RealPos  PPoint
	PosKnown bool
}

// ObstaclesInfo is nubot_common/ObstaclesInfo.
type ObstaclesInfo struct {
	Header   Header
	Pos      []Point2d
	PolarPos []PPoint
}

// RobotInfo is nubot_common/RobotInfo.
type RobotInfo struct {
	Header                                                                                 Header
	AgentID, TargetNum1, TargetNum2, TargetNum3, TargetNum4, StaticPassNum, StaticCatchNum int32
	Pos                                                                                    Point2d
	Heading                                                                                Angle
	Vrot                                                                                   float32
	Vtrans                                                                                 Point2d
	IsKick, IsValid, IsStuck, IsDribble                                                    bool
	CurrentRole                                                                            uint8
	RoleTime                                                                               float32
	Target                                                                                 Point2d
}

// OminiVisionInfo is nubot_common/OminiVisionInfo.
type OminiVisionInfo struct {
	Header       Header
	BallInfo     BallInfo
	ObstacleInfo ObstaclesInfo
	RobotInfo    []RobotInfo
}

// ShootRequest is the request of nubot_common/Shoot: Strength is in m/s; ShootPos is -1 for a flat shot, 1 for a lob,
// and 0 for no shot.
type ShootRequest struct {
	Strength float32
	ShootPos int64
}

// ShootResponse is the response of nubot_common/Shoot: 1 if the ball was kicked.
type ShootResponse struct{ ShootIsDone int64 }

// BallHandleRequest is the request of nubot_common/BallHandle: any value except 0 turns on the dribbler.
type BallHandleRequest struct{ Enable int64 }

// BallHandleResponse is the response of nubot_common/BallHandle: 1 while the ball is held.
type BallHandleResponse struct{ BallIsHolding int64 }

package physics

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// MaxWheels is the largest number of driven wheels of a robot.
const MaxWheels = 8

// Team is the colour card that a robot wears.
type Team string

const (
	Cyan    Team = "cyan"
	Magenta Team = "magenta"
)

// Robot is one robot's body and actuators, and where it starts.
type Robot struct {
	Name     string
	Team     Team `toml:"team" oneof:"cyan|magenta"`
	Number   int  // 1 is the goalkeeper by custom
	Pose     spatial.Pose
	Body     Body      `toml:"body"`
	Drive    Drive     `toml:"drive"`
	Kicker   *Kicker   `toml:"kicker"`   // nil: cannot kick
	Dribbler *Dribbler `toml:"dribbler"` // nil: cannot hold the ball
}

// Body is a robot's hull: an upright cylinder for contacts, with what the eye needs to draw it.
type Body struct {
	Radius   float64 `toml:"radius_m" required:"true" range:"[0.05, 1]" doc:"radius of the hull"`
	Height   float64 `toml:"height_m" required:"true" range:"[0.05, 2]" doc:"height over the floor"`
	Mass     float64 `toml:"mass_kg" required:"true" range:"[0.1, 200]" doc:"mass of the whole robot"`
	InertiaZ float64 `toml:"inertia_zz_kg_m2" required:"true" range:"[0.001, 100]" doc:"moment of inertia about the vertical axis"`
	CoMZ     float64 `toml:"com_height_m" required:"true" range:"[0.01, 1]" doc:"height of the centre of mass"`
}

// DriveLevel says in how much detail a drive is simulated.
type DriveLevel string

const (
	WheelsDrive  DriveLevel = "wheels"  // friction under each wheel, motors with limits, slip
	ChassisDrive DriveLevel = "chassis" // the body takes the commanded velocity within its acceleration limits
)

// Drive is a set of omni wheels and the motors behind them.
type Drive struct {
	Level         DriveLevel `toml:"level" required:"true" oneof:"wheels|chassis" doc:"in how much detail the drive is simulated"`
	WheelAngles   []float64  `toml:"wheel_angles_deg" required:"true" range:"[-360, 360]" doc:"where each wheel stands around the centre, anticlockwise from x; at most 8"`
	WheelDistance float64    `toml:"wheel_distance_m" required:"true" range:"[0.02, 1]" doc:"from the robot's centre to the wheels' contact points"`
	WheelRadius   float64    `toml:"wheel_radius_m" required:"true" range:"[0.005, 0.5]"`
	MaxWheelSpeed float64    `toml:"max_wheel_speed_m_s" required:"true" range:"(0, 20]" doc:"fastest rim speed of a wheel"`
	MaxWheelForce float64    `toml:"max_wheel_force_n" required:"true" range:"(0, 2000]" doc:"largest force of a motor at its wheel's rim"`
	MaxSpeed      float64    `toml:"max_speed_m_s" required:"true" range:"(0, 20]" doc:"commands are limited to this speed"`
	MaxOmega      float64    `toml:"max_omega_deg_s" required:"true" range:"(0, 3600]" doc:"commands are limited to this rate of turn"`
	MaxAccel      float64    `toml:"max_accel_m_s2" required:"true" range:"(0, 100]" doc:"the robot's own controller limits changes of velocity to this"`
	MaxAlpha      float64    `toml:"max_alpha_deg_s2" required:"true" range:"(0, 36000]" doc:"the same for the rate of turn"`
}

// Kicker shoots a held ball.
type Kicker struct {
	MaxSpeed float64 `toml:"max_speed_m_s" range:"(0, 30]" doc:"fastest shot"`
	LobAngle float64 `toml:"lob_angle_deg" range:"(0, 90)" doc:"elevation of a lob"`
}

// Dribbler holds a ball that comes close enough in front.
type Dribbler struct {
	Reach    float64 `toml:"reach_m" range:"[0, 1]" doc:"largest gap between hull and ball at which the ball is taken"`
	MaxAngle float64 `toml:"max_angle_deg" range:"(0, 180]" doc:"largest bearing of the ball, to either side, at which it is taken"`
	Hold     float64 `toml:"hold_m" range:"[0, 1]" doc:"distance of a held ball's centre before the robot's centre"`
}

// Obstacle is a black box that stands on the floor and can be pushed.
type Obstacle struct {
	Name   string
	Pose   spatial.Pose
	SizeX  float64 `toml:"size_x_m" range:"[0.05, 5]"`
	SizeY  float64 `toml:"size_y_m" range:"[0.05, 5]"`
	Height float64 `toml:"height_m" range:"[0.05, 3]"`
	Mass   float64 `toml:"mass_kg" range:"[0.1, 500]"`
}

package physics

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Config selects the engine, and holds the constants of the simulation that do not belong to a single body.
type Config struct {
	Engine     string   `toml:"engine" oneof:"ode|planar" doc:"physics engine: ode is three-dimensional, with wheels that slip and robots that can fall over; planar moves upright robots over the floor and is several times faster"`
	Gravity    float64  `toml:"gravity_m_s2" range:"[0, 30]" doc:"acceleration of free fall"`
	AirDensity float64  `toml:"air_density_kg_m3" range:"[0, 10]" doc:"density of the air that slows the ball; 0 is a vacuum"`
	Contacts   Contacts `toml:"contacts"`
}

// DefaultConfig returns the constants of a carpeted hall.
func DefaultConfig() Config {
	return Config{
		Engine:     "ode",
		Gravity:    9.81,
		AirDensity: 1.2, // 20 °C at sea level
		Contacts:   DefaultContacts(),
	}
}

// Ball is the ball's body and its state at the start.
type Ball struct {
	Radius       float64 `toml:"radius_m" range:"[0.02, 0.5]" doc:"radius of the ball; FIFA size 5 is 0.11"`
	Mass         float64 `toml:"mass_kg" range:"[0.01, 5]" doc:"mass of the ball; FIFA size 5 is 0.41 to 0.45"`
	RollingDecel float64 `toml:"rolling_decel_m_s2" range:"[0, 5]" doc:"deceleration of the rolling ball by the floor, air resistance excluded"`
	Drag         float64 `toml:"drag_coefficient" range:"[0, 2]" doc:"drag coefficient of the ball, for its cross-section"`
	Magnus       float64 `toml:"magnus_coefficient" range:"[0, 4]" doc:"lift coefficient of a spinning ball divided by its spin ratio (surface speed over speed); 0 makes it fly straight"`
	X            float64 `toml:"x_m" range:"[-50, 50]" doc:"position at the start, in the world frame"`
	Y            float64 `toml:"y_m" range:"[-50, 50]" doc:"position at the start, in the world frame"`
	Z            float64 `toml:"z_m" range:"[0, 20]" doc:"height of the ball's lowest point at the start"`
	VX           float64 `toml:"vx_m_s" range:"[-30, 30]" doc:"velocity at the start"`
	VY           float64 `toml:"vy_m_s" range:"[-30, 30]" doc:"velocity at the start"`
	VZ           float64 `toml:"vz_m_s" range:"[-30, 30]" doc:"velocity at the start"`
}

// Start returns the position of the ball's centre at the start, in metres, and the ball's twist at the start.
func (b *Ball) Start() (posW mgl64.Vec3, twistInW spatial.Twist) {
	return mgl64.Vec3{b.X, b.Y, b.Z + b.Radius}, spatial.Twist{Lin: mgl64.Vec3{b.VX, b.VY, b.VZ}}
}

// DefaultBall returns a FIFA size 5 ball at rest on the centre spot.
func DefaultBall() Ball {
	return Ball{
		Radius:       0.11,
		Mass:         0.43, // mean of the 0.41 kg and 0.45 kg that the rules allow
		RollingDecel: 0.35, // guess: a 3 m/s pass rolls about 10 m on short carpet
		// recalled: wind-tunnel studies of footballs give 0.4 to 0.5 below the drag crisis, as at 12 m/s
		Drag: 0.4,
	}
}

// Material is the material of a body's surface.
type Material uint8

const (
	Carpet Material = iota
	Board           // boards around the border
	Post            // goal posts and bars
	Net
	Hull  // hull of a robot
	Crate // surface of an obstacle
)

// Contact is the contact parameters of two materials.
type Contact struct {
	Friction    float64 `toml:"friction" range:"[0, 5]" doc:"coefficient of dry friction"`
	Restitution float64 `toml:"restitution" range:"[0, 1]" doc:"share of the closing speed with which the bodies separate"`
}

// Contacts is the contact parameters of all pairs of materials.
type Contacts struct {
	BallCarpet   Contact  `toml:"ball_carpet" doc:"contact of the ball with the carpet"`
	BallRobot    Contact  `toml:"ball_robot" doc:"contact of the ball with a robot's hull"`
	BallObstacle Contact  `toml:"ball_obstacle" doc:"contact of the ball with an obstacle"`
	BallBoard    Contact  `toml:"ball_board" doc:"contact of the ball with the boards around the field"`
	BallPost     Contact  `toml:"ball_post" doc:"contact of the ball with posts and bars"`
	BallNet      Contact  `toml:"ball_net" doc:"contact of the ball with a net"`
	WheelCarpet  Friction `toml:"wheel_carpet" doc:"contact of wheels with the carpet, along their grip"`
	Robot        Friction `toml:"robot" doc:"contact of robots with robots, obstacles and static bodies"`
	Obstacle     Friction `toml:"obstacle_carpet" doc:"contact of obstacles with the carpet"`
}

// Friction is the parameter of a contact without restitution: robots and obstacles do not bounce.
type Friction struct {
	Friction float64 `toml:"friction" range:"[0, 5]" doc:"coefficient of dry friction"`
}

// DefaultContacts returns the table of a carpeted hall.
func DefaultContacts() Contacts {
	return Contacts{
		// friction measured: the ball slides, then rolls, within a robot's length. Restitution is a guess: FIFA asks
		// for 0.76–0.91 on steel, and carpet takes some of it
		BallCarpet:   Contact{0.5, 0.65},
		BallRobot:    Contact{0.25, 0.3},  // guess
		BallObstacle: Contact{0.25, 0.3},  // guess
		BallBoard:    Contact{0.25, 0.65}, // guess: wood
		BallPost:     Contact{0.25, 0.65}, // guess
		// guess: a loose net stops the ball. With friction the net would spin the ball, and the spinning ball would
		// roll out of the goal again
		BallNet: Contact{0, 0.05},
		// measured: robots follow the circle at 2 m/s best without sticking
		WheelCarpet: Friction{0.75},
		Robot:       Friction{0.25}, // measured: robots neither climb up nor stick to each other
		Obstacle:    Friction{0.25}, // guess
	}
}

// Ball returns the contact parameters of the ball with a material.
func (c *Contacts) Ball(with Material) Contact {
	switch with {
	case Board:
		return c.BallBoard
	case Post:
		return c.BallPost
	case Net:
		return c.BallNet
	case Hull:
		return c.BallRobot
	case Crate:
		return c.BallObstacle
	}
	return c.BallCarpet
}

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

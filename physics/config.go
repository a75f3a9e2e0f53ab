package physics

// Config chooses the engine and the constants that belong to no single body.
type Config struct {
	Engine        string  `toml:"engine" oneof:"ode" doc:"physics engine"`
	Gravity       float64 `toml:"gravity_m_s2" range:"[0, 30]" doc:"acceleration of free fall"`
	WheelFriction float64 `toml:"wheel_friction" range:"[0, 5]" doc:"friction coefficient of wheels on carpet, along the driven direction"`
	BodyFriction  float64 `toml:"body_friction" range:"[0, 5]" doc:"friction coefficient between robots, obstacles, walls and goals"`
}

// DefaultConfig returns the constants of a carpeted hall.
func DefaultConfig() Config {
	return Config{
		Engine:        "ode",
		Gravity:       9.81,
		WheelFriction: 0.75, // measured: best tracking of the 2 m/s circle without sticking
		BodyFriction:  0.25, // measured: robots neither climb nor glue to each other
	}
}

// Ball is the ball's body and where it starts.
type Ball struct {
	Radius       float64 `toml:"radius_m" range:"[0.02, 0.5]" doc:"FIFA size 5 is 0.11"`
	Mass         float64 `toml:"mass_kg" range:"[0.01, 5]" doc:"FIFA size 5 is 0.41 to 0.45"`
	Restitution  float64 `toml:"restitution" range:"[0, 1]" doc:"speed kept in a bounce on the carpet"`
	Friction     float64 `toml:"friction" range:"[0, 5]" doc:"friction coefficient on the carpet"`
	RollingDecel float64 `toml:"rolling_decel_m_s2" range:"[0, 5]" doc:"deceleration of the rolling ball"`
	X            float64 `toml:"x_m" range:"[-50, 50]" doc:"start, in the world frame"`
	Y            float64 `toml:"y_m" range:"[-50, 50]" doc:"start, in the world frame"`
	Z            float64 `toml:"z_m" range:"[0, 20]" doc:"height of the ball's lowest point at the start"`
	VX           float64 `toml:"vx_m_s" range:"[-30, 30]" doc:"speed at the start"`
	VY           float64 `toml:"vy_m_s" range:"[-30, 30]" doc:"speed at the start"`
	VZ           float64 `toml:"vz_m_s" range:"[-30, 30]" doc:"speed at the start"`
}

// DefaultBall returns a FIFA size 5 ball at rest on the centre spot.
func DefaultBall() Ball {
	return Ball{
		Radius:       0.11,
		Mass:         0.43, // middle of the 0.41–0.45 kg that the rules allow
		Restitution:  0.65, // guess: FIFA asks 0.76–0.91 on steel, carpet takes some of it
		Friction:     0.5,  // measured: slides, then rolls, within a robot's length
		RollingDecel: 0.35, // guess: a 3 m/s pass rolls about 13 m on short carpet
	}
}

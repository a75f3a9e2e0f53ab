package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Config selects the engine, and holds the constants of the simulation that do not belong to a single body.
type Config struct {
	Engine     string   `toml:"engine" oneof:"ode|planar|mujoco" doc:"physics engine: ode is three-dimensional, with wheels that slip and robots that can fall over; planar moves upright robots over the floor and is several times faster; mujoco is for robots with legs, needs the package libmujoco2.2.2, and moves robots on wheels upright"`
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
	Absent       bool    `toml:"absent" fixed:"true" doc:"whether the world has no ball; ball = false says the same"`
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
		// from memory: wind-tunnel studies of footballs give 0.4 to 0.5 below the drag crisis, as at 12 m/s
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
		// Friction is measured: the ball slides, then rolls, within a robot's length. Restitution is a guess: FIFA asks
		// for 0.76–0.91 on steel, and carpet absorbs some of the impact.
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

// Motor is a brushed or block-commutated motor with gear, amplifier and speed controller; each wheel has one. If u is
// the voltage, w the wheel's rate and n the gear ratio, then
//
//	current  i = (u − k·n·w)/R            within ±max_current_a
//	torque   τ = η·n·k·i − n·k·i0·sgn(w)  at the wheel
//	inertia  J = J_wheel + n²·J_rotor
//	voltage  u = f·k·n·w* + kp·(w* − w) + ki·∫(w* − w) − kd·dw/dt   within what the battery gives
//
// where w* is the rate that the robot's velocity controller asks for. The integral is frozen while a limit is reached.
type Motor struct {
	Torque     float64 `toml:"torque_constant_nm_a" required:"true" range:"(0, 10]" doc:"torque constant, which equals the back-EMF constant in V s/rad"`
	Resistance float64 `toml:"resistance_ohm" required:"true" range:"(0, 100]" doc:"resistance of winding and amplifier"`
	NoLoad     float64 `toml:"no_load_current_a" range:"[0, 20]" doc:"current that friction takes"`
	Rotor      float64 `toml:"rotor_inertia_kg_m2" range:"[0, 0.1]"`
	MaxCurrent float64 `toml:"max_current_a" required:"true" range:"(0, 500]" doc:"current limit of the amplifier"`
	Gear       float64 `toml:"gear" required:"true" range:"[0.1, 1000]" doc:"turns of the motor per turn of the wheel"`
	Efficiency float64 `toml:"efficiency" range:"(0, 1]" doc:"efficiency of the gear"`
	Wheel      float64 `toml:"wheel_inertia_kg_m2" range:"[0, 1]" doc:"moment of inertia of the wheel about its axle, at level wheels"`
	P          float64 `toml:"p" range:"[0, 10000]" doc:"proportional gain of the controller, V for each rad/s of the wheel"`
	I          float64 `toml:"i" range:"[0, 1000000]" doc:"integral gain, V for each rad of the wheel"`
	D          float64 `toml:"d" range:"[0, 100]" doc:"derivative gain, V for each rad/s² of the wheel"`
	Forward    float64 `toml:"feed_forward" range:"[0, 2]" doc:"share of the back-EMF at the wanted rate that is fed forward"`
}

// SetDefaults sets the optional keys.
func (m *Motor) SetDefaults() {
	m.Efficiency = 1
	m.P, m.I = 3, 60 // measured: fastest ramp response without overshoot on a robot of 31 kg
	m.Forward = 1
}

// Battery feeds all motors of a robot; its voltage falls with their current.
type Battery struct {
	Voltage    float64 `toml:"voltage_v" range:"(0, 1000]" doc:"open-circuit voltage"`
	Resistance float64 `toml:"resistance_ohm" range:"[0, 10]" doc:"resistance of cells and cables, by which the voltage sags"`
}

// SetDefaults sets a nominal supply without internal resistance.
func (b *Battery) SetDefaults() { b.Voltage = 24 }

// NextTwist returns the next velocity setpoint of a robot's own controller, in the body frame. The argument now is the
// present setpoint, and the next setpoint applies dt seconds later. It is the wanted velocity without the part that the
// wheels cannot drive, limited to the drive's speed and acceleration. If a wheel would exceed its largest speed,
// NextTwist scales down the whole velocity, so that its direction stays the same.
func (d *Drive) NextTwist(now, wanted PlanarTwist, wheels *WheelSet, dt float64) PlanarTwist {
	wanted = wheels.Drivable(wanted)
	wanted.VX, wanted.VY = limitLength(wanted.VX, wanted.VY, d.MaxSpeed)
	wanted.Omega = mgl64.Clamp(wanted.Omega, -d.MaxOmega, d.MaxOmega)
	wanted = d.withinWheels(wanted, wheels)

	dvx, dvy := limitLength(wanted.VX-now.VX, wanted.VY-now.VY, d.MaxAccel*dt)
	return d.withinWheels(PlanarTwist{
		VX:    now.VX + dvx,
		VY:    now.VY + dvy,
		Omega: now.Omega + mgl64.Clamp(wanted.Omega-now.Omega, -d.MaxAlpha*dt, d.MaxAlpha*dt),
	}, wheels)
}

func (d *Drive) withinWheels(t PlanarTwist, wheels *WheelSet) PlanarTwist {
	if wheels.within(t, d.MaxWheelSpeed/d.WheelRadius) {
		return t
	}
	fastest := wheels.fastest(t) * d.WheelRadius
	if fastest <= d.MaxWheelSpeed {
		return t
	}
	s := d.MaxWheelSpeed / fastest
	return PlanarTwist{VX: t.VX * s, VY: t.VY * s, Omega: t.Omega * s}
}

// limitLength returns the vector (x, y). If the vector is longer than maxLength, it is scaled down to that length.
func limitLength(x, y, maxLength float64) (float64, float64) {
	if x*x+y*y <= maxLength*maxLength {
		return x, y
	}
	k := maxLength / math.Hypot(x, y)
	return x * k, y * k
}

// windupTime, in seconds, limits how much the velocity setpoint of a drive with motors may differ from the velocity
// that the encoders measure: by at most the change of velocity that the drive can make in this time. 0.1 is a guess:
// motors follow their setpoint in less time, and the setpoint of a blocked robot differs by more.
const windupTime = 0.1

// LimitWindup returns the velocity from which the controller continues. The argument asked is the controller's last
// setpoint, and measured is the velocity that the encoders measure. The result is the last setpoint, moved close to the
// measured velocity, so that the controller of a blocked robot does not wind up. For a drive without motors the result
// is the measured velocity.
func (d *Drive) LimitWindup(asked, measured PlanarTwist) PlanarTwist {
	if d.Motor == nil || d.Level == ChassisDrive || d.Level == KinematicDrive {
		return measured
	}
	dvx, dvy := limitLength(asked.VX-measured.VX, asked.VY-measured.VY, d.MaxAccel*windupTime)
	return PlanarTwist{
		VX:    measured.VX + dvx,
		VY:    measured.VY + dvy,
		Omega: measured.Omega + mgl64.Clamp(asked.Omega-measured.Omega, -d.MaxAlpha*windupTime, d.MaxAlpha*windupTime),
	}
}

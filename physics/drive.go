package physics

import "math"

// MaxWheels and MaxCasters are the largest numbers of driven wheels and of casters of a robot.
const (
	MaxWheels  = 8
	MaxCasters = 8
)

// DriveLevel says in how much detail a drive is simulated.
type DriveLevel string

const (
	RollersDrive   DriveLevel = "rollers"   // every roller of every wheel is a body of its own
	WheelsDrive    DriveLevel = "wheels"    // friction under each wheel, motors with limits, slip
	ChassisDrive   DriveLevel = "chassis"   // the body takes the commanded velocity within its acceleration limits
	KinematicDrive DriveLevel = "kinematic" // the same in the plane: the planar engine runs every drive at this level
)

// Drive is what moves a robot: wheels, their motors, and the velocity controller.
type Drive struct {
	Level         DriveLevel `toml:"level" required:"true" oneof:"rollers|wheels|chassis|kinematic" doc:"in how much detail the drive is simulated; the planar engine runs all at kinematic"`
	WheelAngles   []float64  `toml:"wheel_angles_deg" range:"[-360, 360]" doc:"where each omni wheel stands around the centre, anticlockwise from x, facing outwards; at most 8. Other drives list their wheels one by one"`
	WheelDistance float64    `toml:"wheel_distance_m" range:"[0, 1]" doc:"from the robot's centre to the contact points of the wheels of wheel_angles_deg"`
	WheelRadius   float64    `toml:"wheel_radius_m" required:"true" range:"[0.005, 0.5]"`
	Wheels        []Wheel    `toml:"wheel" doc:"wheels one by one"`
	Casters       []Caster   `toml:"caster" doc:"where the robot rests on casters"`
	Rollers       *Rollers   `toml:"rollers" doc:"of the omni wheels, at level rollers"`
	Motor         *Motor     `toml:"motor" doc:"the motor of each wheel; without it motors follow at once, up to max_wheel_force_n"`
	Battery       *Battery   `toml:"battery" doc:"what feeds the motors; without it, 24 V that never sag"`
	MaxWheelSpeed float64    `toml:"max_wheel_speed_m_s" required:"true" range:"(0, 20]" doc:"fastest rim speed that the robot's controller asks of a wheel"`
	MaxWheelForce float64    `toml:"max_wheel_force_n" range:"(0, 2000]" doc:"largest force at a wheel's rim, of a drive without [drive.motor]"`
	MaxSpeed      float64    `toml:"max_speed_m_s" required:"true" range:"(0, 20]" doc:"commands are limited to this speed"`
	MaxOmega      float64    `toml:"max_omega_deg_s" required:"true" range:"(0, 3600]" doc:"commands are limited to this rate of turn"`
	MaxAccel      float64    `toml:"max_accel_m_s2" required:"true" range:"(0, 100]" doc:"the robot's own controller limits changes of velocity to this"`
	MaxAlpha      float64    `toml:"max_alpha_deg_s2" required:"true" range:"(0, 36000]" doc:"the same for the rate of turn"`
}

// SetDefaults sets the force of a wheel.
func (d *Drive) SetDefaults() {
	d.MaxWheelForce = 100 // guess: spins a wheel under a quarter of a robot of 40 kg
}

// WheelKind is how a wheel moves across its rolling direction.
type WheelKind string

const (
	OmniWheel     WheelKind = "omni"     // slips freely along one direction, thanks to rollers
	StandardWheel WheelKind = "standard" // holds
)

// Wheel is one driven wheel.
type Wheel struct {
	Kind    WheelKind `toml:"kind" oneof:"omni|standard" doc:"omni wheels slip freely along their rollers' travel, standard ones hold the floor"`
	X       float64   `toml:"x_m" range:"[-1, 1]" doc:"contact point"`
	Y       float64   `toml:"y_m" range:"[-1, 1]" doc:"contact point"`
	Heading float64   `toml:"heading_deg" range:"[-360, 360]" doc:"where it rolls when it turns forwards, anticlockwise from x"`
	Roller  float64   `toml:"roller_deg" range:"[-170, 170]" doc:"from there to where its rollers let it slip: 90 for omni wheels, 45 or -45 for Mecanum wheels"`
}

// SetDefaults sets an omni wheel with rollers straight across.
func (w *Wheel) SetDefaults() { w.Kind, w.Roller = OmniWheel, rollerAngle }

// Caster is a point where a robot rests on the floor without friction.
type Caster struct {
	X float64 `toml:"x_m" range:"[-1, 1]"`
	Y float64 `toml:"y_m" range:"[-1, 1]"`
}

// AllWheels returns the wheels, those of WheelAngles first. The latter roll clockwise around the robot's centre, seen
// from above, when they turn forwards.
func (d *Drive) AllWheels() []Wheel {
	wheels := make([]Wheel, 0, len(d.WheelAngles)+len(d.Wheels))
	for _, a := range d.WheelAngles {
		sin, cos := math.Sincos(a)
		wheels = append(wheels, Wheel{Kind: OmniWheel, X: d.WheelDistance * cos, Y: d.WheelDistance * sin,
			Heading: a - math.Pi/2, Roller: rollerAngle})
	}
	return append(wheels, d.Wheels...)
}

// Rollers are the rollers of every omni wheel, at level rollers: barrels on its rim whose outline is the wheel's
// circle, in two rows that alternate, so that the wheel's height over the floor is constant.
type Rollers struct {
	PerWheel int     `toml:"per_wheel" range:"[6, 40]" doc:"in two rows together; even"`
	Radius   float64 `toml:"radius_m" range:"[0.003, 0.1]" doc:"in a barrel's middle"`
	RowGap   float64 `toml:"row_gap_m" range:"[0, 0.1]" doc:"between the middles of the rows"`
	Mass     float64 `toml:"mass_kg" range:"[0.001, 1]" doc:"of one roller"`
	Hub      float64 `toml:"hub_mass_kg" range:"[0.01, 10]" doc:"of the wheel without rollers, with what turns along"`
}

// SetDefaults sets the rollers of a 5 inch wheel.
func (r *Rollers) SetDefaults() {
	*r = Rollers{
		PerWheel: 16,     // team NuBot's
		Radius:   0.0125, // guess, from photographs
		RowGap:   0.011,  // guess: rows that nest into each other
		Mass:     0.02,   // guess
		Hub:      0.6,    // guess
	}
}

// rollerOverlap is the ratio of the barrels' length to that without overlap, so that one touches the floor before the
// other lifts. Guess.
const rollerOverlap = 1.2

// HalfAngle returns the angle of the wheel's circle that a barrel covers to either side of its middle, rad.
func (r *Rollers) HalfAngle() float64 { return rollerOverlap * math.Pi / float64(r.PerWheel) }

// RollerSet returns the drive's rollers, or the default ones if it sets none.
func (d *Drive) RollerSet() Rollers {
	if d.Rollers != nil {
		return *d.Rollers
	}
	var r Rollers
	r.SetDefaults()
	return r
}

// Supply returns the drive's battery, or the default one if it sets none.
func (d *Drive) Supply() Battery {
	if d.Battery != nil {
		return *d.Battery
	}
	var b Battery
	b.SetDefaults()
	return b
}

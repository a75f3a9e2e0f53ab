package physics

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Team is a team's colour. The card on a robot shows this colour.
type Team string

const (
	Cyan    Team = "cyan"
	Magenta Team = "magenta"
)

// Robot is a robot's body and actuators, and its pose at the start.
type Robot struct {
	Name      string
	Team      Team             `toml:"team" oneof:"cyan|magenta"`
	Number    int              // robot's number in its team; the goalkeeper usually has 1
	Pose      spatial.Pose     `toml:"pose"`
	Absent    bool             // the robot is not in the world at the start
	Body      Body             `toml:"body"`
	Drive     Drive            `toml:"drive"`
	Kicker    *Kicker          `toml:"kicker"`    // nil: the robot cannot kick
	Dribbler  *Dribbler        `toml:"dribbler"`  // nil: the robot cannot hold the ball
	Extension *KeeperExtension `toml:"extension"` // nil: the robot has no extension
	Joints    []Joint          // of a robot that is described in URDF, each after its Parent
	Trunk     *Trunk           // of a robot with legs; nil for all others
	// Apart lists pairs of links that pass through each other, each by the index of its joint; −1 is the trunk. A link
	// also passes through the one that carries it. All other links of a robot collide with each other.
	Apart [][2]int

	Animations []Animation    // that it can play
	Motion     *MotionControl `toml:"motion"` // nil: the robot neither handles falls nor kicks with a leg
}

// Body is a robot's hull, an upright cylinder or a box, and its mass.
type Body struct {
	Radius   float64 `toml:"radius_m" required:"true" range:"[0.05, 1]" doc:"radius of the hull; of a box, the distance to its corners"`
	Length   float64 `toml:"length_m" range:"[0, 2]" doc:"length of a box-shaped hull, along x; 0 for a round hull"`
	Width    float64 `toml:"width_m" range:"[0, 2]" doc:"width of a box-shaped hull; 0 for a round hull"`
	Height   float64 `toml:"height_m" required:"true" range:"[0.05, 2]" doc:"height above the floor"`
	Mass     float64 `toml:"mass_kg" required:"true" range:"[0.1, 200]" doc:"mass of the whole robot"`
	InertiaZ float64 `toml:"inertia_zz_kg_m2" required:"true" range:"[0.001, 100]" doc:"moment of inertia about the vertical axis"`
	CoMZ     float64 `toml:"com_height_m" required:"true" range:"[0.01, 1]" doc:"height of the centre of mass"`
	CoMX     float64 `toml:"com_x_m" range:"[-1, 1]" doc:"position of the centre of mass, which counts at level wheels of the engine ode"`
	CoMY     float64 `toml:"com_y_m" range:"[-1, 1]" doc:"position of the centre of mass, likewise"`
}

// CoM returns the centre of mass of a robot in its frame, as engines use it. Unless the drive is at level joints, or at
// level wheels of the engine ode, it is above the origin.
func (s *Model) CoM(robot int) mgl64.Vec3 {
	r := &s.Robots[robot]
	if r.Drive.Level == JointsDrive || r.Drive.Level == WheelsDrive && s.Config.Engine != "planar" {
		return mgl64.Vec3{r.Body.CoMX, r.Body.CoMY, r.Body.CoMZ}
	}
	return mgl64.Vec3{0, 0, r.Body.CoMZ}
}

// Boxed reports whether the hull is a box.
func (b *Body) Boxed() bool { return b.Length > 0 }

// Front returns the distance from the centre to the front of the hull, metres.
func (b *Body) Front() float64 {
	if b.Boxed() {
		return b.Length / 2
	}
	return b.Radius
}

// Inner returns the radius of the largest upright cylinder that fits into the hull, metres.
func (b *Body) Inner() float64 {
	if b.Boxed() {
		return min(b.Length, b.Width) / 2
	}
	return b.Radius
}

// Kicker shoots the ball that its robot holds or reaches.
type Kicker struct {
	MaxSpeed  float64       `toml:"max_speed_m_s" required:"true" range:"(0, 30]" doc:"highest ball speed, fully charged"`
	LobAngle  float64       `toml:"lob_angle_deg" required:"true" range:"(0, 90)" doc:"elevation of a lob"`
	Reach     *Reach        `toml:"reach" doc:"where the robot kicks a ball that it does not hold, unless its program says so itself"`
	Delay     time.Duration `toml:"delay_s" range:"[0, 10]" doc:"time from the command to the shot. A robot that kicks with a leg plays its animation meanwhile; at drive level joints the foot itself moves the ball"`
	Charge    time.Duration `toml:"charge_s" range:"[0, 60]" doc:"time to charge from empty to full; a shot takes the share of energy that its speed needs. 0 charges at once"`
	Strengths []Strength    `toml:"strength" doc:"table from the strength that the software asks for to the ball's speed, interpolated linearly, and from 0 to the first entry. Without entries the ball gets the speed that is asked for"`
}

// Strength is an entry of a kicker's strength table.
type Strength struct {
	Asked float64 `toml:"asked" required:"true" range:"(0, 1000]" doc:"strength that the software asks for"`
	Speed float64 `toml:"speed_m_s" required:"true" range:"[0, 30]" doc:"speed of the ball at this strength"`
}

// Obstacle is a box or an upright cylinder on the floor that robots can push.
type Obstacle struct {
	Name   string
	Kind   string       // what levels without images report it as; empty for an obstacle
	Pose   spatial.Pose `toml:"pose,outer"`
	Absent bool         // the obstacle is not in the world at the start
	Round  bool         // the obstacle is a cylinder with the diameter SizeX, which equals SizeY
	SizeX  float64      `toml:"size_x_m" range:"[0.05, 5]"`
	SizeY  float64      `toml:"size_y_m" range:"[0.05, 5]"`
	Height float64      `toml:"height_m" range:"[0.05, 3]"`
	Mass   float64      `toml:"mass_kg" range:"[0.1, 500]"`
}

// Radius returns the radius of the circle around the obstacle on the floor, m.
func (o *Obstacle) Radius() float64 {
	if o.Round {
		return o.SizeX / 2
	}
	return math.Hypot(o.SizeX, o.SizeY) / 2
}

// MaxWheels and MaxCasters are the largest numbers of driven wheels and of casters per robot.
const (
	MaxWheels  = 8
	MaxCasters = 8
)

// DriveLevel is how detailed the simulation of a drive is.
type DriveLevel string

const (
	RollersDrive DriveLevel = "rollers" // simulates every roller of every wheel as a body
	WheelsDrive  DriveLevel = "wheels"  // simulates friction under each wheel, slip, and motors with limits
	ChassisDrive DriveLevel = "chassis" // the body takes the commanded velocity within its acceleration limits
	// like chassis, but only in the plane of the floor; the planar engine uses this level for every drive
	KinematicDrive DriveLevel = "kinematic"
	JointsDrive    DriveLevel = "joints" // the robot stands on its links, and moves by its joints alone
	// the robot moves, sways and falls over as a walking robot does, by the numbers of its Walk; no forces act on legs
	WalkDrive DriveLevel = "walk"
)

// Drive is what moves a robot: the wheels, their motors, and the velocity controller.
type Drive struct {
	Level         DriveLevel `toml:"level" required:"true" oneof:"rollers|wheels|chassis|kinematic|joints|walk" doc:"how detailed the simulation of the drive is; walk and joints are for robots with legs. The planar engine runs every other drive at kinematic, and the engine mujoco runs chassis, walk and joints"`
	WheelAngles   []float64  `toml:"wheel_angles_deg" range:"[-360, 360]" doc:"azimuths of omni wheels that face outwards, anticlockwise from x; at most 8. A drive of other wheels lists them under wheel"`
	WheelDistance float64    `toml:"wheel_distance_m" range:"[0, 1]" doc:"distance from the robot's centre to the contact points of the wheels of wheel_angles_deg"`
	WheelRadius   float64    `toml:"wheel_radius_m" range:"[0, 0.5]" doc:"of every wheel; a drive on wheels needs it, and max_wheel_speed_m_s"`
	Wheels        []Wheel    `toml:"wheel" doc:"driven wheels, one by one"`
	// Differential is nil in a world that is loaded: then Wheels and Casters have what it stands for.
	Differential  *Differential `toml:"differential" doc:"the driven wheels of a robot that a URDF or MJCF file describes, by the names of their joints; their places, radius and limits, and the casters, come from the file"`
	Casters       []Caster      `toml:"caster" doc:"casters, on which the robot rests"`
	Rollers       *Rollers      `toml:"rollers" doc:"rollers of the omni wheels, at level rollers"`
	Motor         *Motor        `toml:"motor" doc:"motor of each wheel; without it wheels follow their setpoint at once, up to max_wheel_force_n"`
	Walk          *Walk         `toml:"walk" doc:"walk of a robot with legs, by which it follows velocities at levels walk and joints; at joints, without it, only its joints take commands"`
	Battery       *Battery      `toml:"battery" doc:"battery of the motors; without it, a constant 24 V"`
	MaxWheelSpeed float64       `toml:"max_wheel_speed_m_s" range:"[0, 20]" doc:"highest rim speed that the robot's controller asks of a wheel"`
	MaxWheelForce float64       `toml:"max_wheel_force_n" range:"(0, 2000]" doc:"largest force at a wheel's rim, for a drive without [drive.motor]"`
	MaxSpeed      float64       `toml:"max_speed_m_s" required:"true" range:"(0, 20]" doc:"speed limit of commands"`
	MaxOmega      float64       `toml:"max_omega_deg_s" required:"true" range:"(0, 3600]" doc:"turn rate limit of commands"`
	MaxAccel      float64       `toml:"max_accel_m_s2" required:"true" range:"(0, 100]" doc:"acceleration limit of the robot's own controller"`
	MaxAlpha      float64       `toml:"max_alpha_deg_s2" required:"true" range:"(0, 36000]" doc:"angular acceleration limit of the robot's own controller"`
}

// SetDefaults sets the largest force of a wheel.
func (d *Drive) SetDefaults() {
	d.MaxWheelForce = 100 // guess: enough to make a wheel slip that carries a quarter of a 40 kg robot
}

// LegsDrive returns the drive of a robot that moves by its joints alone. It has no wheels, and its limits
// have no effect.
func LegsDrive() Drive {
	return Drive{Level: JointsDrive, MaxWheelForce: 1, MaxSpeed: 1, MaxOmega: 1, MaxAccel: 1, MaxAlpha: 1}
}

// Legged reports whether the robot moves on legs, with the collision shapes of its links, and not on wheels.
func (d *Drive) Legged() bool { return d.Level == JointsDrive || d.Level == WalkDrive }

// Differential names the joints of the driven wheels of a robot that is described in URDF.
type Differential struct {
	Left  []string `toml:"left" required:"true" minlen:"1" maxlen:"4" doc:"joints of the wheels on the left"`
	Right []string `toml:"right" required:"true" minlen:"1" maxlen:"4" doc:"joints of the wheels on the right"`
}

// WheelKind is the kind of a wheel, by its motion across the rolling direction.
type WheelKind string

const (
	OmniWheel     WheelKind = "omni"     // slips freely along one direction, on its rollers
	StandardWheel WheelKind = "standard" // does not slip sideways
)

// Wheel is one driven wheel.
type Wheel struct {
	Kind    WheelKind `toml:"kind" oneof:"omni|standard" doc:"omni wheels slip freely along their rollers' direction; standard wheels hold the floor"`
	X       float64   `toml:"x_m" range:"[-1, 1]" doc:"position of the contact point"`
	Y       float64   `toml:"y_m" range:"[-1, 1]" doc:"position of the contact point"`
	Heading float64   `toml:"heading_deg" range:"[-360, 360]" doc:"rolling direction when the wheel turns forwards, anticlockwise from x"`
	Joint   string    `toml:"joint" doc:"joint of the robot's URDF or MJCF that the wheel turns"`
	Roller  float64   `toml:"roller_deg" range:"[-170, 170]" doc:"angle from the rolling direction to the direction in which the rollers slip: 90 for omni wheels, 45 or -45 for Mecanum wheels"`
}

// SetDefaults sets an omni wheel with rollers straight across.
func (w *Wheel) SetDefaults() { w.Kind, w.Roller = OmniWheel, rollerAngle }

// Caster is a point where a robot rests on the floor without friction.
type Caster struct {
	X float64 `toml:"x_m" range:"[-1, 1]"`
	Y float64 `toml:"y_m" range:"[-1, 1]"`
}

// AllWheels returns all wheels: first the wheels of WheelAngles, then Wheels. When a wheel of WheelAngles turns
// forwards, it rolls clockwise around the robot's centre, seen from above.
func (d *Drive) AllWheels() []Wheel {
	wheels := make([]Wheel, 0, len(d.WheelAngles)+len(d.Wheels))
	for _, a := range d.WheelAngles {
		sin, cos := math.Sincos(a)
		wheels = append(wheels, Wheel{Kind: OmniWheel, X: d.WheelDistance * cos, Y: d.WheelDistance * sin,
			Heading: a - math.Pi/2, Roller: rollerAngle})
	}
	return append(wheels, d.Wheels...)
}

// Rollers describes the rollers of every omni wheel of a drive, for drives of level rollers. They are barrels on the
// rim whose outline is the wheel's circle. Two rows alternate, so that the wheel's height above the floor is constant.
type Rollers struct {
	PerWheel int     `toml:"per_wheel" range:"[6, 40]" doc:"number of rollers in both rows together; even"`
	Radius   float64 `toml:"radius_m" range:"[0.003, 0.1]" doc:"radius of a barrel at its middle"`
	RowGap   float64 `toml:"row_gap_m" range:"[0, 0.1]" doc:"distance between the middles of the rows"`
	Mass     float64 `toml:"mass_kg" range:"[0.001, 1]" doc:"mass of one roller"`
	Hub      float64 `toml:"hub_mass_kg" range:"[0.01, 10]" doc:"mass of the wheel without rollers, with everything that turns with it"`
}

// SetDefaults sets the rollers of a 5 inch wheel.
func (r *Rollers) SetDefaults() {
	*r = Rollers{
		PerWheel: 16,     // as on team NuBot's robots
		Radius:   0.0125, // guess, from photographs
		RowGap:   0.011,  // guess: rows that nest into each other
		Mass:     0.02,   // guess
		Hub:      0.6,    // guess
	}
}

// rollerOverlap is the ratio of a barrel's length to its length without overlap. Because barrels overlap, the next
// barrel touches the floor before the last barrel lifts. 1.2 is a guess.
const rollerOverlap = 1.2

// HalfAngle returns half of the angle that a barrel covers on the wheel's circle, in rad.
func (r *Rollers) HalfAngle() float64 { return rollerOverlap * math.Pi / float64(r.PerWheel) }

// RollerSet returns the drive's rollers, or the default rollers if Rollers is nil.
func (d *Drive) RollerSet() Rollers {
	if d.Rollers != nil {
		return *d.Rollers
	}
	var r Rollers
	r.SetDefaults()
	return r
}

// Supply returns the drive's battery, or the default battery if Battery is nil.
func (d *Drive) Supply() Battery {
	if d.Battery != nil {
		return *d.Battery
	}
	var b Battery
	b.SetDefaults()
	return b
}

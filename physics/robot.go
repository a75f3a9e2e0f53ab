package physics

import (
	"time"

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
	Number    int              // the robot's number in its team; the goalkeeper usually has 1
	Pose      spatial.Pose     `toml:"pose"`
	Body      Body             `toml:"body"`
	Drive     Drive            `toml:"drive"`
	Kicker    *Kicker          `toml:"kicker"`    // nil: the robot cannot kick
	Dribbler  *Dribbler        `toml:"dribbler"`  // nil: the robot cannot hold the ball
	Extension *KeeperExtension `toml:"extension"` // nil: the robot has no extension
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
	Charge    time.Duration `toml:"charge_s" range:"[0, 60]" doc:"time to charge from empty to full; a shot takes the share of energy that its speed needs. 0 charges at once"`
	Strengths []Strength    `toml:"strength" doc:"table from the strength that the software asks for to the ball's speed, interpolated linearly, and from 0 to the first entry. Without entries the ball gets the speed that is asked for"`
}

// Strength is an entry of a kicker's strength table.
type Strength struct {
	Asked float64 `toml:"asked" required:"true" range:"(0, 1000]" doc:"strength that the software asks for"`
	Speed float64 `toml:"speed_m_s" required:"true" range:"[0, 30]" doc:"speed of the ball at this strength"`
}

// Obstacle is a black box on the floor that robots can push.
type Obstacle struct {
	Name   string
	Pose   spatial.Pose `toml:"pose,outer"`
	SizeX  float64      `toml:"size_x_m" range:"[0.05, 5]"`
	SizeY  float64      `toml:"size_y_m" range:"[0.05, 5]"`
	Height float64      `toml:"height_m" range:"[0.05, 3]"`
	Mass   float64      `toml:"mass_kg" range:"[0.1, 500]"`
}

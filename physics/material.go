package physics

// Material is the material of a body's surface.
type Material uint8

const (
	Carpet Material = iota
	Board           // around the border
	Post            // and the bar
	Net
	Hull  // of a robot
	Crate // of an obstacle
)

// Contact is the contact parameters of two materials.
type Contact struct {
	Friction    float64 `toml:"friction" range:"[0, 5]" doc:"coefficient of dry friction"`
	Restitution float64 `toml:"restitution" range:"[0, 1]" doc:"share of the closing speed that comes back"`
}

// Contacts is the contact parameters of all pairs of materials.
type Contacts struct {
	BallCarpet   Contact  `toml:"ball_carpet" doc:"the ball on the carpet"`
	BallRobot    Contact  `toml:"ball_robot" doc:"the ball at a robot's hull"`
	BallObstacle Contact  `toml:"ball_obstacle" doc:"the ball at an obstacle"`
	BallBoard    Contact  `toml:"ball_board" doc:"the ball at the boards around the field"`
	BallPost     Contact  `toml:"ball_post" doc:"the ball at posts and bars"`
	BallNet      Contact  `toml:"ball_net" doc:"the ball in a net"`
	WheelCarpet  Friction `toml:"wheel_carpet" doc:"wheels on the carpet, where they hold"`
	Robot        Friction `toml:"robot" doc:"robots at robots, obstacles and all that stands still"`
	Obstacle     Friction `toml:"obstacle_carpet" doc:"obstacles on the carpet"`
}

// Friction is the parameter of a contact without restitution: robots and obstacles do not bounce.
type Friction struct {
	Friction float64 `toml:"friction" range:"[0, 5]" doc:"coefficient of dry friction"`
}

// DefaultContacts returns the table of a carpeted hall.
func DefaultContacts() Contacts {
	return Contacts{
		// friction measured: slides, then rolls, within a robot's length. Restitution a guess: FIFA asks 0.76–0.91 on
		// steel, carpet takes some of it
		BallCarpet:   Contact{0.5, 0.65},
		BallRobot:    Contact{0.25, 0.3},  // guess
		BallObstacle: Contact{0.25, 0.3},  // guess
		BallBoard:    Contact{0.25, 0.65}, // guess: wood
		BallPost:     Contact{0.25, 0.65}, // guess
		// guess: a loose net swallows the ball; one that rubbed would spin it, and the floor would send it out again
		BallNet:     Contact{0, 0.05},
		WheelCarpet: Friction{0.75}, // measured: best tracking of the 2 m/s circle without sticking
		Robot:       Friction{0.25}, // measured: robots neither climb nor glue to each other
		Obstacle:    Friction{0.25}, // guess
	}
}

// Ball returns the contact parameters of the ball and a material.
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
